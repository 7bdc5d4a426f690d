"""Values whose names stand elsewhere: above them in a table, before them in SQL, behind them in a validator's sentence.

Every finder walks through the text once, and looks no further than a fixed number of letters around what it stopped at.
"""

import re
from array import array
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from errata.redaction._key_value_pairs import find_pairs, find_repeats
from errata.redaction._spans import QUOTE, Span, View, ViewBuilder, compile_late
from errata.redaction._telling_names import Promise, read_promise, read_promise_in
from errata.redaction._value_looks import Manner, is_machine_made, is_placeholder, is_worth_hiding

_FURTHEST = 4_096
"""How far a list, a statement or a row goes at most."""
_MOST_COLUMNS = 64
_LEAST_CHOSEN = 6
_LINES_ABOVE = 12


def find_rows(text: str, lower: str) -> Iterator[Span]:
    """Find values that a table, a statement or a sentence gives a telling name."""
    finders = (
        _find_in_statements,
        _find_in_lists,
        _find_in_tables,
        _find_underlined,
        _find_copied,
        _find_in_manifests,
        _find_nested,
        _find_marked_up,
        _find_in_sentences,
        _find_validated,
        _find_pointed_at,
        _find_in_failing_rows,
    )
    spans = [span for find in finders for span in find(text, lower)]
    return iter(sorted([*spans, *find_repeats(text, spans)]))


def find_table_cells(text: str, lower: str) -> Iterator[Span]:
    """Find values that a table gives a telling name, and nothing else does."""
    spans = [*_find_in_tables(text, lower), *_find_underlined(text, lower)]
    return iter(sorted([*spans, *find_repeats(text, spans)]))


class _Item(NamedTuple):
    """One of several values with commas between them."""

    start: int
    end: int
    quoted: bool


_ITEM = compile_late(
    r"""(?x)\s{0,40}+
    (?: [bBuUrRnN]?'(?P<single>(?:[^'\\]|\\.|''){0,2000}+)'
      | [bBuUrRnN]?"(?P<double>(?:[^"\\]|\\.|""){0,2000}+)"
      | (?P<bare>[^\s,()\[\]{}'"][^,()\[\]{}'"\n]{0,200}+(?:\([^()\n]{0,200}+\))?+)
    )?+
    \s{0,40}+(?P<end>[,)\]])"""
)


def _split_items(text: str, start: int) -> tuple[list[_Item], int]:
    """Take a list apart behind its bracket; give its items, and where it ends."""
    items: list[_Item] = []
    furthest = min(len(text), start + _FURTHEST)
    while len(items) < _MOST_COLUMNS and (match := _ITEM.match(text, start, furthest)):
        group = next((name for name in ("single", "double", "bare") if match[name] is not None), None)
        if group:
            items.append(_Item(*match.span(group), group != "bare"))
        start = match.end()
        if match["end"] != ",":
            break
    return items, start


def _texts(text: str, items: list[_Item]) -> list[str]:
    return [text[start:end].strip() for start, end, _ in items]


def _read_column(column: str) -> Promise | None:
    """Return what a column announces: `users."password"`, `[ApiKey]`, `uq_users_token`."""
    name = column.strip("`\"'[]() ").rpartition(".")[2].strip("`\"'[] ")
    return read_promise(_CONSTRAINED.sub("", name)) if name else None


_CONSTRAINED = re.compile(r"(?i)^(?:uq|ux|ix|idx|uniq|unique|pk|fk)_|_(?:uq|ux|ix|idx|index|uniq|unique|1|ukey)$")


def _hide_items(text: str, promises: list[Promise | None], items: list[_Item]) -> Iterator[Span]:
    """Hide the items whose columns announce something."""
    for promise, (start, end, quoted) in zip(promises, items, strict=False):
        value = text[start:end].rstrip()
        if promise and not _BOUND.fullmatch(value) and is_worth_hiding(promise, value, Manner(quoted=quoted)):
            yield Span(start, start + len(value), promise.kind)


_BOUND = re.compile(r"%s|\?|[$:@]\w{1,64}(?:::[\w ()]{1,40})?|%\(\w{1,64}\)s|\{\}|DEFAULT|NULL", re.IGNORECASE)
"""What stands for a value in a statement."""


_VALUES = compile_late(r"values?\s{0,40}+\(")


_PARAMETERS = compile_late(
    r"(?:parameters|params|args|bindings|bind(?: variables| parameters| values)?|with values|values(?=[\"']\s?:))[\"']?\s?[:=]?\s?\[?[(\[]"
)
"""Matches where drivers write the values of a statement, in lower case."""


