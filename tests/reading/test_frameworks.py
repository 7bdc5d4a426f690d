"""What agent frameworks make of a failed call: is it read although they drop most of it?

Their packages are not installed here; these objects have the names and the members of theirs.
"""

import dataclasses
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from pydantic import BaseModel

from errata import Code, Fault, FaultError, Retry, decode
from errata.client import FixArguments, decide
from errata.dialects import Trust, native
from errata.model import FieldIssue
from errata.reading import recognise

FAULT = Fault(code=Code.MISSING_REQUIRED_FIELD, message="`n` is required.", issues=[FieldIssue("n", "is required")])
LINES = native.encode(FAULT)["content"][0]["text"]
PROSE = "Too many requests, please try again in 20 seconds"


class ToolMessage(BaseModel):
    """The members of LangChain's message."""

    content: str | Sequence[str | dict[str, object]]
    tool_call_id: str
    status: str = "success"
    type: str = "tool"
    name: str | None = None
    artifact: object = None


@dataclasses.dataclass
class ToolFailure:
    """The member of CrewAI's object that matters."""

    message: str


class ToolException(Exception):  # noqa: N818 - LangChain's name.
    """LangChain's exception."""


class ToolError(Exception):
    """FastMCP's exception."""


class McpError(Exception):
    """The exception of mcp 1.x."""

    def __init__(self, code, message):
        super().__init__(message)
        self.error = SimpleNamespace(code=code, message=message, data=None)


WAYS = {
    "a message with a text": lambda text: ToolMessage(content=text, status="error", tool_call_id="1"),
    "a message with blocks": lambda text: ToolMessage(
        content=[{"type": "text", "text": text, "id": "lc_1"}], status="error", tool_call_id="1"
    ),
    "a message with a list of texts": lambda text: ToolMessage(content=[text], status="error", tool_call_id="1"),
    "a message with an artifact": lambda text: ToolMessage(
        content=text, status="error", tool_call_id="1", artifact=object()
    ),
    "a message as JSON": lambda text: ToolMessage(content=[text], status="error", tool_call_id="1").model_dump(),
    "a message as JSON with blocks": lambda text: {
        "content": [{"type": "text", "text": text}],
        "status": "error",
        "tool_call_id": "1",
    },
    "ToolException": ToolException,
    "ToolError": ToolError,
    "ToolFailure": ToolFailure,
}


@pytest.mark.parametrize("wrap", WAYS.values(), ids=WAYS)
def test_the_lines_of_a_server_with_errata_are_read(wrap):
    fault = decode(wrap(LINES))

    assert (fault.code, fault.message, fault.field, fault.retry) == (FAULT.code, FAULT.message, "n", FAULT.retry)
    assert isinstance(decide(wrap(LINES)), FixArguments)


@pytest.mark.parametrize("wrap", WAYS.values(), ids=WAYS)
def test_the_prose_of_any_other_server_is_read_as_that_of_an_error(wrap):
    reading = recognise(wrap(PROSE))

    assert (reading.fault.code, reading.fault.retry_after_ms) == (Code.RATE_LIMITED, 20_000)
    assert reading.word < Trust.DATA
    assert reading.fault.retry is Retry.IF_HARMLESS


def test_a_message_of_a_call_that_worked_is_a_success():
    assert decode(ToolMessage(content="3 hits", tool_call_id="1")) is None
    assert decode(ToolMessage(content=["disk full"], tool_call_id="1").model_dump()) is None


def test_an_exception_is_never_a_success():
    assert decode(ValueError("3 hits")).code is Code.UNKNOWN_ERROR
    assert decode(TimeoutError()).code is Code.TIMEOUT
    assert decode(KeyboardInterrupt()) is not None


def test_the_exception_of_an_sdk_is_read_as_the_json_rpc_error_that_it_was_made_from():
    assert decode(McpError(-32602, "Unknown tool: pay")) == decode({"code": -32602, "message": "Unknown tool: pay"})


def test_an_exception_of_errata_has_its_fault():
    assert decode(FaultError.from_fault(FAULT)) == FAULT


class _Unspeakable(Exception):  # noqa: N818 - it is a name in a test.
    def __str__(self):
        raise RuntimeError


def test_an_exception_without_a_text_does_no_harm():
    assert decode(_Unspeakable()) is not None


def test_a_text_alone_and_an_unknown_object_are_not_read():
    assert decode(LINES) is None
    assert decode(object()) is None


def test_the_step_of_an_exception_is_that_of_its_text():
    assert decide(ToolError("Insufficient permissions")) == decide(
        {"isError": True, "content": [{"type": "text", "text": "Insufficient permissions"}]}
    )
