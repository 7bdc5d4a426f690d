"""Servers that are mounted in one another, looked through to what has the function."""

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


async def found_behind(found: object) -> object:
    """Look through servers that are mounted in one another to what has the function, which a mount keeps to itself."""
    with suppress(Exception):  # It looks into another server, where anything may be at work; then it is not known.
        while isinstance(found, _MOUNTED):
            found = await _one_behind(found, _server_of(found))
        return found
    return None


def _server_of(found: object) -> FastMCP[Any]:
    return cast("FastMCP[Any]", cast("Any", found)._server)  # noqa: SLF001 - there is no other way in.


async def _one_behind(found: object, server: FastMCP[Any]) -> object:
    names = ("_original_name", "_original_uri", "_original_uri_template")
    wanted = next(name for name in (getattr(found, name, None) for name in names) if name)
    if isinstance(found, Tool):
        return await server.get_tool(wanted)
    if isinstance(found, Prompt):
        return await server.get_prompt(wanted)
    if isinstance(found, Resource):
        return await server.get_resource(wanted)
    return next(each for each in await server.list_resource_templates() if each.uri_template == wanted)