_NUMBERED = compile_late(r"parameters: (?=\$1 = )")


_NUMBERED_ITEM = compile_late(r"\$\d{1,3} = (?:'(?P<value>(?:[^'\n]|''){0,2000}+)'|\w{1,40})(?:, )?")


_BOUND_NAMES = compile_late(
    r"""(?xi)(?:(?P<name>[\w$]{1,64}+)["`\]]?\s{0,8}+(?:=|<>|!=|<=|>=|<|>|\slike)\s{0,8}+)?(?:%s|\?|\$\d{1,3}(?!\d)|:\d{1,3}(?!\d))"""
)


def _find_in_statements(text: str, lower: str) -> Iterator[Span]:
    """Find values of SQL: in its `VALUES (…)`, and in the parameters that a driver writes behind it."""
    names: list[Promise | None] = []
    seen = 0
    if "value" in lower:
        for match in _VALUES.finditer(lower):
            if match.start() < seen:
                continue
            columns = _read_columns_before(text, max(seen, match.start() - _FURTHEST), match.start())
            seen = match.end()
            if not columns and _OF_SECRETS.search(lower, max(0, match.start() - 120), match.start()):
                yield from _find_machine_made(text, _split_items(text, match.end())[0])
            if not any(columns):
                continue
            for items in _split_rows(text, match.end()):
                yield from _hide_items(text, columns, items)
                seen = items[-1].end
                bound = [column for column, item in zip(columns, items, strict=False) if _is_bound(text, item)]
                names = names or bound
    yield from _find_bound_values(text, lower, names)
    yield from _find_bound_one_by_one(text, lower, names)


_BINDING = compile_late(
    r"binding parameter [(\[](?P<number>\d{1,3})(?::\w{1,40})?[)\]](?: as \[\w{1,40}\])? (?:<-|-) \[(?P<value>[^\]\n]{1,512}+)\]"
)
"""Matches how Hibernate writes one value of a statement, in a line of its own."""


_TYPED = compile_late(r"parameters: (?=[^\n()]{0,200}\([A-Z][A-Za-z]{1,20}\))", re.IGNORECASE)
"""Matches where MyBatis writes the values of a statement, each with its type."""


_TYPED_ITEM = compile_late(r"(?P<value>[^\n()]{0,512}+)\([A-Z][A-Za-z]{1,20}\)(?:, )?|null(?:, )?")


def _find_bound_one_by_one(text: str, lower: str, names: list[Promise | None]) -> Iterator[Span]:
    """Find the values that object mappers write behind their statement, one by one or with their types."""
    if "binding parameter" in lower:
        match = list(_BINDING.finditer(text))
        promises = names or (_read_bound_columns(text, 0, match[0].start()) if match else [])
        numbered = dict(enumerate(promises, 1))
        for each in match:
            yield from _judge(text, each, numbered.get(int(each["number"])), "value")
    for begun in _LEFT_OPEN.finditer(text) if names else ():
        yield from _hide_items(text, names, list(_split_list(text, begun.end())))
    for begun in _TYPED.finditer(text) if "parameters: " in lower else ():
        promises = names or _read_bound_columns(text, 0, begun.start())
        yield from _hide_items(text, promises, list(_split_typed(text, begun.end())))


_LEFT_OPEN = compile_late(r"\$\d{1,3}\)[^;\"'\n]{0,80};\s(?=[\"'])")
"""Matches the end of a statement that Sequelize writes the values behind: `VALUES ($1,$2); "ann", …`."""


_LISTED_ITEM = compile_late(r"(?:\"(?P<value>[^\"\n]{0,512}+)\"|'(?P<other>[^'\n]{0,512}+)'|\w{1,40}+)(?:,\s?)?")


def _split_list(text: str, start: int) -> Iterator[_Item]:
    for _ in range(_MOST_COLUMNS):
        match = _LISTED_ITEM.match(text, start)
        if match is None:
            return
        group = next((name for name in ("value", "other") if match[name] is not None), 0)
        yield _Item(*match.span(group), quoted=True)
        start = match.end()


def _split_typed(text: str, start: int) -> Iterator[_Item]:
    for _ in range(_MOST_COLUMNS):
        match = _TYPED_ITEM.match(text, start)
        if match is None or match.end() == start:
            return
        yield _Item(*(match.span("value") if match["value"] is not None else match.span()), quoted=True)
        start = match.end()


