"""Servers behind this one: a mount keeps the function behind a component to itself, and a proxy has none."""

from contextlib import suppress
from typing import Any, cast

from fastmcp import FastMCP

_NAMES = ("_original_name", "_original_uri", "_original_uri_template")
"""Where a component of a mounted server has the name that it has there, by what it is."""


async def find_behind(component: object) -> object:
    """Return the component behind mounted servers that has the function; None if that cannot be told."""
    if not _is_mounted(component):
        return component
    with suppress(Exception):  # It looks into another server, where anything may be at work; then it is not known.
        while _is_mounted(component):
            component = await _look_behind(component, _get_server(component))
        return component
    return None


def _get_server(component: object) -> FastMCP[Any]:
    return cast("FastMCP[Any]", cast("Any", component)._server)  # noqa: SLF001 - there is no other way in.


async def _look_behind(component: object, server: FastMCP[Any]) -> object:
    """Return the component of a mounted server that another one stands for."""
    kind, wanted = next((name, str(value)) for name in _NAMES if (value := getattr(component, name, None)))
    if kind == "_original_uri":
        return await server.get_resource(wanted)
    if kind == "_original_uri_template":
        return next(each for each in await server.list_resource_templates() if each.uri_template == wanted)
    is_tool = hasattr(component, "parameters")
    return await (server.get_tool(wanted) if is_tool else server.get_prompt(wanted))


def _is_mounted(component: object) -> bool:
    """Return whether a component stands for one of a mounted server: FastMCP 2 has no such thing, 3 and 4 have a class each."""
    is_one = any(getattr(component, name, None) for name in _NAMES)
    return is_one and isinstance(getattr(component, "_server", None), FastMCP)


def is_proxy(component: object) -> bool:
    """Return whether a tool stands for one of a server behind this one; the class moves from version to version."""
    return any(kind.__name__ == "ProxyTool" for kind in type(component).__mro__)
