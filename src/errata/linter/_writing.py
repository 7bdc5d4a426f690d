"""Writing a file as a whole or not at all."""

import contextlib
import errno
import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file in one step, so that nobody ever sees half of it; the mode stays. Nothing is written through a link."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "it is a link, and what it leads to may lie anywhere", str(path))
    mode = _mode(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".tmp")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _mode(target: Path) -> int:
    """Find the mode for a file: the one it has, if it may be written; else the usual one."""
    try:
        mode = target.stat().st_mode & 0o7777
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask
    with target.open("r+b"):  # To replace a file only its directory need be writable; its owner said no all the same.
        return mode
