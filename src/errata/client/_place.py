"""Where something went wrong, in the words of a message."""

from typing import NamedTuple

from errata.client._failed import Asked
from errata.dialects._sentences import seconds


class Place(NamedTuple):
    """Where it happened: the words that stand in a message."""

    asked: Asked
    server: str | None
    timeout_s: float | None

    @property
    def named(self) -> str:
        """The server, in a sentence."""
        return f"`{self.server}`" if self.server else "the server"

    @property
    def in_time(self) -> str:
        """Within which time, in a sentence."""
        return "in time" if self.timeout_s is None else f"within {span(self.timeout_s)}"

    @property
    def unsent(self) -> str:
        """What has not been sent for want of a connection, at the end of a sentence."""
        return "" if self.asked.kind == "connection" else f", so {self.asked} was not sent"

    @property
    def effect(self) -> str:
        """That it may have happened, as the end of a message; a handshake has no effect."""
        return "" if self.asked.kind == "connection" else " Whether it took effect is not known."


def span(timeout_s: float) -> str:
    """Say a time; one of less than a millisecond was probably meant in another unit, and must not look like none."""
    milliseconds = round(timeout_s * 1000)
    return f"{seconds(milliseconds)} s" if milliseconds else f"{timeout_s * 1000:.2g} ms"