def _read_bound_columns(text: str, floor: int, end: int) -> list[Promise | None]:
    """Return what each column announces whose value a statement leaves open (`?`, `$1`)."""
    statement = text[max(floor, end - _FURTHEST) : end]
    return [_read_column(bound["name"]) if bound["name"] else None for bound in _BOUND_NAMES.finditer(statement)]


_OF_SECRETS = re.compile(
    r"into\s[\w.\"`\[\]]{0,80}(?:user|account|token|secret|credential|session|key|auth|login|password)[\w\"`\]]{0,20}\s{1,8}$"
)


def _find_machine_made(text: str, items: list[_Item]) -> Iterator[Span]:
    """Find what no person wrote among values without columns, in a table of secrets."""
    for start, end, quoted in items:
        if quoted and is_machine_made(text[start:end], 16) and not _UUID.fullmatch(text, start, end):
            yield Span(start, end, "secret")


_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _is_bound(text: str, item: _Item) -> bool:
    return _BOUND.fullmatch(text[item.start : item.end].strip()) is not None


def _read_columns_before(text: str, floor: int, end: int) -> list[Promise | None]:
    before = text[floor:end].rstrip()
    opened = before.rfind("(") if before.endswith(")") else -1
    if opened < 0:
        return []
    return [_read_column(name) for name in before[opened + 1 : -1].split(",")[:_MOST_COLUMNS]]


def _split_rows(text: str, start: int) -> Iterator[list[_Item]]:
    """Take apart one row behind another: `(…), (…)`."""
    while True:
        items, end = _split_items(text, start)
        if not items:
            return
        yield items
        following = _NEXT_ROW.match(text, end)
        if following is None:
            return
        start = following.end()


_NEXT_ROW = re.compile(r"\s{0,40}+,\s{0,40}+[(\[]")


def _find_bound_values(text: str, lower: str, names: list[Promise | None]) -> Iterator[Span]:
    """Find the values that drivers write apart from their statement."""
    seen = 0
    for match in chain(_PARAMETERS.finditer(lower), _NUMBERED.finditer(lower)):
        promises = names or _read_bound_columns(text, seen, match.start())
        seen = match.end()
        if not any(promises):
            continue
        if match[0].endswith(("(", "[")):
            for items in _split_rows(text, match.end()):
                yield from _hide_items(text, promises, items)
                seen = items[-1].end
        else:
            yield from _hide_items(text, promises, list(_split_numbered(text, match.end())))


def _split_numbered(text: str, start: int) -> Iterator[_Item]:
    while match := _NUMBERED_ITEM.match(text, start):
        yield _Item(*(match.span("value") if match["value"] is not None else match.span()), quoted=True)
        start = match.end()


_COLUMNS = compile_late(rf"(?:columns?|cols|fields|headers?|names|keys|schema){QUOTE}?\s{{0,4}}+[:=]\s{{0,40}}+[\[(]")


_RECORDS = compile_late(
    rf"[\s,;]{{0,40}}+{QUOTE}?(?:rows?|values|data|records|items|tuples|result)s?{QUOTE}?\s{{0,4}}+[:=]\s{{0,40}}+"
    r"[\[(]\s{0,40}+(?:[\[(])?"
)


def _find_in_lists(text: str, lower: str) -> Iterator[Span]:
    """Find the values of rows whose columns were listed before: `{"columns": […], "rows": [[…]]}`."""
    seen = 0
    for match in _COLUMNS.finditer(lower):
        if match.start() < seen:
            continue
        if text.startswith("{", match.end()):
            promises, seen = _read_descriptions(text, match.end())
        else:
            items, seen = _split_items(text, match.end())
            promises = [_read_column(name) for name in _texts(text, items)]
        if any(promises) and (begun := _RECORDS.match(lower, seen)):
            for row in _split_rows(text, begun.end()):
                yield from _hide_items(text, promises, row)
                seen = row[-1].end


_DESCRIPTION = compile_late(
    rf"\s{{0,40}}+\{{[^{{}}]{{0,200}}?{QUOTE}(?:name|columnName|column_name|field|key|label){QUOTE}\s{{0,4}}+:\s{{0,4}}+{QUOTE}"
    rf"(?P<name>[\w.$\- ]{{1,64}}+){QUOTE}[^{{}}]{{0,400}}+\}}\s{{0,40}}+(?P<end>[,\]])"
)
"""Matches one column as an object: `{"name": "password", "type": "text"}`."""


