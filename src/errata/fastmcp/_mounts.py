"""Servers that are mounted in one another: a mount keeps the function behind a component to itself."""

from contextlib import suppress
from typing import Any, cast

from fastmcp import FastMCP
from fastmcp.prompts.base import Prompt
from fastmcp.resources.base import Resource
from fastmcp.server.providers.fastmcp_provider import (
    FastMCPProviderPrompt,
    FastMCPProviderResource,
    FastMCPProviderResourceTemplate,
    FastMCPProviderTool,
)
from fastmcp.tools.base import Tool

_MOUNTED = (FastMCPProviderTool, FastMCPProviderPrompt, FastMCPProviderResource, FastMCPProviderResourceTemplate)


async def find_behind(component: object) -> object:
    """Return the component behind mounted servers that has the function; None if that cannot be told."""
    if not isinstance(component, _MOUNTED):
        return component
    with suppress(Exception):  # It looks into another server, where anything may be at work; then it is not known.
        while isinstance(component, _MOUNTED):
            component = await _look_behind(component, _get_server(component))
        return component
    return None


def _get_server(component: object) -> FastMCP[Any]:
    return cast("FastMCP[Any]", cast("Any", component)._server)  # noqa: SLF001 - there is no other way in.


async def _look_behind(component: object, server: FastMCP[Any]) -> object:
    names = ("_original_name", "_original_uri", "_original_uri_template")
    wanted = next(name for name in (getattr(component, name, None) for name in names) if name)
    if isinstance(component, Tool):
        return await server.get_tool(wanted)
    if isinstance(component, Prompt):
        return await server.get_prompt(wanted)
    if isinstance(component, Resource):
        return await server.get_resource(wanted)
    return next(each for each in await server.list_resource_templates() if each.uri_template == wanted)
