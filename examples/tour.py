"""A tour of the example servers: the same failures, without errata and with it.

    python examples/tour.py                 all of them, in well under a minute
    python examples/tour.py napkin_visuals  one of them
    python examples/tour.py --json          what went over the wire, for machines

`errata demo` is the same.
"""

import argparse
import signal
import sys

from touring._scenes import ACTS


def main() -> int:
    """Go on the tour."""
    options = _options()
    # Who presses Ctrl-C wants to read no traceback, not even of the imports; the servers end with their client.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from touring._taking import take  # noqa: PLC0415 - it takes a second, and stands behind the line above.

    return take([act for act in ACTS if not options.servers or act.server in options.servers], as_json=options.json)


def _options() -> argparse.Namespace:
    about = "Show what an agent reads of a failure, without errata and with it."
    parser = argparse.ArgumentParser(prog="errata demo", description=about)
    names = [act.server for act in ACTS]
    parser.add_argument("servers", nargs="*", metavar="SERVER", help=f"only these: {', '.join(names)}")
    parser.add_argument("--json", action="store_true", help="print what went over the wire, for machines")
    options = parser.parse_args()
    if unknown := set(options.servers) - set(names):
        parser.error(f"there is no server {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
