"""Time that passes when a test says so."""


class Clock:
    def __init__(self, now=1_000.0):
        self.now = now

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds


class Time:
    """A clock that measures, and one that tells the time of day: it begins in November 2026 and may be set."""

    def __init__(self):
        self.clock = Clock()
        self.offset = 1_793_955_000.0

    def wall_clock(self):
        return self.clock.now + self.offset

    def advance(self, seconds):
        self.clock.advance(seconds)
