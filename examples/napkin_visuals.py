"""Pictures from text, by way of Napkin: an MCP server that fails in the dialect `mcp-tool-error`.

    python examples/napkin_visuals.py              on stdin and stdout
    python examples/napkin_visuals.py --http 8000  at http://127.0.0.1:8000/mcp

It calls the API at NAPKIN_URL with NAPKIN_API_KEY. Without a NAPKIN_URL it starts one of its own that fails when told
to: ask for the status of the visual `answer-503`, `answer-429-after-17`, `answer-garbage`, `answer-hang` or
`answer-close`.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import httpx2
from annotations import MAKES, READS
from fastmcp import FastMCP
from pydantic import Field, TypeAdapter, ValidationError
from running import run
from settings import setting
from upstreams.napkin import napkin

import errata
from errata import Fault, FaultError, Retry, serialization_error
from errata.http import fetch_with_timeout

PATIENCE_S = 1.0
TLS = httpx2.create_ssl_context()  # Reading the certificates for every call would take longer than the call.

server = FastMCP("napkin-visuals")
installed = errata.install(server, dialect="mcp-tool-error")

Content = Annotated[str, Field(description="The text to show, of 5,000 characters at most.")]
Style = Literal["blueprint", "corporate", "sketch"]
# It goes into a path. Quoting would not do: it leaves `..` as it is, and httpx2 walks up with that.
VisualId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="The id that create_visual gave.")]
T = TypeVar("T")


@dataclass
class Visual:
    """A visual that was ordered."""

    id: str
    status: Literal["pending", "completed"]


@dataclass
class Picture:
    """A visual that is done."""

    id: str
    media_type: str
    base64: str


@server.tool(annotations=MAKES)
async def create_visual(content: Content, style: Style = "sketch") -> Visual:
    """Order a visual of a text. It is made within seconds: ask visual_status until it is completed."""
    try:
        return await ask_napkin(Visual, "POST", "/v1/visual", json={"content": content, "style": style})
    except FaultError as error:
        if error.fault.retry is not Retry.IF_HARMLESS:
            raise
        advice = "Napkin may be making the visual all the same: order it again only if a second one does no harm."
        raise worded(error.fault, advice) from error


@server.tool(annotations=READS)
async def visual_status(visual_id: VisualId) -> Visual:
    """Tell how far a visual is: pending or completed."""
    return await ask_napkin(Visual, "GET", f"/v1/visual/{visual_id}/status")


@server.tool(annotations=READS)
async def download_visual(visual_id: VisualId) -> Picture:
    """Fetch a visual that is completed."""
    return await ask_napkin(Picture, "GET", f"/v1/visual/{visual_id}/file")


async def ask_napkin(kind: type[T], method: str, path: str, **request: Any) -> T:  # noqa: ANN401 - httpx2 checks it.
    """Call Napkin's API, and read its answer; whatever goes wrong is raised as a FaultError."""
    url, key = setting("NAPKIN_URL"), setting("NAPKIN_API_KEY")
    async with httpx2.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}, verify=TLS) as client:
        try:
            response = await fetch_with_timeout(
                path, client=client, method=method, timeout_ms=int(PATIENCE_S * 1000), service="Napkin", **request
            )
        except FaultError as error:
            wait_ms = error.fault.retry_after_ms
            if wait_ms is None or not error.fault.retryable:
                raise
            raise worded(error.fault, f"Repeat the call after {math.ceil(wait_ms / 1000)} s.") from error
    return read(kind, response)


def read(kind: type[T], response: httpx2.Response) -> T:
    """Read what Napkin answered; what cannot be read is its mistake, and no agent can mend it."""
    try:
        return TypeAdapter(kind).validate_python(response.json())
    except ValueError as error:
        is_json = isinstance(error, ValidationError)
        answer = f"JSON that is no {kind.__name__.lower()}" if is_json else "something that is not JSON"
        raise serialization_error(
            f"Napkin answered with {answer}. Tell the user that Napkin is out of order."
        ) from error


def worded(fault: Fault, advice: str) -> FaultError:
    """Add to the message what `mcp-tool-error`'s object has no member for."""
    return FaultError.from_fault(dataclasses.replace(fault, message=f"{fault.message} {advice}"))


if __name__ == "__main__":
    run(server, installed.uninstall, NAPKIN_URL=napkin, NAPKIN_API_KEY="nk-sandbox-5f2c81d09e")
