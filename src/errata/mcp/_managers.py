"""What the SDK keeps to itself: the functions behind names, and which of its own it runs. Its managers have been at the same private places from 1.6 to 2.3.

`install(server, contracts={…})` is the way that does not need them; where they are gone, nothing is found.
"""

from typing import Any, cast

from errata.serving import Kind, was_raised_under


def find_tool(server: object, name: str) -> object:
    """Return the SDK's own object for a tool. A list of all tools holds the same, and takes a thousand times as long."""
    try:
        return cast("Any", server)._tool_manager.get_tool(name)  # noqa: SLF001 - see above.
    except AttributeError:
        return None


def find_function(server: object, kind: Kind, name: str) -> object:
    """Return the function behind the name of a tool or a prompt, or behind a URI; None if it cannot be found."""
    try:
        if kind is Kind.TOOL:
            return getattr(find_tool(server, name), "fn", None)
        if kind is Kind.PROMPT:
            return cast("Any", server)._prompt_manager.get_prompt(name).fn  # noqa: SLF001
        resources = cast("Any", server)._resource_manager  # noqa: SLF001
        resource = resources._resources.get(name) or next(  # noqa: SLF001
            template
            for template in resources.list_templates()
            if name == template.uri_template or template.matches(name) is not None
        )
    except (AttributeError, StopIteration, ValueError):
        return None
    return getattr(resource, "fn", None)


def is_about_result(error: BaseException) -> bool:
    """Return whether the SDK held a tool's result against what the tool promises: nothing is wrong with the arguments."""
    return was_raised_under("mcp.server", "convert_result", error)
