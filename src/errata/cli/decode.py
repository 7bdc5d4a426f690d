"""`errata decode`: what a server's answer means."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from errata.cli._terminal import complain, paint
from errata.dialects import (
    decode_needs_input,
    encode_needs_input,
    redact_fault,
    redact_question,
    write_lines,
    write_payload,
)
from errata.model import NeedsInput
from errata.reading import Reading, recognise
from errata.redaction import put_on_one_line

HELP: str = "read a tool result or a JSON-RPC message, or a JSON-lines file of them, and say what it means"


class _UnreadableError(Exception):
    """Some input cannot be read; `what` says why, `advice` what would help."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(what, advice)
        self.what = what
        self.advice = advice


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", metavar="FILE", help="a JSON or JSON-lines file, or - for standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object per message")
    parser.add_argument("--redact", action="store_true", help="hide secrets and personal data, to show it to others")


def run(given: argparse.Namespace) -> int:
    """Print what every message means, and complain about each one that cannot be read."""
    source = "standard input" if given.file == "-" else f"`{given.file}`"
    try:
        documents = _documents(_text(given.file, source))
    except _UnreadableError as error:
        return complain(error.what, error.advice)
    status = 0
    for line, document in documents:
        try:
            parsed = _parse(document, source, line)
        except _UnreadableError as error:
            status = complain(error.what, error.advice)
            continue
        batch = cast("list[object]", parsed) if isinstance(parsed, list) else [parsed]
        if not batch:
            status = complain(f"{source} holds an empty list", "put a tool result or a JSON-RPC message into it")
        for number, message in enumerate(batch, 1):
            title = f"line {line}" if len(documents) > 1 else f"message {number}" if len(batch) > 1 else None
            outcome = _read_message(message, hide=given.redact)
            print(_as_json(outcome) if given.json else _as_text(outcome, title))
    return status


def _text(name: str, source: str) -> str:
    try:
        content = _standard_input() if name == "-" else Path(name).read_bytes()
        text = content.decode(json.detect_encoding(content))
    except UnicodeDecodeError as error:
        what = f"{source} is not text: byte {error.start} is not {error.encoding.upper()}"
        raise _UnreadableError(what, "give it a JSON or JSON-lines file") from error
    except IsADirectoryError as error:
        raise _UnreadableError(f"{source} is a directory", "give it a file inside, one at a time") from error
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise _UnreadableError(
            f"cannot read {source}: {reason}", "check the path, or use - for standard input"
        ) from error
    if not text.strip():
        raise _UnreadableError(f"{source} is empty", "put a tool result or a JSON-RPC message into it")
    return text


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise _UnreadableError("standard input is closed", "pipe a message into it, or name a file")
    return sys.stdin.buffer.read()


def _documents(text: str) -> list[tuple[int, str]]:
    """Return the JSON documents in a text with their line numbers: the whole, or its lines if one of them is JSON."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not _is_json(text) and any(line.startswith("{") and _is_json(line) for _, line in lines):
        return lines
    return [(1, text)]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _parse(document: str, source: str, line: int) -> object:
    try:
        return json.loads(document)
    except json.JSONDecodeError as error:
        position = f"line {line + error.lineno - 1}, column {error.colno}"
        what = f"{source} is not JSON at {position}: {error.msg[0].lower()}{error.msg[1:]}"
        raise _UnreadableError(what, "check that it is complete and well-formed") from error
    except RecursionError as error:
        what = f"{source} is nested too deeply at line {line}"
        raise _UnreadableError(what, "cut out the part that matters and give it that") from error
    except ValueError as error:
        what = f"{source} has a number that is too long to be read at line {line}"
        raise _UnreadableError(what, "write the number as text, in quotes") from error


def _read_message(message: object, *, hide: bool) -> Reading | NeedsInput | None:
    """Return what a message means; if `hide`, redacted as for sending."""
    if reading := recognise(message):
        return reading._replace(fault=redact_fault(reading.fault)) if hide else reading
    question = decode_needs_input(message)
    return redact_question(question) if question and hide else question


def _as_json(outcome: Reading | NeedsInput | None) -> str:
    answer: dict[str, object] = {"failure": False}
    match outcome:
        case Reading():
            answer = {"failure": True, "dialect": outcome.dialect, **write_payload(outcome.fault)}
        case NeedsInput():
            answer["question"] = encode_needs_input(outcome)["structuredContent"]
        case None:
            pass
    return json.dumps(answer)  # ASCII, which survives every pipe and code page.


def _as_text(outcome: Reading | NeedsInput | None, title: str | None) -> str:
    lines = [paint(title, "bold")] if title else []
    match outcome:
        case Reading():
            lines += _failure(outcome)
        case NeedsInput():
            lines += _question(outcome)
        case None:
            lines.append(paint("Not a failure.", "green"))
    return "\n".join(lines) + ("\n" if title else "")


def _failure(reading: Reading) -> Iterator[str]:
    fault = reading.fault
    first, *others = write_lines(fault).split("\n")
    yield paint(first, "bold", "red")
    yield from others
    facts = {"Field": fault.field, "Reason": fault.reason, "Upstream status": fault.http_status, "Origin": fault.origin}
    yield from (f"{label}: {put_on_one_line(str(fact))}" for label, fact in facts.items() if fact is not None)
    if fault.data:
        yield put_on_one_line(f"Data: {json.dumps(fault.data, ensure_ascii=False)}")
    yield paint(f"Dialect: {reading.dialect}", "dim")


def _question(question: NeedsInput) -> Iterator[str]:
    yield paint(f"Not a failure but a question: {put_on_one_line(question.message)}", "yellow")
    yield f"Asks for: {put_on_one_line(', '.join(question.fields))}"
    for name, values in question.suggestions.items():
        yield put_on_one_line(f"- {name}: {json.dumps(values, ensure_ascii=False)}")
