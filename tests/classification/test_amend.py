"""What a call changes about a fault, and what it never changes."""

import builtins
import contextlib
import dataclasses
import inspect
import io

import httpx2
import pytest
from hypothesis import given, strategies as st
from support import python_bugs, servers_at_fault as tools
from support.failing_calls import call_of, failure_of, judged
from support.strategies import faults, json_objects, json_values, texts

from errata import Code, FaultError, Retry, classify, register
from errata.classification import Call
from errata.classification._amend import OPEN

CLOSED = sorted(code for code in Code if code.retry is Retry.NEVER and code not in OPEN)
NAMES = ["region", "order_id", "name", "path", "user", "amount"]
annotations = st.none() | st.dictionaries(
    st.sampled_from(["readOnlyHint", "idempotentHint", "destructiveHint"]), st.booleans()
)
arguments = st.dictionaries(st.sampled_from(NAMES) | texts, json_values, max_size=4)
schemas = st.fixed_dictionaries(
    {"properties": st.dictionaries(st.sampled_from(NAMES) | texts, json_objects, max_size=4)}
)
verbs = st.sampled_from(["get_order", "create_order", "delete_order", "send", "process", ""])
calls = st.builds(
    Call, tool=verbs, arguments=arguments, schema=schemas | json_objects, annotations=annotations, function=st.none()
)


# Refusals that no argument mends.


class Refused(Exception):  # noqa: N818 - a name that says nothing.
    pass


def refuse_for(name, value):
    """Raise what is registered for a code, in a check of an argument and with its name and value in the text."""
    if name and value is not ...:
        raise Refused(f"{name} is refused: {value!r}")


@pytest.mark.parametrize("code", CLOSED)
@given(name=st.sampled_from(NAMES), value=json_values, call=calls)
def test_no_argument_opens_a_verdict_that_is_closed(code, name, value, call):
    sent = {**call.arguments, "name": name, "value": value, name: value}
    take_back = register(Refused, code)
    try:
        error = failure_of(refuse_for, {"name": name, "value": value})
        given_call = Call(
            tool=call.tool, arguments=sent, schema=call.schema, annotations=call.annotations, function=refuse_for
        )
        fault = classify(error, given_call)
    finally:
        take_back()
    assert (fault.code, fault.retry, fault.field) == (code, Retry.NEVER, None)


def test_closed_codes_are_those_that_say_whose_doing_it_was():
    assert {Code.UNAUTHORIZED, Code.FORBIDDEN, Code.CONFIGURATION_ERROR, Code.INSUFFICIENT_BALANCE, Code.GONE} <= {
        *CLOSED
    }
    assert not OPEN & {*CLOSED}


def test_a_check_of_an_argument_opens_what_is_open():
    take_back = register(Refused, Code.UNKNOWN_ERROR)
    try:
        fault = judged(refuse_for, {"name": "region", "value": "nort"}).fault
    finally:
        take_back()
    assert fault.retry is Retry.FIX_INPUT


@pytest.mark.parametrize("status", [401, 402, 403, 410, 429, 503])
@given(call=calls, value=texts)
def test_no_argument_opens_what_an_upstream_refuses(status, call, value):
    request = httpx2.Request("GET", "https://api.example.org/orders")
    response = httpx2.Response(status, json={"message": f"region {value}"}, request=request)
    try:
        response.raise_for_status()
    except httpx2.HTTPStatusError as error:
        without, fault = classify(error), classify(error, call)
    assert fault.code is without.code
    assert not fault.retry.exceeds(without.retry)
    assert fault.retry is not Retry.FIX_INPUT or without.retry is Retry.FIX_INPUT


# Faults that were raised on purpose, and exceptions of every class.


def built_in(name, text):
    kind = getattr(builtins, name)
    return python_bugs.MAKERS[name](text) if name in python_bugs.MAKERS else kind(text)


BUILT_IN = sorted(
    name
    for name, cls in inspect.getmembers(builtins, inspect.isclass)
    if issubclass(cls, BaseException) and not issubclass(cls, Warning) and cls.__name__ == name
)
errors = st.builds(
    built_in, st.sampled_from(BUILT_IN), texts | st.sampled_from(["503 Service Unavailable", "not found"])
)


@given(fault=faults, call=calls)
def test_a_fault_that_was_raised_on_purpose_is_the_same_with_any_call(fault, call):
    error = FaultError.from_fault(fault)
    with_call, without = classify(error, call), classify(error)
    assert (with_call.code, with_call.retry, with_call.message) == (without.code, without.retry, without.message)


@given(error=errors, call=calls)
def test_a_call_never_licenses_a_repetition_that_the_exception_does_not(error, call):
    assert not classify(error, call).retry.exceeds(classify(error).retry)


