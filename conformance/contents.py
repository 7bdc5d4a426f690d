"""The suite's fixtures that answer by themselves: every kind of content, resources, prompts, progress and one error."""

import base64
from typing import Annotated

import anyio
from mcp import types
from mcp.server.mcpserver import Audio, Context, Image, MCPServer, UserMessage
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

A_MOMENT_S = 0.05
RED_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)
SILENCE = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=")

RICH_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def add_to(server: MCPServer) -> None:
    """Offer all of them."""
    for tool in (
        test_simple_text,
        test_image_content,
        test_audio_content,
        test_embedded_resource,
        test_multiple_content_types,
        test_tool_with_logging,
        test_logging_tool,
        test_tool_with_progress,
        test_error_handling,
        test_reconnection,
        test_header_from_argument,
    ):
        server.add_tool(tool)
    for prompt in (
        test_simple_prompt,
        test_prompt_with_arguments,
        test_prompt_with_embedded_resource,
        test_prompt_with_image,
    ):
        server.prompt()(prompt)
    server.resource("test://static-text", mime_type="text/plain")(static_text)
    server.resource("test://static-binary", mime_type="image/png")(static_binary)
    server.resource("test://watched-resource", mime_type="text/plain")(watched_resource)
    server.resource("test://template/{id}/data", mime_type="application/json")(template_data)
    server.completion()(complete)


def tool_with_a_rich_schema() -> Tool:
    """Make the tool whose schema no Python signature can say."""

    def json_schema_2020_12_tool() -> str:
        """Have a schema with many of the keywords of JSON Schema 2020-12."""
        return "The schema is the point."

    return Tool.from_function(json_schema_2020_12_tool).model_copy(update={"parameters": RICH_SCHEMA})


def test_simple_text() -> str:
    """Return one text."""
    return "This is a simple text response for testing."


def test_image_content() -> Image:
    """Return one image."""
    return Image(data=RED_DOT, format="png")


def test_audio_content() -> Audio:
    """Return one sound."""
    return Audio(data=SILENCE, format="wav")


def test_embedded_resource() -> types.EmbeddedResource:
    """Return one resource."""
    return _resource("test://embedded-resource", "This is an embedded resource content.")


def test_multiple_content_types() -> list[types.ContentBlock]:
    """Return a text, an image and a resource."""
    return [
        types.TextContent(text="Multiple content types test:"),
        Image(data=RED_DOT, format="png").to_image_content(),
        _resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ]


async def test_tool_with_logging(ctx: Context) -> str:
    """Log three times on the way."""
    await ctx.info("Tool execution started")
    await anyio.sleep(A_MOMENT_S)
    await ctx.info("Tool processing data")
    await anyio.sleep(A_MOMENT_S)
    await ctx.info("Tool execution completed")
    return "Logged three times."


async def test_logging_tool(ctx: Context) -> str:
    """Log once, which only those who asked for it may hear."""
    await ctx.info("Who asked for this?")
    return "Logged once."


async def test_tool_with_progress(ctx: Context) -> str:
    """Report progress three times."""
    await ctx.report_progress(0, 100)
    await anyio.sleep(A_MOMENT_S)
    await ctx.report_progress(50, 100)
    await anyio.sleep(A_MOMENT_S)
    await ctx.report_progress(100, 100)
    return "Reported three times."


def test_error_handling() -> str:
    """Fail, always."""
    raise RuntimeError("This tool intentionally returns an error for testing")


async def test_reconnection(ctx: Context) -> str:
    """Close the stream, and answer when the client has come back for it."""
    await ctx.close_sse_stream()
    await anyio.sleep(A_MOMENT_S)
    return "Welcome back."


def test_header_from_argument(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """Take an argument that also travels as a header."""
    return f"The region is {region}."


def static_text() -> str:
    """Say always the same."""
    return "This is the content of the static text resource."


def static_binary() -> bytes:
    """Show always the same."""
    return RED_DOT


def watched_resource() -> str:
    """Be watched."""
    return "Nothing has happened yet."


def template_data(id: str) -> dict[str, object]:  # noqa: A002 - the suite names the variable.
    """Say which id was asked for."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


def test_simple_prompt() -> str:
    """Say one sentence."""
    return "This is a simple prompt for testing."


def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Repeat both arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite's spelling.
    """Bring a resource."""
    return [
        UserMessage(_resource(resourceUri, "Embedded resource content for testing.")),
        UserMessage("Please process the embedded resource above."),
    ]


def test_prompt_with_image() -> list[UserMessage]:
    """Bring an image."""
    return [UserMessage(Image(data=RED_DOT, format="png")), UserMessage("Please analyze the image above.")]


async def complete(
    _ref: types.PromptReference | types.ResourceTemplateReference,
    argument: types.CompletionArgument,
    _context: types.CompletionContext | None,
) -> types.Completion:
    """Suggest words that begin with what was typed."""
    words = [word for word in ("paris", "park", "party", "test") if word.startswith(argument.value)]
    return types.Completion(values=words, total=len(words), has_more=False)


def _resource(uri: str, text: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, text=text, mime_type=mime_type))
