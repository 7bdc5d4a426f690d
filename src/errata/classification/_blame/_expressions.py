"""Evidence from the expression that failed: which operand it failed on, and whether that is made of an argument."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import cast

from errata.classification._blame._argument_values import are_equal, has_word
from errata.classification._blame._complaints import (
    ABOUT_A_TEXT,
    BROKEN,
    CONSTRAINT,
    DAMAGED,
    EMPTY,
    FORM,
    OF_A_SCHEMA,
    OF_AN_ADDRESS,
    OF_AN_ANSWER,
    OF_THE_SERVER,
    is_missing,
    is_of_a_pattern,
    is_of_a_program,
    list_complaints,
    list_quoted,
    list_texts,
)
from errata.classification._blame._failing_site import FailingSite, TracePath
from errata.classification._blame._flow import Flow
from errata.classification._blame._provenance import LITERAL, Provenance, merge
from errata.classification._blame._shapes import (
    asks_whether_known,
    asks_whether_there,
    builds_from_data,
    does_something,
    find_asserted_test,
    find_assigned_value,
    find_iterated_call,
    guards_of,
    name_of,
    operands_of,
)
from errata.classification._blame._signals import Evidence
from errata.classification._blame._tracing import Case, flow_along, is_tool
from errata.classification._foreign import call_method, peek, read_argument, read_text
from errata.model import is_a, is_any, items_of

_LONGEST_TEXT = 20_000
_LONGEST_NAME = 1_000
_NOTHING = "'NoneType' object"
_ABSENT = object()
_SIGNATURE = ("positional argument", "unexpected keyword", "required keyword-only", "multiple values for")
_GENERAL = frozenset({Exception, RuntimeError, AssertionError, OSError, SystemError})
"""Classes that say nothing about what a library was given."""
_OF_A_VALUE = (ValueError, ArithmeticError, LookupError, RecursionError, SyntaxError, MemoryError)
"""Python's own exceptions about a value, and what inherits from them."""
_TEMPLATES = {"format", "format_map", "substitute"}
_READERS = ("read", "open", "load", "imread", "from_file")


_CHECKS: dict[tuple[object, ...], tuple[list[Evidence], bool]] = {}
_MOST_CHECKS = 512


