"""Every regular expression that redaction searches texts with, and what in one could cost more than linear time."""

import importlib
import pkgutil
import re
from re import (
    _constants as opcodes,  # type: ignore[attr-defined]
    _parser as parser,  # type: ignore[attr-defined]
)

from errata import redaction
from errata.redaction import _commands, _spans, _token_formats

_REPEATS = (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT, opcodes.POSSESSIVE_REPEAT)
_ASSERTIONS = (opcodes.ASSERT, opcodes.ASSERT_NOT)
_NOT_SEARCHED_WITH = ("_value_looks", "_telling_names", "_foreign_text")
"""Modules whose patterns are matched once against one value or name, or whose repeats end where another match may begin."""


def all_patterns():
    """Compile what the modules compile when they need it, and give it together with what they have compiled already."""
    names = [each.name for each in pkgutil.iter_modules(redaction.__path__) if each.name not in _NOT_SEARCHED_WITH]
    modules = [importlib.import_module(f"{redaction.__name__}.{name}") for name in names]
    values = [value for module in modules for value in vars(module).values()]
    patterns = {pattern.pattern: pattern for pattern in (*_patterns_in(values), *_rows())}
    return [patterns[source] for source in sorted(patterns)]


def _patterns_in(value):
    match value:
        case re.Pattern() | _spans._LatePattern():
            yield value
        case dict():
            yield from _patterns_in(list(value.values()))
        case tuple() | list():
            for each in value:
                yield from _patterns_in(each)


def _rows():
    for _, pattern in (*_token_formats._TOKENS, *_token_formats._HASHES):
        yield _token_formats._compile_late(pattern)
    for index in (_commands._STATEMENT_INDEX, _commands._LOGIN_INDEX):
        yield from _patterns_in([index._by_head, index._others])


def costly_repeats(pattern):
    """Name the repeats without an upper bound behind which the pattern can still fail.

    Such a one may walk through all of a text from each of many positions, in vain each time. One behind which nothing
    can fail ends in a match, and the search goes on behind it.
    """
    return list(_costly(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), can_end=True))


def _costly(sequence, *, can_end):
    items = list(sequence)
    for number, (op, argument) in enumerate(items):
        ends = can_end and all(_cannot_fail(sequence.state, item) for item in items[number + 1 :])
        if op in _REPEATS:
            least, most, inner = argument
            if most == opcodes.MAXREPEAT and not ends:
                yield str(inner)
            yield from _costly(inner, can_end=ends and least <= 1)
        elif op is opcodes.SUBPATTERN:
            yield from _costly(argument[3], can_end=ends)
        elif op is opcodes.BRANCH:
            for branch in argument[1]:
                yield from _costly(branch, can_end=ends)
        elif op in _ASSERTIONS:
            yield from _costly(argument[1], can_end=False)
        elif op is opcodes.ATOMIC_GROUP:
            yield from _costly(argument, can_end=ends)


def _cannot_fail(state, item):
    if item[0] in _ASSERTIONS or item[0] is opcodes.AT:
        return False
    return parser.SubPattern(state, [item]).getwidth()[0] == 0
