"""`call_tool`: call a tool in memory, as an agent calls it."""

import contextlib
import dataclasses
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from errata import dialects
from errata._install import adapter_for, find_installation, install
from errata.dialects import Dialect

if TYPE_CHECKING:  # It needs what the SDKs bring along.
    from errata.serving import Installation

Era: TypeAlias = Literal["modern", "legacy"]
_MODES = {"modern": "auto", "legacy": "legacy"}
_VISITS: "dict[Installation, int]" = {}
"""How many calls are running in a server in which errata is installed for them alone."""


async def call_tool(
    server: object,
    name: str,
    arguments: Mapping[str, object] | None = None,
    *,
    dialect: str | Dialect | None = None,
    era: Era = "modern",
) -> dict[str, Any]:
    """Call a tool in memory, through a client of the server's own SDK; return the JSON of the `CallToolResult`.

    With `dialect`, errata speaks it in this one call; if it is not installed in the server, it is installed for the duration
    of the call. `era` is the protocol: "modern" is 2026-07-28, "legacy" 2025-11-25. A JSON-RPC error is raised as the
    client raises it.
    """
    adapter = adapter_for(server)
    if era not in _MODES:
        raise ValueError(f"There is no era `{era}`. Choose `modern` or `legacy`.")
    spoken = dialects.get(dialect) if isinstance(dialect, str) else dialect
    refusal: Exception
    with contextlib.nullcontext() if spoken is None else _speak(server, spoken):
        async with adapter.connect(_MODES[era]) as call:
            try:
                result = await call(name, dict(arguments or {}))
                return cast("dict[str, Any]", result.model_dump(mode="json", by_alias=True, exclude_none=True))
            except Exception as error:  # noqa: BLE001 - from in here it would be raised in a group with others.
                refusal = error
    raise refusal


@dataclasses.dataclass(frozen=True, slots=True)
class CallInDialect:
    """`call_tool` in one dialect; the fixture `in_each_dialect` passes one to a test for each dialect."""

    dialect: str

    async def __call__(
        self, server: object, name: str, arguments: Mapping[str, object] | None = None, *, era: Era = "modern"
    ) -> dict[str, Any]:
        """Call a tool in memory."""
        return await call_tool(server, name, arguments, dialect=self.dialect, era=era)


@contextlib.contextmanager
def _speak(server: object, dialect: Dialect) -> Generator[None, None, None]:
    """Let errata speak a dialect in a server; if it was not installed, it is until the last call is over."""
    installation = find_installation(server)
    if installation is None:
        installation = install(server)
        _VISITS[installation] = 0
    if installation in _VISITS:
        _VISITS[installation] += 1
    try:
        with installation.setup.speak(dialect):
            yield
    finally:
        if installation in _VISITS:
            _VISITS[installation] -= 1
            if not _VISITS[installation]:
                del _VISITS[installation]
                installation.uninstall()
