"""The call in which an exception was raised, as far as it is known."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import cast

from errata.model import Effects, is_a
from errata.redaction import as_object, redact_data, text_of

_MOST_LEAVES = 2_000
_DEEPEST = 12
_LEAST, _MOST, _MOST_TEXTS = 4, 10_000, 100
SECRET = "[redacted: secret]"  # noqa: S105 - the mark of one.


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What is known of a call. Everything but the tool's name may be missing; nothing in it is trusted."""

    tool: str
    arguments: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object])
    """The arguments as they were sent."""
    schema: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object])
    """The JSON Schema of the arguments."""
    annotations: object = None
    """MCP's annotations of the tool, as JSON or as an object of an SDK."""
    effects: Effects | None = None
    """What the tool has marked with `with effect():` so far."""
    function: Callable[..., object] | None = None
    """The function behind the tool. Its module, and what lies beside it, counts as the server's own code."""
    tools: tuple[str, ...] = ()
    """The names of the server's tools."""
    _leaves: list[tuple[str, object]] = dataclasses.field(
        default_factory=list[tuple[str, object]], init=False, repr=False, compare=False
    )
    """What `leaves` returns, once it has been asked for."""

    def leaves(self) -> list[tuple[str, object]]:
        """List every value in the arguments with its dotted path, containers before what is in them."""
        if not self._leaves:
            self._leaves.extend(islice(_walk(self.arguments), _MOST_LEAVES))
        return self._leaves

    def texts(self) -> tuple[str, ...]:
        """List the texts in the arguments that are long enough to be blanked in a message, the longest first."""
        texts = {value.strip() for _, value in self.leaves() if is_a(value, str) and _is_telling(value)}
        return tuple(sorted(filter(None, texts), key=len, reverse=True)[:_MOST_TEXTS])

    def properties(self) -> Mapping[str, object]:
        """Return the schemas of the single arguments, by name."""
        return as_object(as_object(self.schema).get("properties"))

    def secrets_in(self, *texts: str) -> list[str]:
        """List the values in some texts that are arguments whose names say that they are secret."""
        return [
            value
            for path, value in self.leaves()
            if is_a(value, str) and len(value) >= _LEAST and any(value in text for text in texts)
            if is_secret(path.rpartition(".")[2], value)
        ]


def _walk(arguments: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    waiting: list[tuple[str, object, int]] = [(text_of(name), value, 0) for name, value in _members(arguments)]
    waiting.reverse()
    while waiting:
        path, value, depth = waiting.pop()
        yield path, value
        if depth < _DEEPEST:
            waiting += reversed([(f"{path}.{text_of(key)}", each, depth + 1) for key, each in _members(value)])


def _is_telling(text: str) -> bool:
    """Return whether a text is long enough to be known again; in scripts without letters, two characters are a word."""
    return (_LEAST if text.isascii() else _LEAST // 2) <= len(text) <= _MOST


def is_secret(name: str, value: str) -> bool:
    """Return whether the name of an argument says that its value is nobody's to see."""
    return redact_data({name: value}) != {name: value}


def _members(value: object) -> list[tuple[object, object]]:
    if is_a(value, dict):
        return list(cast("dict[object, object]", value).items())[:_MOST_LEAVES]
    return list(enumerate(cast("list[object]", value)[:_MOST_LEAVES])) if is_a(value, list) else []
