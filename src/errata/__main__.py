"""`python -m errata`, the same as `errata`."""

import sys

from errata.cli import main

sys.exit(main())
