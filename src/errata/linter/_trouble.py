"""What keeps the linter from running at all."""


class LintError(Exception):
    """The linter could not run; carries what is wrong and what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice

    def __str__(self) -> str:
        """Say both, for those who call the linter from Python."""
        return f"{self.what}; {self.advice}"


class SettingsError(LintError):
    """A setting that nothing can be done with: an unknown rule, an unknown key, a value of the wrong kind."""


class NoSuchPathError(LintError):
    """There is nothing at a path that was to be linted."""


class BaselineError(LintError):
    """The baseline cannot be read or written."""


class NotFixedError(LintError):
    """A file was left as it is."""