@given(error=errors, call=calls)
def test_a_field_is_a_path_into_the_arguments_or_a_property_of_the_schema(error, call):
    field = classify(error, call).field
    assert field is None or field in {path for path, _ in call.leaves()} | {*call.properties()}


FLOWS = [
    (tools.get_region, "region"), (tools.get_size, "size"), (tools.get_order, "order_id"), (tools.get_metric, "metric"),
    (tools.parse_payload, "payload"), (tools.parse_day, "day"), (tools.convert_amounts, "amounts"), (tools.root, "value"),
    (tools.with_kwargs, "options"), (tools.read_path, "path"), (tools.run_query, "sql"), (tools.get_user, "user"),
    (tools.save_customer, "customer"), (tools.quote, "currency"), (tools.convert_with_lambda, "amounts"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "name"), FLOWS, ids=lambda each: getattr(each, "__name__", None))
@given(value=json_values)
def test_a_field_of_a_tool_that_fails_is_a_path_into_its_arguments(tool, name, value):
    call, error = call_of(tool, {name: value}), failure_if_any(tool, {name: value})
    if error is not None:
        fault = classify(error, call)
        assert fault.field is None or fault.field in {path for path, _ in call.leaves()}
        assert not fault.retry.exceeds(classify(error).retry)


def failure_if_any(tool, arguments):
    with contextlib.suppress(AssertionError):
        return failure_of(tool, arguments)


@pytest.mark.parametrize(("tool", "name"), FLOWS, ids=lambda each: getattr(each, "__name__", None))
def test_without_a_call_a_traceback_changes_nothing(tool, name):
    error = failure_of(tool, {name: {"a": ["b"]} if tool is tools.with_kwargs else "nort"})
    before, after = classify(error), classify(error.with_traceback(None))
    assert dataclasses.replace(after, correlation_id=before.correlation_id, timestamp=before.timestamp) == before


# Secrets.


def looks_up(password: str):
    return tools.REGIONS[password]


def looks_up_attribute(password: str):
    return getattr(tools.REPORT, password)


def selects(password: str):
    return next(region for region in tools.REGIONS if region == password)


def asks_upstream(password: str):
    return tools.UPSTREAM.get(f"/users/{password}").raise_for_status()


def divides(password: str):
    return 1 / password.count("\0")


def reads_number(password: str):
    return int(password)


def reads_choice(password: str):
    return tools.Size(password)


def reads_file(password: str):
    return (tools.FOLDER / password).read_text()


def checks(password: str):
    if len(password) > 3:
        raise RuntimeError(f"nobody has {password}")


def imports(password: str):
    return __import__(password)


def queries(password: str):
    return tools.DATABASE.execute(password)


def looks_up_inside(config: dict):
    return tools.REGIONS[config["api_key"]]


SILENT = [looks_up, looks_up_attribute, selects, asks_upstream, divides]
secrets = st.from_regex(r"[a-z]{6}[0-9][A-Z]{6}[a-z0-9]{6}", fullmatch=True)


@pytest.mark.parametrize("tool", SILENT, ids=lambda tool: tool.__name__)
@given(secret=secrets)
def test_the_value_of_a_secret_argument_is_never_said(tool, secret):
    fault = judged(tool, {"password": secret}).fault
    assert secret not in repr((fault.message, fault.issues, fault.recovery, fault.field))


@pytest.mark.parametrize(
    "tool", [reads_number, reads_choice, reads_file, checks, queries], ids=lambda tool: tool.__name__
)
@given(secret=secrets)
def test_the_judgement_adds_no_secret_to_what_is_said_without_it(tool, secret):
    fault = judged(tool, {"password": secret}).fault
    assert secret not in repr((fault.issues, fault.recovery, fault.field))


@pytest.mark.parametrize(
    "tool", [reads_number, reads_choice, reads_file, checks, queries], ids=lambda tool: tool.__name__
)
def test_no_text_that_quotes_a_secret_argument_is_said(tool):
    assert "hX7kPq29LmZwaa" not in judged(tool, {"password": "hX7kPq29LmZwaa"}).fault.message


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [(imports, {"password": "hX7kPq29LmZwaa"}), (looks_up_inside, {"config": {"api_key": "hX7kPq29LmZwaa"}})],
    ids=["module", "inside"],
)
def test_a_sentence_that_the_judgement_makes_does_not_say_a_secret(tool, arguments):
    assert "hX7kPq29LmZwaa" not in judged(tool, arguments).fault.message


# Python's own text, and what somebody wrote.

