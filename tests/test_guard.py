"""Guards: a failure is logged once, means something afterwards, and keeps its secrets."""

import asyncio
import json
import logging
import subprocess

import pytest

from errata import Code, FaultError, Retry, dialects, guard, not_found, try_catch

SECRET = "sk-" + "proj-" + "Ab3" * 16


class Keeper(logging.Handler):
    def __init__(self):
        super().__init__()
        self.records = []

    def emit(self, record):
        self.records.append(record)


@pytest.fixture
def records():
    keeper, log = Keeper(), logging.getLogger("errata")
    log.addHandler(keeper)
    yield keeper.records
    log.removeHandler(keeper)


def parse(text):
    return try_catch(lambda: json.loads(text), operation="Config.parse", code=Code.CONFIGURATION_ERROR)


def test_what_succeeds_is_given_back_and_nothing_is_logged(records):
    assert parse("[1]") == [1]
    with guard("Orders.load"):
        pass
    assert not records


def test_a_failure_is_raised_with_the_authors_code_and_its_cause(records):
    with pytest.raises(FaultError) as caught:
        parse("{")
    assert caught.value.code is Code.CONFIGURATION_ERROR
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)
    assert len(records) == 1


def test_without_a_code_the_exception_is_classified():
    with pytest.raises(FaultError) as caught, guard("Orders.load"):
        raise ConnectionRefusedError(111, "refused")
    assert (caught.value.code, caught.value.fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


def test_a_fault_keeps_its_own_code_and_is_the_same_exception(records):
    error = not_found("No order 17.")
    with pytest.raises(FaultError) as caught, guard("Orders.load", code=Code.DATABASE_ERROR):
        raise error
    assert caught.value is error
    assert records[0].errata["code"] == "NOT_FOUND"
    assert records[0].errata["correlation_id"] == error.fault.correlation_id


def test_the_authors_code_does_not_license_a_repetition_that_is_known_to_do_harm():
    with pytest.raises(FaultError) as caught, guard("Payments.send", code=Code.SERVICE_UNAVAILABLE):
        raise TimeoutError
    assert caught.value.fault.retry is Retry.IF_HARMLESS
    with pytest.raises(FaultError) as caught, guard("Payments.send", code=Code.SERVICE_UNAVAILABLE):
        raise KeyError("x")
    assert caught.value.fault.retry is Retry.SAME_CALL


def test_async_functions_are_guarded_where_they_are_awaited(records):
    async def fetch():
        raise TimeoutError("read")

    async def main():
        with pytest.raises(FaultError) as caught:
            await try_catch(fetch, operation="Api.fetch")
        return caught.value.code

    assert asyncio.run(main()) is Code.TIMEOUT
    assert len(records) == 1


def test_async_blocks_and_decorated_functions_are_guarded():
    @guard("Api.sync")
    def sync(value):
        raise PermissionError(value)

    @guard("Api.async")
    async def later(value):
        raise PermissionError(value)

    async def main():
        with pytest.raises(FaultError, match="a"):
            sync("a")
        with pytest.raises(FaultError, match="b"):
            await later("b")
        with pytest.raises(FaultError, match="c"):
            async with guard("Api.block"):
                raise PermissionError("c")

    asyncio.run(main())
    assert (sync.__name__, later.__name__) == ("sync", "later")


@pytest.mark.parametrize("error", [asyncio.CancelledError(), KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_what_is_no_failure_passes_untouched_and_unlogged(error, records):
    with pytest.raises(type(error)) as caught, guard("Orders.load"):
        raise error
    assert caught.value is error
    assert not records


def test_a_real_cancellation_ends_a_guarded_task(records):
    async def main():
        async with guard("Orders.wait"):
            await asyncio.Event().wait()

    async def cancel():
        task = asyncio.create_task(main())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(cancel())
    assert not records


def test_the_record_has_everything_and_no_secret(records):
    context = {
        "request_id": "req-7",
        "url": f"https://api.example.com/?token={SECRET}",
        "timestamp": "2026-11-16T02:00:00Z",
    }
    with (
        pytest.raises(FaultError) as caught,
        guard("Api.fetch", context=context, input={"password": "hunter2-and-more", "page": 3}, critical=True),
    ):
        raise RuntimeError(f"refused {SECRET}")
    (record,) = records
    assert (record.levelno, record.exc_info) == (logging.CRITICAL, None)
    assert record.errata["operation"] == "Api.fetch"
    assert record.errata["input"]["page"] == 3
    assert record.errata["correlation_id"] == "req-7" == caught.value.fault.correlation_id
    assert record.errata["timestamp"] == "2026-11-16T02:00:00Z" == caught.value.fault.timestamp
    assert "test_guard.py" in record.errata["stack"]
    written = record.getMessage() + json.dumps(record.errata)
    assert SECRET not in written
    assert "hunter2" not in written


def test_the_log_has_the_end_of_what_a_program_wrote_and_no_secret(records):
    output = f"step 1\nfatal: cannot read https://deploy:{SECRET}@example.com/app.git\n".encode()
    failed = subprocess.CalledProcessError(128, ["git", "push"], stderr=b"old\n" * 10_000 + output)
    with pytest.raises(FaultError), guard("Repository.push"):
        raise RuntimeError("could not push") from failed
    (record,) = records
    assert "CalledProcessError came with this output:\n" in record.errata["stack"]
    assert "fatal: cannot read" in record.errata["stack"]
    assert len(record.errata["stack"]) < 8_000
    assert SECRET not in record.getMessage()


def test_a_secret_for_a_reference_is_neither_logged_nor_sent(records):
    with pytest.raises(FaultError) as caught, guard("Api.fetch", context={"request_id": f"Bearer {SECRET}"}):
        raise RuntimeError("it failed")
    sent = json.dumps([dialects.get(name).encode(caught.value.fault) for name in dialects.names()])
    assert SECRET not in sent + records[0].getMessage() + json.dumps(records[0].errata)


def test_a_context_of_the_wrong_kind_costs_no_failure():
    with pytest.raises(FaultError, match="it failed"), guard("Api.fetch", context=[1]):
        raise RuntimeError("it failed")


def test_whatever_is_to_be_awaited_is_guarded():
    class Fetch:
        async def __call__(self):
            raise TimeoutError

    async def main():
        with pytest.raises(FaultError):
            await guard("Api.fetch")(Fetch())()

    asyncio.run(main())


def test_a_generator_cannot_be_guarded_from_outside():
    def numbers():
        yield 1

    with pytest.raises(TypeError, match="inside it"):
        guard("Api.fetch")(numbers)


def test_neither_stack_nor_input_nor_context_is_sent():
    with pytest.raises(FaultError) as caught, guard("Api.fetch", context={"host": "zurich"}, input={"page": 31}):
        raise RuntimeError("it failed")
    for name in dialects.names():
        wire = json.dumps(dialects.get(name).encode(caught.value.fault))
        assert "zurich" not in wire
        assert "page" not in wire
        assert "Traceback" not in wire


def test_the_stack_can_be_left_out(records):
    with pytest.raises(FaultError), guard("Api.fetch", include_stack=False):
        raise RuntimeError("it failed")
    assert "stack" not in records[0].errata
    assert "Traceback" not in records[0].getMessage()


def test_a_mapper_makes_the_exception():
    with (
        pytest.raises(LookupError, match="mapped") as caught,
        guard("Api.fetch", error_mapper=lambda _: LookupError("mapped")),
    ):
        raise RuntimeError("it failed")
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize("mapper", [lambda _: 1 / 0, lambda _: "no exception"])
def test_a_mapper_that_fails_does_not_hide_the_failure(mapper):
    with pytest.raises(FaultError, match="it failed"), guard("Api.fetch", error_mapper=mapper):
        raise RuntimeError("it failed")


class UnprintableError(Exception):
    def __str__(self):
        raise ValueError("no")


def test_an_exception_that_cannot_be_printed_is_logged_and_raised(records):
    with pytest.raises(FaultError), guard("Api.fetch", input=object(), context={"self": records}):
        raise UnprintableError
    assert len(records) == 1


@pytest.mark.parametrize(
    ("operation", "options", "says"),
    [("", {}, "operation"), ("x", {"cod": Code.GONE}, "code"), ("x", {"code": "NOPE"}, "Code")],
)
def test_a_guard_that_cannot_work_says_so_at_once(operation, options, says):
    with pytest.raises((TypeError, ValueError), match=says):
        guard(operation, **options)


def test_ten_megabytes_are_logged_in_part_and_without_the_secret(records):
    text = f"{SECRET} password='x1y2z3' " * 200_000
    with pytest.raises(FaultError), guard("Api.fetch", input=text, context={"body": text}):
        raise RuntimeError(text)
    assert len(records[0].getMessage()) < 40_000
    assert SECRET not in records[0].getMessage() + json.dumps(records[0].errata)
