"""The version, which the package's metadata is built from."""

__version__ = "0.2.0"
