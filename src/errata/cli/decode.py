"""`errata decode`: what a server's answer means."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from errata._fault import NeedsInput
from errata.cli._terminal import complain, paint
from errata.dialects import decode_needs_input, encode_needs_input
from errata.dialects._canonical import to_object
from errata.dialects._lines import lines_of
from errata.dialects._sentences import one_line
from errata.reading import Reading, recognise

HELP: str = "read a tool result or a JSON-RPC message, or a JSON-lines file of them, and say what it means"


class _UnreadableError(Exception):
    """The input is not what it should be; the arguments say what it is and what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", help="a JSON or JSON-lines file, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object a message")


def run(given: argparse.Namespace) -> int:
    """Read every message and print what it means; what cannot be read is said at the end of its turn."""
    name: str = given.file
    unreadable = 0
    try:
        messages = list(_messages(_text(name), "standard input" if name == "-" else f"`{name}`"))
    except _UnreadableError as trouble:
        return complain(trouble.what, trouble.advice)
    for number, message in enumerate(messages, 1):
        if isinstance(message, _UnreadableError):
            unreadable = complain(message.what, message.advice)
        else:
            print(_as_json(message) if given.json else _as_text(message, number if len(messages) > 1 else None))
    return unreadable


def _text(name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as error:
        raise _UnreadableError(
            f"`{name}` is not text: byte {error.start} is not {error.encoding.upper()}",
            "give it a JSON or JSON-lines file",
        ) from error
    except IsADirectoryError as error:
        raise _UnreadableError(f"`{name}` is a directory", "give it a file inside, one at a time") from error
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise _UnreadableError(
            f"cannot read `{name}`: {reason}", "check the path, or use - for standard input"
        ) from error


def _messages(text: str, source: str) -> Iterator[object]:
    """Take the input for one JSON document; if it is none, for one a line."""
    if not text.strip():
        raise _UnreadableError(f"{source} is empty", "put a tool result or a JSON-RPC message into it")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    whole = _parsed(text, source)
    if not isinstance(whole, _UnreadableError):
        yield from whole if isinstance(whole, list) else [whole]
    elif len(lines) == 1 or isinstance(_parsed(lines[0][1], source), _UnreadableError):
        raise whole
    else:
        yield from (_parsed(line, f"{source}, line {number},") for number, line in lines)


def _parsed(text: str, source: str) -> object:
    advice = "check that it is complete, well-formed JSON"
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return _UnreadableError(f"{source} is not JSON: {error.msg[0].lower()}{error.msg[1:]} at {place}", advice)
    except RecursionError:
        return _UnreadableError(f"{source} is nested too deeply to be read", advice)
    except ValueError as error:
        return _UnreadableError(f"{source} is not JSON that can be read: {error}", advice)


def _as_json(message: object) -> str:
    answer: dict[str, object] = {"failure": False}
    if reading := recognise(message):
        answer = {"failure": True, "language": reading.language, "fault": to_object(reading.fault)}
    elif question := decode_needs_input(message):
        answer["question"] = encode_needs_input(question)["structuredContent"]
    return json.dumps(answer, ensure_ascii=False)


def _as_text(message: object, number: int | None) -> str:
    lines = [paint(f"message {number}", "bold")] if number else []
    if reading := recognise(message):
        lines += _failure(reading)
    elif question := decode_needs_input(message):
        lines += _question(question)
    else:
        lines.append(paint("Not a failure.", "green"))
    return "\n".join(lines) + ("\n" if number else "")


def _failure(reading: Reading) -> Iterator[str]:
    language = "in no dialect errata knows" if reading.language == "none" else f"in the language `{reading.language}`"
    first, *others = lines_of(reading.fault).split("\n")
    yield paint(first, "bold", "red")
    yield from others
    fault = reading.fault
    facts = {"Field": fault.field, "Reason": fault.reason, "Upstream status": fault.http_status, "Origin": fault.origin}
    yield from (f"{label}: {one_line(str(fact))}" for label, fact in facts.items() if fact is not None)
    if fault.data:
        yield f"Data: {json.dumps(fault.data, ensure_ascii=False)}"
    yield paint(f"(said {language})", "dim")


def _question(question: NeedsInput) -> Iterator[str]:
    yield paint(f"Not a failure but a question: {one_line(question.message)}", "yellow")
    yield f"Asks for: {one_line(', '.join(question.fields))}"
    yield from (f"- {name}: {json.dumps(values, ensure_ascii=False)}" for name, values in question.suggestions.items())
