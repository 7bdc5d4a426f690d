"""Patterns for Python programs, and a review of code by them: an MCP server that fails in the dialect `tool-error-v1`.

    python examples/pattern_library.py              on stdin and stdout
    python examples/pattern_library.py --http 8000  at http://127.0.0.1:8000/mcp

It reads the library at PATTERNS_URL, with PATTERNS_API_KEY if that is set. Without a URL it starts a library of its own
that fails when told to: get the pattern `answer-503`, search for `answer-hang`, or look into the category `team`. Get a
pattern that is not there, and it asks back.
"""

import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from http import HTTPStatus
from itertools import groupby
from typing import Annotated, Literal, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import httpx2
from annotations import READS
from anyio import to_thread
from code_rules import RULES, SEVERITIES, Finding, Source, analyze
from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from mcp_types import TextContent
from pydantic import Field, TypeAdapter, ValidationError
from running import run
from settings import setting
from upstreams.patterns import patterns

import errata
from errata import Code, FaultError, NeedsInput, answers, validation_error
from errata.http import error_from_response

PATIENCE_S = 1.0
MOST_HITS = 8
LONGEST_ID = 100
# It goes into a path. Quoting alone would not do: it leaves `..` as it is, and httpx2 walks up with that.
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9 _-]{{0,{LONGEST_ID - 1}}}")
LONGEST_QUOTE = 60
LEADS = {400: "Invalid request", 401: "Authentication required", 404: "Resource not found"}

Format: TypeAlias = Literal["markdown", "json", "both"]
CodeText: TypeAlias = Annotated[
    str, Field(max_length=100_000, description="Python source, one module or a part of one")
]

server = FastMCP("pattern-library")
installed = errata.install(server, dialect="tool-error-v1")
http = httpx2.AsyncClient(timeout=PATIENCE_S)


@dataclass
class Pattern:
    """One pattern of the library."""

    id: str
    title: str
    category: str
    difficulty: Literal["beginner", "intermediate", "advanced"]
    tags: list[str]
    summary: str
    example: str

    def markdown(self) -> str:
        """Write it for a person."""
        facts = " · ".join([f"`{self.id}`", self.category, self.difficulty, ", ".join(self.tags)])
        return f"# {self.title}\n\n{facts}\n\n{self.summary}\n\n```python\n{self.example}```"


@dataclass
class Hits:
    """What a search found, the best first."""

    total: int
    categories: dict[str, int]
    patterns: list[Pattern]

    def markdown(self) -> str:
        """Write it for a person."""
        if not self.patterns:
            return "No pattern matches. Search for fewer or more general words, such as `retry` or `timeout`."
        lines = [f"- `{found.id}` ({found.category}): {found.summary}" for found in self.patterns]
        return "\n".join([f"{len(lines)} of {counted(self.total, 'pattern')}:", "", *lines])


@dataclass
class Explanation:
    """What the library says when it refuses something."""

    message: str = "the library does not say why"
    nearest: list[str] = field(default_factory=list[str])


Read = TypeVar("Read", Hits, Pattern)
HITS, PATTERN, EXPLANATION = TypeAdapter(Hits), TypeAdapter(Pattern), TypeAdapter(Explanation)


@server.tool(annotations=READS, output_schema=HITS.json_schema())
async def search_patterns(
    query: Annotated[str | None, Field(max_length=200, description="words, all of which must match")] = None,
    category: Annotated[str | None, Field(max_length=50, description="where to look; everywhere if left out")] = None,
    limit: Annotated[int | None, Field(description="the most to return, from 1 to 100")] = None,
    format: Format = "markdown",
) -> ToolResult:
    """Find patterns by words. A search without a limit that finds a lot asks which category is meant."""
    query, category = answered("query") or query, answered("category") or category
    if not query and not category:
        raise NeedsInput(
            "What should the pattern be about? Name a problem or a technique, such as `retry` or `error handling`.",
            fields=["query"],
            reason="missing_query",
            suggestions={"query": ["retry", "timeout", "error handling", "asyncio", "database"]},
        )
    if category and not NAME.fullmatch(category):
        raise validation_error(
            f"There is no category {named(category)}. Search without one to see those that exist.", field="category"
        )
    path = f"/api/patterns/{quote(category)}" if category else "/api/patterns"
    hits = read(await ask_library(path, query=query or "", limit="100" if limit is None else str(limit)), HITS)
    if limit is None and hits.total > MOST_HITS and len(hits.categories) > 1:
        raise too_many(hits)
    return told(hits, format)


