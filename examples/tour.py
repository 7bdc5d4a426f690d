"""The example servers fail, without errata and with it.

    python examples/tour.py                 four failures of one server, in a few seconds
    python examples/tour.py --gate          the same, with the gate in front of the server instead of a line in it
    python examples/tour.py --all           every server, in well under a minute
    python examples/tour.py napkin_visuals  one of them
    python examples/tour.py --json          what went over the wire, for machines

`errata demo` is the same.
"""

import argparse
import signal
import sys

from touring._scenes import ACTS, FIRST_SCENES, GATED_SCENES, Act


def main() -> int:
    """Run the demo, and return its exit status."""
    options = _parse_options()
    # Ctrl-C shows no traceback, not even during the imports; the servers end with their client.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from touring._taking import show_acts  # noqa: PLC0415 - importing it takes a second, which Ctrl-C may interrupt.

    return show_acts(_choose_acts(options), as_json=options.json)


def _parse_options() -> argparse.Namespace:
    about = "Show what an agent reads of a failure, without errata and with it."
    parser = argparse.ArgumentParser(prog="errata demo", description=about)
    names = [act.server for act in ACTS]
    parser.add_argument("servers", nargs="*", metavar="SERVER", help=f"only these: {', '.join(names)}")
    parser.add_argument("--all", action="store_true", help="show every server, not only four failures of the first")
    parser.add_argument("--gate", action="store_true", help="show these with the gate in front of the server")
    parser.add_argument("--json", action="store_true", help="print what went over the wire, for machines")
    options = parser.parse_args()
    if unknown := set(options.servers) - set(names):
        parser.error(f"there is no server {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    return options


def _choose_acts(options: argparse.Namespace) -> tuple[Act, ...]:
    if options.gate:
        return GATED_SCENES
    if options.servers:
        return tuple(act for act in ACTS if act.server in options.servers)
    return ACTS if options.all else FIRST_SCENES


if __name__ == "__main__":
    sys.exit(main())
