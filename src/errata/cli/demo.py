"""`errata demo`: one failure, told in six languages, and four that nobody wrote."""

import argparse
import inspect
import json
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from errata import dialects
from errata._factories import rate_limited
from errata._fault import Fault, FaultError, Recovery
from errata._jsonable import as_object
from errata.classification import classify
from errata.cli._pages import DIALECTS
from errata.cli._terminal import paint
from errata.dialects import Dialect
from errata.dialects._incoming import ToolResult
from errata.dialects._sentences import retry_sentence
from errata.reading import decode

HELP: str = "tell one failure in six languages, and what becomes of those nobody wrote"

_LABEL = 17


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments."""
    del parser


def run(given: argparse.Namespace) -> int:
    """Print the page."""
    del given
    width = min(shutil.get_terminal_size().columns, 110)
    try:
        fetch_articles(["38052113", "37993487"])
    except FaultError as error:
        print("\n".join(_page(error.fault, width)))
    return 0


def fetch_articles(pmids: list[str]) -> list[str]:  # noqa: D103 - it is shown as it is.
    raise rate_limited(
        "NCBI allows three requests a second, and this was the fourth.",
        {"pmids": pmids},
        http_status=429,
        retry_after_ms=30_000,
        recovery=Recovery(
            hint="Wait 30 seconds, then ask for fewer PMIDs in one call.",
            fallback_tool="search_articles",
        ),
    )


def _page(fault: Fault, width: int) -> Iterator[str]:
    yield ""
    yield f"  {paint('errata', 'bold')}  one failure, told in six languages"
    yield f"\n  {paint('The tool', 'bold')} `fetch_articles` fails:\n"
    yield textwrap.indent("".join(inspect.getsourcelines(fetch_articles)[0][1:]).rstrip(), "  ")
    yield f"\n  {paint('Without errata', 'bold')} the agent reads this, and knows nothing:\n"
    yield f"      {paint('Error executing tool fetch_articles', 'red')}"
    yield f"\n  {paint('With errata', 'bold')} it reads one of these, whichever its client was written for:\n"
    for dialect in DIALECTS:
        yield from _box(dialect, fault, width)
    yield f"\n  {paint('Read back', 'bold')} by `errata.decode`, each is the same failure again:\n"
    yield from _readings(fault)
    yield f"\n  {paint('What you did not raise yourself', 'bold')} is understood as well, and no secret leaves:\n"
    for error in _unplanned():
        yield from _understood(error)
    yield f"\n  Next: {paint('errata explain RATE_LIMITED', 'cyan')}, {paint('errata explain --exception httpx.ReadTimeout', 'cyan')}\n"


def _box(dialect: Dialect, fault: Fault, width: int) -> Iterator[str]:
    yield f"  ┌─ {paint(dialect.name, 'bold', 'cyan')}  {paint(f'{dialect.source}: {dialect.about}', 'dim')}"
    for label, text in _surfaces(dialect.encode(fault)):
        wrapped = textwrap.wrap(text, max(width - _LABEL - 5, 30), break_long_words=True, break_on_hyphens=False)
        labels = [label, *[""] * (len(wrapped) - 1)]
        yield from (
            f"  │ {paint(f'{name:<{_LABEL}}', 'dim')} {part}" for name, part in zip(labels, wrapped, strict=True)
        )
    yield f"  └{'─' * (width - 4)}"


def _surfaces(result: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """List what a model may get to see: the text, unless it is the object again, and the object's members."""
    texts = [text for text in ToolResult(result).texts if not text.startswith("{")]
    lines = [line for text in texts for line in text.split("\n") if line]
    yield from zip(["text", *[""] * len(lines)], lines, strict=False)
    structured = as_object(result["structuredContent"])
    error = as_object(structured.get("error"))
    if "retry" in error:
        yield "object", "the same again in structuredContent, for programs"
        return
    members = {f"error.{key}": value for key, value in error.items()} or structured
    yield from ((name, json.dumps(value, ensure_ascii=False)) for name, value in members.items())


class VendorError(Exception):
    """An exception that errata has never heard of."""

    status: int = 429
    headers: Mapping[str, str] = MappingProxyType({"Retry-After": "12"})


def _unplanned() -> Iterator[Exception]:
    yield ConnectionRefusedError(111, "postgres://app:Harbor42@db1:5432 refused the connection")
    yield TimeoutError("The ledger did not answer within 5 s.")
    yield VendorError("Slow down, ann@acme.io.")
    yield KeyError("customer_ssn")


def _understood(error: Exception) -> Iterator[str]:
    fault = classify(error)
    said = [line for line in ToolResult(dialects.native.encode(fault)).texts[0].split("\n") if "Reference" not in line]
    yield f"      {paint(f'raise {error!r}', 'dim')}"
    yield from (f"        {paint(line, 'green') if line.startswith('Retry: yes') else line}" for line in said)


def _readings(fault: Fault) -> Iterator[str]:
    for dialect in DIALECTS:
        back = decode(dialect.encode(fault))
        if back is not None:
            verdict = paint(f"Retry: {retry_sentence(back)}", "green" if back.retryable else "yellow")
            yield f"      {dialect.name:<15} → {back.code}  {verdict}"