def _read_descriptions(text: str, start: int) -> tuple[list[Promise | None], int]:
    """Return what each column of a list of objects announces, and where the list ends."""
    promises: list[Promise | None] = []
    while len(promises) < _MOST_COLUMNS and (match := _DESCRIPTION.match(text, start)):
        promises.append(_read_column(match["name"]))
        start = match.end()
        if match["end"] == "]":
            break
    return promises, start


_RULE = re.compile(r"[\s|+:\-=]{3,4096}")
_HEAD = re.compile(r"[\"'`*]{0,2}[A-Za-z_][\w.\- ]{0,40}[\"'`*]{0,2}")
_SEPARATORS = ("|", "\t", ";", ",", "  ")
_CELLS = {separator: re.compile(rf"[^{re.escape(separator)}\n]{{1,2000}}+") for separator in ("|", "\t", ";", ",")} | {
    "  ": re.compile(r"\S{1,400}+(?:[ ]\S{1,400}+){0,8}")
}


_FRAMES = (
    dict.fromkeys(map(ord, "│┃║┆┇┊┋╎╏"), "|")
    | dict.fromkeys(map(ord, "─━═┄┅┈┉╌╍"), "-")
    | dict.fromkeys(map(ord, "┌┬┐├┼┤└┴┘╭╮╰╯╒╤╕╞╪╡╘╧╛╔╦╗╠╬╣╚╩╝╓╥╖╟╫╢╙╨╜┏┳┓┣╋┫┗┻┛┡╇┩┢╈┪┠╂┨┝┿┥┯┷┰┸"), "+")
)
"""The lines that tables are drawn with, and what others write instead."""
_DRAWN = re.compile("[\u2500-\u257f]")


