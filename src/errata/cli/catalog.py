"""`errata catalog`: everything that a server offers, and how it can fail."""

import argparse
import contextlib
import sys

from errata import dialects
from errata.cli._server_lookup import NotFoundError, find_server, write_in_a_line
from errata.cli._terminal import complain, print_page
from errata.dialects import Dialect
from errata.model import did_you_mean

HELP: str = "list everything that a server offers, and how it can fail"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "server",
        metavar="SERVER",
        help="module:attribute or path/to/file.py:attribute; without the attribute, the server in there",
    )
    parser.add_argument("--dialect", metavar="NAME", help="show the words of this dialect, whatever the server speaks")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(given: argparse.Namespace) -> int:
    """Print the failures of a server; 1 if a recovery names a tool that the server does not list."""
    if given.dialect is not None and given.dialect not in dialects.names():
        question = did_you_mean(given.dialect, dialects.names())
        advice = (
            f"d{question[1:]}" if question else f"choose one of {', '.join(f'`{name}`' for name in dialects.names())}"
        )
        return complain(f"there is no dialect `{given.dialect}`", advice)
    try:
        server = find_server(given.server)
    except NotFoundError as error:
        return complain(error.what, error.advice)
    return _print(server, dialects.get(given.dialect) if given.dialect else None, as_json=given.json)


def _print(server: object, dialect: Dialect | None, *, as_json: bool) -> int:
    from errata.cli._catalog_page import build_catalog, write_json, write_page  # noqa: PLC0415 - no other command needs an SDK.

    try:
        with contextlib.redirect_stdout(sys.stderr):
            catalog = build_catalog(server, dialect)
    except Exception as error:  # noqa: BLE001 - whatever keeps a server from starting.
        what = f"the server does not say what it offers: {write_in_a_line(error)}"
        return complain(what, "make sure that the server starts and lists its tools")
    if as_json:
        print(write_json(catalog))
    else:
        print_page(write_page(catalog))
    return 1 if catalog.missing else 0