# fmt: off
PROVOKED = {
    "ArithmeticError": python_bugs.arithmetic, "AssertionError": python_bugs.asserted, "AttributeError": python_bugs.attribute, "BufferError": python_bugs.buffer,
    "EOFError": python_bugs.end_of_file, "ImportError": python_bugs.imported, "IndentationError": python_bugs.indentation, "IndexError": python_bugs.index,
    "KeyError": python_bugs.key, "LookupError": python_bugs.lookup, "MemoryError": python_bugs.memory, "NameError": python_bugs.name, "OverflowError": python_bugs.overflow,
    "RecursionError": python_bugs.recursion, "ReferenceError": python_bugs.reference, "StopAsyncIteration": python_bugs.stop_later,
    "StopIteration": python_bugs.stop, "SyntaxError": python_bugs.syntax, "TabError": python_bugs.tab, "TypeError": python_bugs.type_of,
    "UnboundLocalError": python_bugs.unbound, "ValueError": python_bugs.value, "ZeroDivisionError": python_bugs.arithmetic,
}
"""Bugs, whose text is withheld."""
OF_THE_MACHINE = {
    "FileExistsError": (python_bugs.file_there, Code.CONFIGURATION_ERROR),
    "FileNotFoundError": (python_bugs.missing_file, Code.CONFIGURATION_ERROR),
    "IsADirectoryError": (python_bugs.folder, Code.CONFIGURATION_ERROR),
    "ModuleNotFoundError": (python_bugs.module, Code.CONFIGURATION_ERROR),
    "NotADirectoryError": (python_bugs.no_folder, Code.CONFIGURATION_ERROR),
    "NotImplementedError": (python_bugs.not_implemented, Code.NOT_IMPLEMENTED),
    "UnicodeDecodeError": (python_bugs.unicode_decoded, Code.SERIALIZATION_ERROR),
    "UnicodeEncodeError": (python_bugs.unicode_encoded, Code.SERIALIZATION_ERROR),
    "UnicodeError": (python_bugs.unicode_of_idna, Code.SERIALIZATION_ERROR),
}
"""What the server lacks or cannot read: it is said, and no argument is blamed."""
NOT_A_BUG = {
    "BaseException", "BaseExceptionGroup", "Exception", "ExceptionGroup", "GeneratorExit", "KeyboardInterrupt", "SystemExit",
    # Python raises them only for an outage, a signal, a right or a bug of its own.
    "BlockingIOError", "BrokenPipeError", "ChildProcessError", "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError",
    "ConnectionResetError", "FloatingPointError", "InterruptedError", "OSError", "PermissionError", "ProcessLookupError",
    "PythonFinalizationError", "SystemError", "TimeoutError", "UnicodeTranslateError", "_IncompleteInputError",
}
RUNTIME = {"RuntimeError": python_bugs.runtime}
# fmt: on


@pytest.mark.parametrize("name", BUILT_IN)
def test_it_is_decided_what_each_built_in_exception_means_in_a_tool(name):
    assert sum(name in each for each in (PROVOKED, OF_THE_MACHINE, NOT_A_BUG, RUNTIME)) == 1


@pytest.mark.parametrize(("name", "tool"), PROVOKED.items(), ids=PROVOKED)
def test_pythons_own_text_of_a_bug_is_withheld(name, tool, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    error = failure_of(tool, {"title": "north"})
    assert isinstance(error, getattr(builtins, name))
    fault = classify(error, call_of(tool, {"title": "north"}))
    assert (fault.code, fault.retry, fault.field) == (Code.INTERNAL_ERROR, Retry.NEVER, None)
    assert fault.message == Code.INTERNAL_ERROR.sentence


@pytest.mark.parametrize(
    ("name", "tool", "code"), [(name, *row) for name, row in OF_THE_MACHINE.items()], ids=OF_THE_MACHINE
)
def test_what_the_server_lacks_is_said_and_no_argument_is_blamed(name, tool, code):
    error = failure_of(tool, {"title": "north"})
    assert isinstance(error, getattr(builtins, name))
    fault = classify(error, call_of(tool, {"title": "north"}))
    assert (fault.code, fault.retry, fault.field) == (code, Retry.NEVER, None)


def test_pythons_own_text_of_a_runtime_error_is_withheld():
    fault = judged(python_bugs.runtime, {"title": "north"}).fault
    assert (fault.code, fault.message) == (Code.INTERNAL_ERROR, Code.INTERNAL_ERROR.sentence)


@pytest.fixture(autouse=True)
def makers(monkeypatch):
    """Every built-in exception can be raised with a sentence."""
    plain = {name: getattr(builtins, name) for name in BUILT_IN if name not in python_bugs.MAKERS}
    monkeypatch.setattr(python_bugs, "MAKERS", {**plain, **python_bugs.MAKERS})


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [(python_bugs.refuse_amount, {"amount": 4}), (python_bugs.refuse_by_own_state, {})],
    ids=["argument", "state"],
)
def test_what_somebody_wrote_is_said(name, tool, arguments):
    fault = judged(tool, {"kind": name, **arguments}).fault
    assert python_bugs.SENTENCE in fault.message
    assert fault.message != Code.INTERNAL_ERROR.sentence