class FailingExpression:
    """What the failing expression says."""

    __slots__ = ("_case", "is_lookup", "is_template", "is_written", "whole")

    def __init__(self, case: Case) -> None:
        self._case = case
        self.is_written = False
        """Whether somebody wrote the text, in a `raise` or an `assert` of the server's own code."""
        self.is_lookup = False
        """Whether something was looked up and is not there."""
        self.is_template = False
        """Whether a template asks for something that nothing fills in."""
        self.whole: str | None = None
        """The argument that the operand is, to the letter."""

    @property
    def _flow(self) -> Flow:
        return self._case.flow

    def evidence(self) -> list[Evidence]:
        """Return the evidence in the expression that failed."""
        case = self._case
        if case.site is None or case.node is None:
            return list(self._without_source())
        if (
            is_a(case.error, AssertionError)
            and case.is_own_failure
            and (test := find_asserted_test(case.site)) is not None
        ):
            self.is_written = bool(case.text)
            return list(self._of_check([test]))
        if isinstance(case.node, ast.Raise):
            self.is_written = bool(case.text)
            return self._of_raise(case.site)
        return list(self._of_expression(case.node))

    def _of_raise(self, site: FailingSite) -> list[Evidence]:
        """Return the evidence of a `raise`, remembered for each choice of arguments: it is the commonest failure of all."""
        sent = (name for name in site.parameters if name in self._case.call.arguments)
        is_lookup = is_a(self._case.error, LookupError) or is_missing(self._case.error)
        key = (site.node, is_lookup, *sent)
        known = _CHECKS.get(key)
        if known is None:
            evidence = list(self._of_check(guards_of(site)))
            if not is_tool(site, self._case.call):
                return evidence
            if len(_CHECKS) >= _MOST_CHECKS:
                _CHECKS.clear()
            known = _CHECKS[key] = (evidence, self.is_lookup)
        self.is_lookup = known[1]
        return list(known[0])

    def _without_source(self) -> Iterator[Evidence]:
        """Without source, look whether the library's first frame was given an argument itself."""
        frame = self._case.trail.beyond
        if frame is not None and (paths := self._case.values.held_by(frame)):
            yield Evidence("statement", paths)

    def _of_expression(self, node: ast.AST) -> Iterator[Evidence]:
        error, own = self._case.error, self._case.is_own_failure
        if not own and (lazy := find_iterated_call(node)) is not None:
            node = lazy  # A library's generator, which fails when it is asked for the first item.
        match node:
            case ast.Subscript() if is_a(error, LookupError) or (
                is_a(error, TypeError) and isinstance(node.ctx, ast.Load)
            ):
                yield from self._of_subscript(node)
            case ast.Attribute(ctx=ast.Load()) if own:
                yield from self._of_attribute(node)
            case ast.BinOp() if own or is_a(error, ZeroDivisionError):
                yield from self._of_operation(node)
            case ast.Call():
                yield from self._of_call(node)
            case ast.For() | ast.AsyncFor():
                yield from self._of_value(self._flow.value(node.iter))
            case ast.With() | ast.AsyncWith():
                # Otherwise the block is being left, and what fails was put in before, unseen.
                if own or is_a(error, OSError):
                    yield from self._of_value(merge(self._flow.value(item.context_expr) for item in node.items))
            case _:
                assigned = find_assigned_value(node, self._case.site)
                yield from self._of_value(self._flow.value(node if assigned is None else assigned))

    def is_halfway(self) -> bool:
        """Return whether something that was called failed in a loop over an argument, and not at its first item."""
        case = self._case
        if case.site is None or (case.is_own_failure and not isinstance(case.node, ast.Call | ast.Raise)):
            return False
        return any(self._is_in_batch(case.trail.sites[: index + 1]) for index in range(len(case.trail.sites)))

    def _is_in_batch(self, sites: tuple[FailingSite, ...]) -> bool:
        """Return whether the last of some sites is in such a loop."""
        case, site = self._case, sites[-1]
        loops = [parent for parent in site.parents if isinstance(parent, ast.For | ast.AsyncFor | ast.comprehension)]
        if not loops or not does_something(site.node):
            return False
        flow = case.flow if sites == case.trail.sites else flow_along(TracePath(sites, None), case.call, case.values)
        return any(self._is_beyond_first(loop, flow, site) for loop in loops)

    def _is_beyond_first(self, loop: ast.For | ast.AsyncFor | ast.comprehension, flow: Flow, site: FailingSite) -> bool:
        items = flow.value(loop.iter)
        given = self._case.values.value(items.path) if items.path else None
        if not is_a(given, list) or not isinstance(loop.target, ast.Name):
            return bool(items.made_of) and not isinstance(loop, ast.comprehension)
        first = next(iter(cast("list[object]", given)), _ABSENT)
        current = site.frame.f_locals.get(loop.target.id, _ABSENT)
        return first is not _ABSENT and not (current is first or are_equal(current, first))

    # What the evidence is.

    def _accuse(self, signal: str, origin: Provenance) -> Iterator[Evidence]:
        if signal == "operand" and origin.path:
            self.whole = origin.path
        yield Evidence(signal, tuple(sorted(origin.made_of or origin.fetched_by)))

    def _acquit(self, origin: Provenance) -> Iterator[Evidence]:
        """Yield evidence against every argument, unless something in the expression could not be followed."""
        if origin.from_environment:
            yield Evidence("setting")
        elif origin.fetched_by:
            yield Evidence("fetched")
        elif not origin.is_unknown:
            yield Evidence("own")

    def _of_value(self, origin: Provenance) -> Iterator[Evidence]:
        yield from self._accuse("operand", origin) if origin.made_of else self._acquit(origin)

    # Python's own operations.

    def _of_subscript(self, node: ast.Subscript) -> Iterator[Evidence]:
        error = self._case.error
        holder, index = self._flow.value(node.value), self._flow.value(node.slice)
        if is_a(error, TypeError):
            yield from self._of_nothing(holder) if _NOTHING in self._case.text else self._of_type([holder, index])
        elif index.made_of:
            self.is_lookup = is_a(error, KeyError)
            yield from self._accuse("operand", index)
        elif holder.made_of:
            yield from self._accuse("operand", holder)
        elif index.is_unknown:
            return
        elif holder.is_result and holder.fetched_by and is_a(error, IndexError):
            self.is_lookup = True
            yield from self._accuse("selected", holder)
        else:
            yield from self._acquit(merge([holder, index]))

    def _of_attribute(self, node: ast.Attribute) -> Iterator[Evidence]:
        if _NOTHING in self._case.text:
            yield from self._of_nothing(self._flow.value(node.value))
        else:
            yield Evidence("own")

    def _of_nothing(self, holder: Provenance) -> Iterator[Evidence]:
        """Judge a None: it is the caller's if a look-up by an argument returned it, and a bug if it was a part of something."""
        if holder.is_result and holder.arguments:
            self.is_lookup = bool(holder.fetched_by)
            yield from self._accuse("selected", holder)
        else:
            yield Evidence("own")

    def _of_operation(self, node: ast.BinOp) -> Iterator[Evidence]:
        left, right = self._flow.value(node.left), self._flow.value(node.right)
        if is_a(self._case.error, ZeroDivisionError):
            yield from self._of_value(right)
        elif is_a(self._case.error, TypeError):
            yield from self._of_type([left, right])
        else:
            yield from self._of_value(merge([left, right]))

    def _of_type(self, operands: list[Provenance]) -> Iterator[Evidence]:
        """Judge a TypeError: the schema has checked the arguments, so anything else in the expression is more likely."""
        whole = merge(operands)
        is_callers = whole.made_of and not whole.is_foreign and not whole.fetched_by
        yield from self._accuse("operand", whole) if is_callers else iter([Evidence("own")])

    # Calls.

    def _of_call(self, node: ast.Call) -> Iterator[Evidence]:
        error, operands = self._case.error, operands_of(node)
        given = merge(map(self._flow.value, operands))
        holder = self._flow.value(node.func.value) if isinstance(node.func, ast.Attribute) else LITERAL
        whole = merge([holder, given])
        if is_a(error, TypeError) and self._case.is_own_failure:
            yield from self._of_misuse(node, holder, given)
        elif is_a(error, AttributeError) and name_of(node.func) == "getattr" and len(node.args) > 1:
            self.is_lookup = True
            yield from self._of_value(self._flow.value(node.args[1]))
        elif is_a(error, ImportError):
            yield from self._of_import(given)
        elif is_any(error, StopIteration, StopAsyncIteration) or EMPTY.search(self._case.text):
            yield from self._of_empty(whole, [node.func, *operands])
        elif is_a(error, TypeError) and (chosen := self._chosen(node)) is not None:
            yield from self._accuse("operand", chosen)
        elif not whole.arguments:
            if operands or self._case.status is not None or not self._is_stateful(node):
                yield from self._acquit(whole)
        elif is_a(error, RecursionError) and self._is_recursive():
            yield Evidence("own")
        elif is_any(error, *_OF_A_VALUE) or is_of_a_pattern(error):
            yield from self._of_refused_value(node, holder, given)
        else:
            yield from self._of_library(node, holder, operands)

    def _of_misuse(self, node: ast.Call, holder: Provenance, given: Provenance) -> Iterator[Evidence]:
        """Judge a TypeError of the call itself: an unexpected keyword is the caller's if the caller sent the keywords."""
        spread = merge(self._flow.value(keyword.value) for keyword in node.keywords if keyword.arg is None)
        if spread.made_of:
            yield from self._accuse("operand", spread)
        elif any(words in self._case.text for words in _SIGNATURE):
            yield Evidence("own")
        else:
            yield from self._of_type([holder._replace(is_foreign=False), given])

    def _of_import(self, given: Provenance) -> Iterator[Evidence]:
        """Judge a module that is missing: the caller's if its name has the argument in it, and not one that it imports."""
        name = read_text(self._case.error, "name") or ""
        texts = [self._case.values.text(path) for path in given.made_of]
        if any(text and text in name for text in texts):
            self.is_lookup = True
            yield from self._accuse("operand", given)
        else:
            yield Evidence("own")

    def _of_empty(self, origin: Provenance, parts: Iterable[ast.AST]) -> Iterator[Evidence]:
        """Judge an empty selection: the caller's if an argument selected, and not if it came empty from elsewhere."""
        self.is_lookup = not origin.made_of
        if origin.made_of:
            yield from self._accuse("operand", origin)
        elif origin.fetched_by and any(map(self._flow.results_in, parts)):
            yield from self._accuse("selected", origin)
        else:
            yield from self._acquit(origin)

    def _of_missing(self, whole: Provenance, holder: Provenance, given: Provenance) -> Iterator[Evidence]:
        """Judge a library's "not found": the caller's if an argument was looked for, or selected, and not what it led to."""
        if OF_THE_SERVER.search(type(self._case.error).__name__):
            yield Evidence("own")
            return
        self.is_lookup = True
        named = list_complaints(self._case.text)
        mentioned = {
            path for word in named for path in self._case.values.containing(word) or self._case.values.within(word)
        }
        if given.made_of and (mentioned & given.made_of or not named):
            yield from self._accuse("operand", given)
        elif holder.arguments and not given.fetched_by and not named:
            yield from self._accuse("selected", holder)
        elif holder.made_of and mentioned & holder.made_of:
            yield from self._accuse("operand", holder)
        elif given.fetched_by or (given.made_of and holder.fetched_by) or not whole.arguments:
            yield from self._acquit(whole._replace(fetched_by=whole.arguments))
        else:
            yield from self._accuse("parameter", whole)

    def _chosen(self, node: ast.Call) -> Provenance | None:
        """Return the argument that selected what a library cannot do this with: `frame[column].mean()`."""
        match node.func:
            case ast.Attribute(value=ast.Subscript(slice=index)) if not node.args:
                origin = self._flow.value(index)
                return origin if origin.made_of else None
            case _:
                return None

    def _is_stateful(self, node: ast.Call) -> bool:
        """Return whether it is `session.commit()` or its like: what fails there was put in before, unseen."""
        if self._case.is_own_failure or is_a(self._case.error, OSError):
            return False
        return isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)

    def _is_recursive(self) -> bool:
        """Return whether it is the server's own function that calls itself."""
        codes = [site.code for site in self._case.trail.sites]
        return len({*codes}) < len(codes)

    def _of_refused_value(self, node: ast.Call, holder: Provenance, given: Provenance) -> Iterator[Evidence]:
        made = merge([given, holder if holder.made_of else LITERAL])
        is_of_first = OF_AN_ADDRESS.search(type(self._case.error).__name__) or is_of_a_pattern(self._case.error)
        if held := self._case.values.held_as(read_text(self._case.error, "pattern") or ""):
            made = Provenance(frozenset(held))  # A pattern, or what is to replace its matches.
        elif is_of_first and node.args:
            made = self._flow.value(node.args[0])
        elif refused := self._find_refused_keywords(node):
            made = merge(map(self._flow.value, refused))
        if made.made_of and (self._reads_a_file(node) or self._is_about_fetched_text(node, holder)):
            yield Evidence("fetched")
        elif self._is_of_own_template(node, holder) or (made.made_of and self._is_about_another_text(made, holder)):
            yield Evidence("fetched" if holder.fetched_by else "own")
        elif is_missing(self._case.error):
            yield from self._of_missing(merge([holder, given]), holder, given)
        elif made.made_of:
            self.is_template = is_a(self._case.error, KeyError) and name_of(node.func) in _TEMPLATES
            self.is_lookup = is_a(self._case.error, KeyError) and not (builds_from_data(node) or self.is_template)
            yield from self._accuse("operand", made)
        else:
            yield from self._acquit(merge([holder, given]))

    def _is_of_own_template(self, node: ast.Call, holder: Provenance) -> bool:
        """Return whether the key that is missing is one of a template or of a literal of the server's own."""
        key = read_argument(self._case.error)
        if type(self._case.error) is not KeyError or not is_a(key, str):
            return False
        is_template = isinstance(node.func, ast.Attribute) and node.func.attr in _TEMPLATES
        return (is_template and not holder.made_of) or key in list_texts(node)

    def _find_refused_keywords(self, node: ast.Call) -> list[ast.expr]:
        """List what was given for the fields that a model refused, where they were given by name."""
        is_pydantic = type(self._case.error).__module__.startswith("pydantic")
        details = call_method(self._case.error, "errors") if is_pydantic else None
        positions = [items_of(peek(detail, "loc")) for detail in items_of(details)] if details is not None else []
        roots = {str(position[0]) for position in positions if position}
        return [keyword.value for keyword in node.keywords if keyword.arg in roots]

    def _is_about_another_text(self, made: Provenance, holder: Provenance) -> bool:
        """Return whether it is about a text that is no argument: a pattern of the server's own, a value that was stored."""
        error, values = self._case.error, self._case.values
        pattern = read_text(error, "pattern")
        if pattern is not None and is_of_a_pattern(error):
            return not values.is_related_to(pattern)
        if any(is_any(peek(error, name), str, bytes) for name in ("doc", "object")):
            return not any(is_any(values.value(path), str, dict, list) for path in made.made_of)
        is_stored = self._is_of_an_object(holder) and not self._case.is_own_failure
        quoted = [word for word in list_quoted(self._case.text) if not self._names_argument(word)]
        return is_stored and bool(quoted) and not any(map(values.is_related_to, quoted))

    def _is_of_an_object(self, holder: Provenance) -> bool:
        """Return whether a method of something at hand was called, and no function of a module or a class."""
        match self._case.node:
            case ast.Call(func=ast.Attribute(value=value)):
                return holder.is_foreign and not holder.made_of and not self._flow.is_static(value)
            case _:
                return False

    def _of_library(self, node: ast.Call, holder: Provenance, operands: list[ast.expr]) -> Iterator[Evidence]:
        """Judge an exception of a library by what the library was given."""
        text, origins = self._case.text, [*map(self._flow.value, operands)]
        whole = merge([holder, *origins])
        if is_missing(self._case.error):
            yield from self._of_missing(whole, holder, merge(origins))
            return
        is_about_answer = OF_AN_ANSWER.search(type(self._case.error).__name__) and self._case.status is None
        if (
            is_about_answer
            or self._is_about_fetched_text(node, holder)
            or (not whole.made_of and self._case.status is None)
        ):
            yield from self._acquit(whole._replace(fetched_by=whole.arguments))
            return
        main = self._main_operand(node, holder, operands, origins)
        if main.made_of:
            self.whole = main.path
            yield from self._accuse("statement", main)
            yield from self._accuse("form", main) if FORM.search(text) else ()
        if others := whole.arguments - main.made_of:
            yield Evidence("parameter", tuple(sorted(others)))
            is_only_one = len(others) == 1 and not main.made_of and self._case.status is None
            if (is_of_a_program(self._case.error) or is_only_one) and FORM.search(text):
                yield Evidence("form", tuple(sorted(others)))
        if holder.is_indirect and not whole.made_of:
            yield Evidence("fetched")
        if BROKEN.search(text) or (DAMAGED.search(text) and self._case.values.mentioned_in(text.lower())):
            yield Evidence("broken")
        is_written_out = self._is_written_out(operands) and not (main.made_of and "syntax" in text.lower())
        if is_written_out or (OF_A_SCHEMA.search(text) and not main.made_of):
            yield Evidence("literal")

    def _is_about_fetched_text(self, node: ast.Call, holder: Provenance) -> bool:
        """Return whether it is about a text that was fetched: a stored template, the content of a file that an argument names."""
        spread = (keyword.value for keyword in node.keywords if keyword.arg is None)
        if not ABOUT_A_TEXT.search(type(self._case.error).__name__) or any(
            self._flow.value(value).made_of for value in spread
        ):
            return False
        if is_missing(self._case.error):
            return False
        names_file = bool(node.args) and self._is_file_name(node.args[0])
        return names_file or bool(holder.fetched_by and not holder.made_of)

    def _reads_a_file(self, node: ast.Call) -> bool:
        """Return whether a call reads a file whose name is given: then it is not the name that cannot be read."""
        return name_of(node.func).startswith(_READERS) and bool(node.args) and self._is_file_name(node.args[0])

    def _is_file_name(self, node: ast.expr) -> bool:
        match node:
            case ast.BinOp(op=ast.Div()):
                return True
            case ast.JoinedStr(values=values):
                texts = [str(each.value) for each in values if isinstance(each, ast.Constant)]
                return any("/" in text or "." in text for text in texts)
            case ast.Call(func=ast.Name(id="Path") | ast.Attribute(attr="Path" | "join" | "joinpath")):
                return True
            case ast.Call(func=ast.Name(id="str"), args=[inner]):
                return self._is_file_name(inner)
            case ast.Name(id=name) if self._case.site is not None:
                return _is_file(self._case.site.frame.f_locals.get(name))
            case _:
                return False

    def _main_operand(
        self, node: ast.Call, holder: Provenance, operands: list[ast.expr], origins: list[Provenance]
    ) -> Provenance:
        """Return what a library was mainly given: a statement, a path, an address; not the conditions and values beside it."""
        is_general = type(self._case.error) in _GENERAL and not self._is_words_of_a_library()
        if is_general or is_of_a_program(self._case.error):
            return LITERAL
        if not operands:
            return holder
        made = [origin for origin in origins if origin.made_of]
        first = origins[0] if node.args else made[0] if len(made) == 1 and not holder.fetched_by else LITERAL
        if node.args and isinstance(operands[0], ast.Compare | ast.Lambda):
            first = LITERAL
        return first

    def _is_words_of_a_library(self) -> bool:
        """Return whether it is an OSError that the system has not raised: some libraries say so what they cannot do."""
        return type(self._case.error) is OSError and peek(self._case.error, "errno") is None

    def _is_written_out(self, operands: Iterable[ast.expr]) -> bool:
        """Return whether a word that the text complains about stands in a text of the server's own, and in no argument."""
        if is_a(self._case.error, OSError) or is_of_a_program(self._case.error) or CONSTRAINT.search(self._case.text):
            return False
        words = {part for word in list_complaints(self._case.text) for part in (word, word.rpartition(".")[2]) if part}
        words = {word for word in words if not self._case.values.containing(word) and not self._names_argument(word)}
        texts = [text for operand in operands for text in self._own_texts(operand)] if words else []
        return any(has_word(text, word) for word in words for text in texts)

    def _names_argument(self, word: str) -> bool:
        return any(part in self._case.call.arguments for part in re.split(r"\W", word))

    def _own_texts(self, operand: ast.expr) -> Iterator[str]:
        for node in ast.walk(operand):
            if isinstance(node, ast.Constant) and is_a(node.value, str):
                yield node.value.lower()
            elif isinstance(node, ast.Name) and self._case.site and not self._flow.value(node).made_of:
                value = self._case.site.frame.f_locals.get(node.id)
                if is_a(value, str):
                    yield value[:_LONGEST_TEXT].lower()

    # Checks of the server's own.

    def _of_check(self, tests: list[ast.AST]) -> Iterator[Evidence]:
        """Judge a `raise` or an `assert` by the tests that led to it."""
        origins = [self._flow.value(test) for test in tests]
        if is_a(self._case.error, LookupError) or is_missing(self._case.error):
            self.is_lookup = True
            yield Evidence("missing", tuple(sorted(merge(origins).arguments)))
        # The closest test that can be followed tells; one about the server's own state speaks for the caller.
        pairs = zip(tests, origins, strict=True)
        telling = next((pair for pair in pairs if pair[1].arguments or pair[1].unsent or not pair[1].is_unknown), None)
        if telling is None:
            return
        test, origin = telling
        if not (origin.arguments or origin.unsent):
            yield from self._acquit(origin)
            return
        if origin.made_of or not origin.fetched_by:
            self.is_lookup = self.is_lookup or asks_whether_known(test)
            yield Evidence("check", tuple(sorted(origin.made_of or origin.unsent)))
        elif asks_whether_there(test) and self._flow.results_in(test):
            self.is_lookup = True
            yield Evidence("selected", tuple(sorted(origin.fetched_by)))
        else:
            yield Evidence("state", tuple(sorted(origin.fetched_by)))


def _is_file(value: object) -> bool:
    """Return whether a value is the name of a file that is there."""
    if is_a(value, PurePath):
        return True
    try:
        return is_a(value, str) and len(value) < _LONGEST_NAME and Path(value).is_file()
    except (OSError, ValueError):
        return False