@server.tool(annotations=READS, output_schema=PATTERN.json_schema())
async def get_pattern(
    pattern_id: Annotated[str | None, Field(description="as `search_patterns` gives it, e.g. circuit-breaker")] = None,
    format: Format = "markdown",
) -> ToolResult:
    """Read one pattern, with its example. Asks which one is meant if there is none of that id."""
    pattern_id = answered("pattern_id") or pattern_id
    if not pattern_id:
        raise which_pattern("No pattern is named.", "missing_pattern_id", [])
    if not NAME.fullmatch(pattern_id):
        raise which_pattern(f"There is no pattern {named(pattern_id)}.", "not_found", [])
    response = await ask_library(f"/api/pattern/{quote(pattern_id)}")
    if response.status_code == HTTPStatus.NOT_FOUND:
        raise which_pattern(f"There is no pattern {named(pattern_id)}.", "not_found", explanation(response).nearest)
    return told(read(response, PATTERN), format)


@server.tool(annotations=READS)
def list_analysis_rules() -> str:
    """List what `analyze_code` and `review_code` look for."""
    rows = [f"| `{rule.id}` | {rule.severity} | {rule.about} |" for rule in RULES.values()]
    return "\n".join(["| rule | severity | what it finds |", "|---|---|---|", *rows])


@server.tool(annotations=READS)
async def analyze_code(
    code: CodeText,
    rules: Annotated[list[str] | None, Field(description="ids from `list_analysis_rules`; all if left out")] = None,
) -> str:
    """Find what is likely to go wrong in Python code, line by line. The code is read and not run."""
    chosen = list(RULES) if rules is None else list(dict.fromkeys(map(known_rule, rules)))
    found = await findings(code, chosen)
    lines = [f"- line {each.line}: {each.message} ({each.severity}, `{each.rule}`)" for each in found]
    return "\n".join([f"{counted(len(found), 'finding')} by {counted(len(chosen), 'rule')}.", *lines])


@server.tool(annotations=READS)
async def review_code(code: CodeText) -> str:
    """Advise what to change in Python code first, with the patterns of the library that show how."""
    found = sorted(await findings(code, RULES), key=lambda each: (SEVERITIES.index(each.severity), each.rule))
    if not found:
        return f"Nothing to change by {counted(len(RULES), 'rule')}."
    wanted = sorted({pattern for each in found for pattern in RULES[each.rule].patterns})
    library = read(await ask_library("/api/patterns", ids=",".join(wanted)), HITS)
    titles = {pattern.id: pattern.title for pattern in library.patterns}
    by_rule = [list(group) for _, group in groupby(found, key=lambda each: each.rule)]
    return "\n".join(f"{place}. {advice(group, titles)}" for place, group in enumerate(by_rule, 1))


async def findings(code: str, rules: Iterable[str]) -> list[Finding]:
    """Hold code against rules. That can take a second, and in a thread nobody else has to wait for it."""
    return await to_thread.run_sync(lambda: analyze(parsed(code), rules))


async def ask_library(path: str, **query: str) -> httpx2.Response:
    """Ask the library. errata knows what a broken connection means; `tool-error-v1` says how it is reported."""
    has_key = os.environ.get("PATTERNS_API_KEY")
    headers = {"Authorization": f"Bearer {setting('PATTERNS_API_KEY')}"} if has_key else {}
    url = f"{setting('PATTERNS_URL')}{path}?{urlencode(query, errors='replace')}"
    try:
        return await http.get(url, headers=headers)
    except httpx2.RequestError as error:
        fault = errata.classify(error)
        why = "Request timeout" if fault.code is Code.TIMEOUT else fault.message
        raise FaultError.from_fault(replace(fault, message=f"Network error: {why}")) from error


def read(response: httpx2.Response, expected: TypeAdapter[Read]) -> Read:
    """Read what the library answered; raises what it answered instead."""
    if response.is_error:
        raise refused(response)
    try:
        return expected.validate_json(response.content)
    except ValidationError as error:
        raise FaultError(Code.UNKNOWN_ERROR, "Unknown error occurred") from error