def _find_in_tables(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all finders.
    """Find the cells below a telling head: in Markdown, in what `psql` prints, in CSV and its like."""
    if "\n" not in text:
        return
    table: _Table | None = None
    start = 0
    for line in (text.translate(_FRAMES) if _DRAWN.search(text) else text).split("\n"):
        if table is None or not table.has(line):
            table = _read_head(line)
        else:
            yield from table.spans(start, line)
        start += len(line) + 1


_UNDERLINES = re.compile(r"-{2,80}+(?:[ ]{1,80}+-{2,80}+){1,63}+[ \r]{0,80}+")
_UNDERLINE = re.compile(r"-{2,80}+")


def _find_underlined(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001
    """Find the cells below heads that are underlined one by one, as PowerShell does; the lines say how wide a column is."""
    if "\n--" not in text:
        return
    columns: list[tuple[Promise | None, int, int]] = []
    start, above = 0, ""
    for line in text.split("\n"):
        if _UNDERLINES.fullmatch(line):
            begins = [match.start() for match in _UNDERLINE.finditer(line)]
            ends = [*begins[1:], _FURTHEST]
            columns = [(_read_column(above[a:b].strip()), a, b) for a, b in zip(begins, ends, strict=True)]
        elif not line.strip():
            columns = []
        for promise, begin, end in columns:
            value = line[begin:end].strip()
            if promise and not _UNDERLINE.match(value) and is_worth_hiding(promise, value, Manner()):
                first = start + begin + line[begin:end].index(value)
                yield Span(first, first + len(value), promise.kind)
        start, above = start + len(line) + 1, line


_COPY = compile_late(
    r"copy\s{1,8}+[^\s(]{1,128}+\s{0,8}+\((?P<columns>[^()\n]{1,2000}+)\)\s{1,8}+from\s{1,8}+stdin[^\n]{0,80}+\n"
)
"""Matches the statement of PostgreSQL that rows follow, in lower case."""


def _find_copied(text: str, lower: str) -> Iterator[Span]:
    """Find the values of rows that follow `COPY t (id, password) FROM stdin;`, parted by tabs."""
    seen = 0
    for match in _COPY.finditer(lower):
        if match.start() < seen:
            continue
        promises = [_read_column(column) for column in match["columns"].split(",")]
        seen = text.find("\n\\.", match.end())
        seen = len(text) if seen < 0 else seen
        start = match.end()
        for line in text[start:seen].split("\n"):
            at = start
            for promise, value in zip(promises, line.split("\t"), strict=False):
                if promise and value != "\\N" and is_worth_hiding(promise, value, Manner()):
                    yield Span(at, at + len(value), promise.kind)
                at += len(value) + 1
            start += len(line) + 1


_STRING_DATA = re.compile(r"(?m)^(?P<indent>[ ]{0,40}+)stringData:[ \t]{0,8}+\r?\n")
_DATA = re.compile(r"(?m)^(?P<indent>[ ]{0,40}+)data:[ \t]{0,8}+\r?\n")
_SECRET = re.compile(r"(?m)^[ ]{0,40}+kind: Secret[ \r]{0,8}+$")
_ENTRY = re.compile(
    r"(?P<indent>[ ]{1,80}+)[\w.\-]{1,128}+:[ ]{1,8}+(?P<quote>[\"']?)(?P<value>[^\n\"']{1,1000}+)(?P=quote)\r?(?:\n|$)"
)


def _find_in_manifests(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001
    """Find what a secret of Kubernetes holds, whatever it is called there."""
    blocks = _STRING_DATA.finditer(text) if "stringData:" in text else iter(())
    encoded = _DATA.finditer(text) if "kind: Secret" in text and _SECRET.search(text) else iter(())
    for match in chain(blocks, encoded):
        entry = _ENTRY.match(text, match.end())
        while entry and len(entry["indent"]) > len(match["indent"]):
            value = entry["value"].rstrip()
            if value not in _BLOCKS and not is_placeholder(value):
                yield Span(entry.start("value"), entry.start("value") + len(value), "secret")
            entry = _ENTRY.match(text, entry.end())


_BLOCKS = frozenset({"|", ">", "|-", ">-", "|+", ">+"})


class _Table:
    """A head with telling names, and the lines below it."""

    def __init__(self, separator: str, promises: list[Promise | None]) -> None:
        self._separator = separator
        self._promises = promises
        self._ruled = False

    def has(self, line: str) -> bool:
        """Return whether a line is one of the table."""
        return bool(_RULE.fullmatch(line)) or len(self._cells(line)) in {len(self._promises), len(self._promises) + 1}

    def _cells(self, line: str) -> list[re.Match[str]]:
        return _cells(self._separator, line)

    def spans(self, start: int, line: str) -> Iterator[Span]:
        """Find the cells of a line of the table that are secret; the line begins at a position of the text."""
        if _RULE.fullmatch(line):
            self._ruled = self._ruled or "-" in line
            return
        cells = self._cells(line)
        for cell, promise in zip(cells[len(cells) - len(self._promises) :], self._promises, strict=True):
            value = cell[0].strip(" \t\r\"'`*")
            if promise and self._is_secret(promise, value):
                first = start + cell.start() + cell[0].index(value)
                yield Span(first, first + len(value), promise.kind)

    def _is_secret(self, promise: Promise, value: str) -> bool:
        """Return whether a cell is a secret. Without a line below the head, or with only spaces between columns, doubt more."""
        if not is_worth_hiding(promise, value, Manner()):
            return False
        drawn = self._ruled and self._separator == "|"
        if promise.kind in _OF_PERSONS:
            return drawn or self._separator in _EXACT
        return drawn or is_machine_made(value) or (self._separator in _EXACT and _is_chosen(value, promise))


_EXACT = frozenset({",", "\t", ";"})
_OF_PERSONS = frozenset({"name", "birth date"})
"""Kinds that are known by how their values are written."""
_BRACKETED = re.compile(r"[\s()\[\]{}]")


def _is_chosen(value: str, promise: Promise) -> bool:
    """Return whether it may be a password that somebody chose, or a part of one that is none of the words of a table."""
    unlike_a_word = not value.isalpha() and not _BRACKETED.search(value) and len(value) >= _LEAST_CHOSEN
    return promise.kind in {"password", "secret", "key", "token"} and unlike_a_word


def _cells(separator: str, line: str) -> list[re.Match[str]]:
    cells = list(_CELLS[separator].finditer(line[:_FURTHEST].rstrip("\r")))
    return [cell for cell in cells if cell[0].strip()] if separator == "|" else cells


def _read_head(line: str) -> _Table | None:
    """Read a line as the head of a table, if that is what it looks like."""
    if not 3 <= len(line) <= _FURTHEST:  # noqa: PLR2004 - `a|b`
        return None
    separator = next((sign for sign in _SEPARATORS if sign in line.strip()), None)
    if separator is None:
        return None
    cells = _cells(separator, line)
    heads = [cell[0].strip() for cell in cells]
    if separator == "," and heads != [
        cell[0].rstrip() for cell in cells
    ]:  # Code and prose have a space behind a comma.
        return None
    if not 2 <= len(heads) <= _MOST_COLUMNS or not all(map(_HEAD.fullmatch, heads)):  # noqa: PLR2004
        return None
    promises = [_read_column(head.strip("*")) for head in heads]
    return _Table(separator, promises) if any(promises) else None


_VALUE_OF_ELEMENT = compile_late(
    r"<(?:\w{1,30}:)?(?:\w{1,20}\s{1,4}(?:name|property|key|id)=[\"'](?P<attribute>[\w.\-]{2,64}+)[\"']|(?P<name>[\w.\-]{2,64}+))(?:\s[^<>]{0,200}+)?>\s{0,40}+<(?:\w{1,30}:)?(?i:value|string|text|plaintext|val|data)(?:\s[^<>]{0,200}+)?>"
    r"(?P<secret>[^<>]{3,512}+)</"
)


def _find_nested(text: str, lower: str) -> Iterator[Span]:
    """Find the value of an element that has another around it: `<Password><Value>…</Value></Password>`."""
    if "><" in text and "</" in lower:
        for match in _VALUE_OF_ELEMENT.finditer(text):
            yield from _judge(text, match, _read_column(match["attribute"] or match["name"]), "secret")


_MARKUP = compile_late(r"<(?P<tag>th|td|tr)(?:\s[^<>]{0,200}+)?>(?P<cell>[^<]{0,2000}+)", re.IGNORECASE)


def _find_marked_up(text: str, lower: str) -> Iterator[Span]:
    """Find the cells of a table in HTML below a telling head."""
    if "<th" not in lower:
        return
    heads: list[Promise | None] = []
    column = 0
    for match in _MARKUP.finditer(text):
        tag, value = match["tag"].lower(), match["cell"].strip()
        if tag == "tr":
            column = 0
            continue
        if tag == "th":
            heads = heads if column else []
            heads.append(_read_column(value) if _HEAD.fullmatch(value) else None)
        elif column < len(heads) and (promise := heads[column]) and is_worth_hiding(promise, value, Manner()):
            first = match.start("cell") + match["cell"].index(value)
            yield Span(first, first + len(value), promise.kind)
        column += 1


_QUOTED = r"""(?P<quote>["'`])(?P<secret>[^"'`\n]{3,256}+)(?P=quote)"""
_THING = "field|param(?:eter)?|arg(?:ument)?|key|property|column|attribute|setting|option|variable|header|index|constraint|flag"


_NAMED_BEHIND = compile_late(
    rf"""(?x){_QUOTED}
    (?: [^\n"'`]{{0,60}}?\b(?:for|of|in|as|reading|parsing|loading|decoding)\s(?:the\s)?
        (?:(?:{_THING})\s["'`]?|["'`]|(?=[A-Z]{{2,40}}_))(?:--?)?(?P<name>[\w.$\-]{{2,64}}+)
      | \s=\s(?:<[^<>\n]{{1,80}}+>\.|[\w.]{{1,64}}+\([^()\n]{{0,80}}+\)\.)?(?P<shown>[A-Za-z_][\w.]{{1,64}}+)(?![\w("'\[])
    )""",
)
"""Matches `Duplicate entry 'X' for key 'users.api_key'`, and `where 'X' = token` of pytest."""


_LABEL = r"""["']?(?:name|key|k|n|field|header|param|parameter|label)["']?\s{0,4}+[:=]\s{0,4}+["'](?P<name>[\w.$\- ]{1,64}+)["']"""
_LABELLED_BEHIND = compile_late(
    rf"""(?:value|val|v|content|input|data)["']?\s{{0,4}}+[:=]\s{{0,4}}+{_QUOTED}[\s,]{{1,40}}+{_LABEL}""",
)
"""Matches `"value": "X", "name": "password"`, in lower case."""


_IN_BRACKETS = compile_late(rf"""["'`](?P<name>[\w.$\-]{{2,64}}+)["'`]\s\({_QUOTED}\)""")
"""Matches "Path `password` (`X`) is shorter than …"."""


_REFUSED = compile_late(
    rf"\b(?:got|received|given|was|input|found|actual|value|choice):?\s{{1,2}}(?:{_QUOTED}|\[(?P<boxed>[^\[\]\n]{{3,256}}+)\])",
)


_SUBJECT = re.compile(r"[\w.\-\[\]]{2,64}+(?=[\"'`]?[:;]|[\"'`]\s)")


_SHOWN = compile_late(
    r"""(?:\((?:i?pdb|gdb|lldb)\)\s(?:(?:pp?o?|print|expr)\s)?|>>>\s(?:print\()?|in\s\[\d{1,4}\]:\s)(?P<name>[\w.\[\]'"]{2,64}+)\)?\r?\n(?:out\[\d{1,4}\]:\s|(?:\([^()\n]{1,40}\)\s)?\$\d{1,4}\s=\s(?:0x[0-9a-f]{1,16}\s)?)?"""
    rf"{_QUOTED}",
)
"""Matches what an interpreter or a debugger was asked for, and its answer, in lower case."""


_CELL = re.compile(r"in\s\[\d")
_INDEXED = compile_late(r"unique index '(?P<name>[\w.]{1,128}+)'[^\n(]{0,80}\((?P<secret>[^()\n]{3,512}+)\)")


def _find_in_sentences(text: str, lower: str) -> Iterator[Span]:
    """Find values that a sentence gives a name, behind them or before them."""
    for match in _NAMED_BEHIND.finditer(text):
        yield from _judge(text, match, _read_column(match["name"] or match["shown"]), "secret")
    for match in _REFUSED.finditer(lower):
        yield from _judge(text, match, _read_subject(text, match.start()), "secret" if match["secret"] else "boxed")
    patterns = [_IN_BRACKETS, _LABELLED_BEHIND]
    patterns += [_SHOWN] if "db)" in lower or ">>>" in lower or _CELL.search(lower) else []
    patterns += [_INDEXED] if "unique index" in lower else []
    for match in (match for pattern in patterns for match in pattern.finditer(lower)):
        yield from _judge(text, match, _read_column(text[slice(*match.span("name"))]), "secret")


def _read_subject(text: str, end: int) -> Promise | None:
    """Return what the nearest telling name before a value announces, in the same sentence."""
    floor = max(text.rfind("\n", max(0, end - 140), end) + 1, end - 140, 0)
    promises = [read_promise_in(text, *name.span()) for name in _SUBJECT.finditer(text, floor, end)]
    return next((promise for promise in reversed(promises) if promise), None)


def _judge(text: str, match: re.Match[str], promise: Promise | None, group: str) -> Iterator[Span]:
    start, end = match.span(group)
    if promise and start >= 0 and is_worth_hiding(promise, text[start:end], Manner()):
        yield Span(start, end, promise.kind)


_INPUT = compile_late(
    r"""input_value=(?P<quote>["'])(?P<secret>(?:(?!(?P=quote)(?:,\sinput_type|\]|\s|$))[^\n]){1,512}+)"""
)


_LOCATION = re.compile(r"(?:^|\n)(?P<name>\S[^\n]{0,120})\r?\n {0,8}[^\n]{0,600}$")


_LOCATED = compile_late(
    rf"""(?x)(?:loc|path|instancepath|field){QUOTE}?\s{{0,4}}+[:=]\s{{0,4}}+
    (?:[\[(][^\]){{}}]{{0,200}}?{QUOTE}(?P<last>[\w.\-]{{2,64}}+){QUOTE}\s{{0,40}}+[\])]|{QUOTE}/?(?P<name>[\w.\-/]{{2,64}}+){QUOTE})
    \s{{0,40}}+,[^{{}}]{{0,300}}?
    {QUOTE}(?:input|value|received|actual|rejected_?value|given|got|data|instance){QUOTE}\s{{0,4}}+:\s{{0,4}}+
    {QUOTE}(?P<secret>[^"'`\n]{{3,256}}+)""",
)
"""Matches `"loc": ["body", "password"], …, "input": "X"`, in lower case."""


def _find_validated(text: str, lower: str) -> Iterator[Span]:
    """Find what a validator shows of the value of a field that it names before, or in the line above."""
    if "loc" in lower or "path" in lower or "field" in lower:
        for match in _LOCATED.finditer(lower):
            name = text[slice(*match.span("last" if match["last"] else "name"))]
            yield from _judge(text, match, _read_column(name.rpartition("/")[2]), "secret")
    if "input_value=" not in lower:
        return
    for match in _INPUT.finditer(text):
        above = _LOCATION.search(text[max(0, match.start() - 800) : match.start()])
        yield from _judge(text, match, _read_column(above["name"]) if above else None, "secret")


_POINTER = re.compile(r"(?P<before>[│|\s]{0,200}+)(?:└|->|╰)[─\- ]{0,8}+(?P<value>\S[^\n]{0,512})")
_NAME_AT = re.compile(r"[\w.]{1,64}")


def _find_pointed_at(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001
    """Find the values that a traceback draws below the names in a line of code."""
    if "└" not in text and "->" not in text and "╰" not in text:
        return
    lines: list[str] = []
    start = 0
    for line in text.split("\n"):
        pointer = _POINTER.match(line)
        if pointer and (promise := _read_name_above(lines[-_LINES_ABOVE:], pointer.end("before"))):
            value = pointer["value"].rstrip().strip("'\"")
            first = start + pointer.start("value") + pointer["value"].index(value)
            if is_worth_hiding(promise, value, Manner()):
                yield Span(first, first + len(value), promise.kind)
        lines.append(line)
        start += len(line) + 1


def _read_name_above(lines: list[str], column: int) -> Promise | None:
    """Look for the name that a line drawn downwards begins at."""
    for line in reversed(lines):
        if line[column : column + 1] in {"│", "|"}:
            continue
        match = _NAME_AT.match(line, column)
        return _read_column(match[0]) if match else None
    return None


_FAILING = re.compile(r"failing row contains \(")
_IDENTIFIER = re.compile(r"[A-Z]{1,8}[-_]?[\dA-Z\-]+|\d[\d\-:.T Z+]*|[\w.+\-]{1,64}@\S+")


def _find_in_failing_rows(text: str, lower: str) -> Iterator[Span]:
    """Find what looks like a password in a row that a database refused, and whose columns it does not name."""
    for match in _FAILING.finditer(lower):
        for start, end, _ in _split_items(text, match.end())[0]:
            value = text[start:end].strip()
            mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and " " not in value
            if (
                mixed
                and len(value) >= 2 * _LEAST_CHOSEN - 4
                and not _IDENTIFIER.fullmatch(value)
                and not is_placeholder(value)
            ):
                yield Span(start, start + len(value), "secret")


_MARGIN = r"[ \t]{0,40}+(?:[|>#]{1,3}(?: |(?=[\r\n]|$))|\[[\w.\-]{1,40}\] )"
_WRITTEN = re.compile(
    rf"(?P<end>(?:\\{{1,4}}r)?\\{{1,4}}n|\r?\n)(?:{_MARGIN})?"
    rf"|(?P<margin>\A{_MARGIN})"
    r"|\\{1,4}(?P<quote>[\"'])"
    r"|(?P<tab>\\{1,4}t)"
)
"""A line end with the margin of the next line, the margin of the first, a quotation mark or a tab, as they are or escaped."""
_LABEL_OR_QUOTE = re.compile(r": |[\"']")
_LINE = re.compile(r"[^ \t\n][^\n]*+\n?+|\n")
"""A line without the blanks before it."""


def may_be_quoted(text: str) -> bool:
    """Return whether a text has several lines, or had them before somebody wrote it on one."""
    return "\n" in text or "\\n" in text


def find_quoted_rows(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all rules.
    """Find pairs and rows in a text as it was before somebody quoted it: without escapes, margins, bars and labels.

    A table in the text of an exception stands in a traceback behind `RuntimeError: `, in an exception group behind
    bars, and in JSON or a `repr` on one line.
    """
    whole = _undo_quoting(text)
    spans = [*whole.search(find_rows), *whole.search(find_pairs)] if whole.text != text else []
    if "\n" in whole.text:
        spans += _drop_indents(_split_at_labels(whole)).search(find_table_cells)
        spans += _drop_indents(whole).search(find_rows) if "input_value=" in text else ()
    return iter(sorted(spans))


def _undo_quoting(text: str) -> View:
    """Undo what was done to the line ends, the quotation marks and the margin of a text."""
    builder = ViewBuilder(text)
    start = 0
    for written in _WRITTEN.finditer(text):
        builder.keep(start, written.start())
        if written["end"]:
            builder.write("\n", written.start())
        elif written["quote"]:
            builder.write(written["quote"], written.end() - 1)
        elif written["tab"]:
            builder.write("\t", written.start())
        start = written.end()
    builder.keep(start, len(text))
    return builder.build()


def _split_at_labels(view: View) -> View:
    """Begin a line behind every label and every quotation mark: `RuntimeError: user,password`."""
    return view._replace(text=_LABEL_OR_QUOTE.sub(lambda match: ":\n" if match[0] == ": " else "\n", view.text))


def _drop_indents(view: View) -> View:
    """Take away what stands before the lines."""
    lines: list[str] = []
    positions = array("q")
    for line in _LINE.finditer(view.text):
        lines.append(line[0])
        positions.extend(view.positions[line.start() : line.end()])
    return View("".join(lines), positions)
