"""docs/accuracy.md, whose measured parts are written by the scripts that measure them; the rest is written by hand."""

import datetime as dt
import platform
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "accuracy.md"


def write_section(name: str, text: str) -> None:
    """Write one measured part of the page anew, and leave the others as they are."""
    begin, end = f"<!-- {name}: generated -->\n", f"<!-- {name}: end -->\n"
    before, opening, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, closing, after = rest.partition(end)
    if not (opening and closing):
        raise SystemExit(f"{PAGE.name} has no part `{name}`. Put these two lines where it belongs:\n{begin}{end}")
    PAGE.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


def measured_by(command: str) -> str:
    """Return the beginning of a sentence: by what, when and with which Python something was measured."""
    today = dt.datetime.now(dt.UTC).date()
    return f"Measured by `{command}` on {today}, {platform.python_implementation()} {platform.python_version()}"