def refused(response: httpx2.Response) -> FaultError:
    """Say what the library refused, and why in its own words. Nothing else of its answer goes on from here."""
    status = response.status_code
    lead = LEADS.get(status) or response.reason_phrase.capitalize() or f"Status {status}"
    why = quote(response.url.path) if status == HTTPStatus.NOT_FOUND else explanation(response).message
    fault = error_from_response(response, capture_body=False).fault
    return FaultError.from_fault(replace(fault, message=f"{lead}: {why}"))


def explanation(response: httpx2.Response) -> Explanation:
    """Read what the library says about a refusal; a proxy in between may say something else altogether."""
    try:
        return EXPLANATION.validate_json(response.content)
    except ValidationError:
        return Explanation()


def answered(field: str) -> str | None:
    """Read what a person answered to a question that this call asked before."""
    answer = answers().get(field)
    return answer if isinstance(answer, str) else None


def too_many(hits: Hits) -> NeedsInput:
    """Ask for a category, of those that have hits."""
    options = [{"label": f"{name} ({count})", "value": name} for name, count in hits.categories.items()]
    return NeedsInput(
        f"{hits.total} patterns match. Which `category` should it be: {', '.join(each['label'] for each in options)}?",
        fields=["category"],
        reason="too_many_results",
        suggestions={"category": list(hits.categories)},
        options=options,
    )


def which_pattern(what: str, reason: str, nearest: list[str]) -> NeedsInput:
    """Ask for an id, and offer those that may have been meant."""
    names = " or ".join(f"`{each}`" for each in nearest)
    next_step = f"Did you mean {names}?" if names else "Which one do you mean? Find its id with `search_patterns`."
    return NeedsInput(
        f"{what} {next_step}",
        fields=["pattern_id"],
        reason=reason,
        suggestions={"pattern_id": nearest} if nearest else None,
    )


def told(found: Hits | Pattern, format: Format) -> ToolResult:
    """Answer as the caller wants it: the same rule that errata follows for failures."""
    data = asdict(found)
    human, machine = found.markdown(), json.dumps(data, indent=2, ensure_ascii=False)
    texts = {"markdown": [human], "json": [machine], "both": [human, machine]}[format]
    return ToolResult([TextContent(type="text", text=text) for text in texts], structured_content=data)


def parsed(code: str) -> Source:
    """Parse code, or say where that fails."""
    try:
        return Source(code)
    except SyntaxError as error:
        raise not_python(error.msg.rstrip(".?"), error.lineno, error.offset) from error
    except (RecursionError, MemoryError) as error:
        raise not_python("it is nested too deeply") from error
    except ValueError as error:  # Of a null byte, in some versions of Python.
        raise not_python(str(error)) from error


def not_python(why: str, line: int | None = None, column: int | None = None) -> FaultError:
    """Say that code does not parse, and where, if that is known."""
    where = f" at line {line}, column {column}" if line else ""
    message = f"`code` is not Python{where}: {why}. Correct {'that line' if line else 'it'} and call this tool again."
    return FaultError(Code.INVALID_FORMAT, message, {"line": line, "column": column} if line else None, field="code")


def known_rule(name: str) -> str:
    """Give back the id of a rule, if it is one."""
    if name in RULES:
        return name
    near = " or ".join(f"`{each}`" for each in get_close_matches(name[:LONGEST_ID], RULES))
    next_step = f"Did you mean {near}?" if near else "See `list_analysis_rules` for those that exist."
    raise validation_error(f"`rules` names {named(name)}, which is no rule. {next_step}", field="rules")


def advice(findings: list[Finding], titles: dict[str, str]) -> str:
    """Say what is wrong in which lines, and where to read how it is done better."""
    rule = RULES[findings[0].rule]
    lines = ", ".join(str(each.line) for each in findings)
    shown = [f"`{pattern}` ({titles[pattern]})" for pattern in rule.patterns if pattern in titles]
    return (
        f"**{rule.severity}**, `{rule.id}`, {'line' if len(findings) == 1 else 'lines'} {lines}: {rule.about}\n"
        f"   - {findings[0].message}\n"
        f"   - Read with `get_pattern`: {', '.join(shown)}"
    )


def named(given: str) -> str:
    """Quote what a caller gave, as far as it can be shown."""
    start = "".join(each if each.isprintable() and each != "`" else "?" for each in given[:LONGEST_QUOTE])
    return f"`{start}{'…' if len(given) > LONGEST_QUOTE else ''}`"


def counted(number: int, noun: str) -> str:
    """Say how many there are."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    run(server, installed.uninstall, PATTERNS_URL=patterns)
