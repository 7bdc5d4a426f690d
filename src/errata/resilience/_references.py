"""What a function's code refers to, and what it does with it. Read from the code; it is not run."""

import dis
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import NamedTuple


class Reference(NamedTuple):
    """Something that the code names."""

    value: object
    is_called: bool = False
    """Whether the code itself calls it, there and then. What is passed on is not."""
    is_entered: bool = False
    """Whether it, or what the call gives, is entered at once by a `with`."""
    is_awaited: bool = False
    """Whether it, or what the call gives, is awaited at once."""


def references_of(function: FunctionType) -> Iterator[Reference]:
    """Go through what a function names; of the functions inside it nobody knows who calls them, and where."""
    known = _surroundings_of(function)
    yield from _references_in(function.__code__, known)
    waiting = _inside(function.__code__)
    while waiting:
        code = waiting.pop()
        waiting += _inside(code)
        yield from (Reference(each.value) for each in _references_in(code, known))


def _inside(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _surroundings_of(function: FunctionType) -> Callable[[str], object]:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))

    def find(name: str) -> object:
        if name not in cells:
            return function.__globals__.get(name)
        try:
            return cells[name].cell_contents
        except ValueError:  # Not filled yet.
            return None

    return find


def _references_in(code: CodeType, known: Callable[[str], object]) -> Iterator[Reference]:
    """Follow names and the members of modules through the instructions; what is unknown there is None."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in _SILENT]
    stores = Counter(step.argval for step in steps if step.opname == "STORE_FAST")
    local: dict[str, object] = {}
    value: object = None
    module: object = None
    for at, step in enumerate(steps):
        match step.opname, step.argval:
            case "LOAD_GLOBAL" | "LOAD_NAME" | "LOAD_DEREF" | "LOAD_CLASSDEREF", str(name):
                yield _used(value := known(name), at, steps)
            case "LOAD_FAST" | "LOAD_FAST_BORROW" | "LOAD_FAST_CHECK", str(name):
                yield _used(value := local.get(name), at, steps)
            case "LOAD_ATTR" | "LOAD_METHOD", str(name):
                yield _used(value := _member(value, name), at, steps)
            case "IMPORT_NAME", str(name):
                value = module = sys.modules.get(name)
            case "IMPORT_FROM", str(name):  # Also in `import errata.resilience as …`, of the last part of the name.
                value = _member(module, name) or (module if _is_named(module, name) else None)
            case "STORE_FAST", str(name) if stores[name] == 1:
                local[name] = value
            case opname, _ if opname.startswith("STORE"):  # It has other names from here on.
                yield Reference(value)
            case _, (str(first), str(second)):  # Two locals at once: neither is called.
                yield from (Reference(local.get(first)), Reference(local.get(second)))
            case _:
                value = None


# fmt: off
_SILENT = frozenset({"CACHE", "EXTENDED_ARG", "KW_NAMES", "NOP", "POP_TOP", "PRECALL", "PUSH_NULL", "RESUME", "SWAP"})
_CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
_ARGUMENTS = frozenset({
    "BUILD_CONST_KEY_MAP", "BUILD_LIST", "BUILD_MAP", "BUILD_TUPLE", "CALL_INTRINSIC_1", "DICT_MERGE", "DICT_UPDATE",
    "LIST_APPEND", "LIST_EXTEND", "LIST_TO_TUPLE", "LOAD_CONST",
})
"""They put the arguments of a call together, and are said to be where the call is."""
# fmt: on


def _used(value: object, at: int, steps: list[dis.Instruction]) -> Reference:
    if _enters(at + 1, steps):
        return Reference(value, is_entered=True)
    call = _call_of(at, steps)
    after = (at if call is None else call) + 1
    return Reference(value, call is not None, _enters(after, steps), _opname(after, steps) == "GET_AWAITABLE")


def _call_of(at: int, steps: list[dis.Instruction]) -> int | None:
    """Find the call of what was loaded: an expression that begins where its name does. `a.b()` is no call of `a`."""
    begins = _beginning_of(steps[at])
    for later in range(at + 1, len(steps) if begins else 0):
        if _beginning_of(steps[later]) == begins and steps[later].opname not in _ARGUMENTS:
            return later if steps[later].opname in _CALLS else None
    return None


def _beginning_of(step: dis.Instruction) -> tuple[int, int] | None:
    """Tell where in the source a step is; None where that was left out, to save space."""
    position = step.positions
    if position is None or position.lineno is None or position.col_offset is None:
        return None
    return position.lineno, position.col_offset


def _enters(at: int, steps: list[dis.Instruction]) -> bool:
    if _opname(at, steps) == "COPY":  # Since Python 3.14.
        return _opname(at + 1, steps) == "LOAD_SPECIAL"
    return _opname(at, steps) in {"BEFORE_WITH", "BEFORE_ASYNC_WITH"}


def _opname(at: int, steps: list[dis.Instruction]) -> str | None:
    return steps[at].opname if at < len(steps) else None


def _member(value: object, name: str) -> object:
    return vars(value).get(name) if isinstance(value, ModuleType) else None


def _is_named(module: object, name: str) -> bool:
    return isinstance(module, ModuleType) and module.__name__.endswith(f".{name}")
