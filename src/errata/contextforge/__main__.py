"""`python -m errata.contextforge` prints a configuration of the gateway's plugins that has errata's."""

import sys

from errata.contextforge import EXAMPLE

if __name__ == "__main__":
    sys.stdout.write(EXAMPLE.read_text(encoding="utf-8"))
