"""Which request an answer belongs to, whatever is answered when."""

import json

import pytest
from hypothesis import given, strategies as st

from errata.wire import CallMemory, Ledger, Pending, _ledger, first_message, read_messages

IDS = [1, "1", 2, "a", 1.5, -3]
ids = st.sampled_from(IDS)


def request(number, method="tools/call", **params):
    frame = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    return first_message(frame)


def call(number, tool="pay", **arguments):
    return request(number, name=tool, arguments=arguments)


def key_of(number):
    return json.dumps(number)


@given(st.lists(st.tuples(st.sampled_from(["begin", "take", "find", "put back"]), ids), max_size=40))
def test_every_answer_finds_the_last_request_with_its_id_whatever_came_in_between(steps):
    ledger, model, taken = Ledger(), {}, {}
    for step, number in steps:
        key = key_of(number)
        if step == "begin":
            model.pop(key, None)
            model[key] = ledger.begin(call(number))
        elif step == "take":
            taken[key] = model.pop(key, None)
            assert ledger.take(key) is taken[key]
        elif step == "find":
            assert ledger.find(key) is model.get(key)
        elif pending := taken.get(key):
            model.setdefault(key, pending)
            ledger.put_back(pending)
        assert ledger.pending == tuple(model.values())
        assert len(ledger) == len(model)


@given(st.permutations(IDS))
def test_answers_may_come_in_any_order(order):
    ledger = Ledger()
    sent = {key_of(number): ledger.begin(call(number)) for number in IDS}

    assert [ledger.take(key_of(number)) for number in order] == [sent[key_of(number)] for number in order]
    assert ledger.pending == ()


def test_nobody_waits_for_an_answer_without_an_id():
    ledger = Ledger()
    ledger.begin(call(1))

    assert ledger.take(None) is None
    assert ledger.find(None) is None
    assert ledger.take("2") is None
    assert len(ledger) == 1


def test_a_request_that_is_put_back_does_not_hide_a_newer_one_of_its_id():
    ledger = Ledger()
    ledger.begin(call(1))
    old = ledger.take("1")
    new = ledger.begin(call(1))
    ledger.put_back(old)

    assert ledger.take("1") is new


def test_a_peer_that_never_answers_costs_so_many_requests_at_most(monkeypatch):
    monkeypatch.setattr(_ledger, "_MOST_PENDING", 3)
    ledger = Ledger()
    for number in range(10):
        ledger.begin(call(number))

    assert [pending.key for pending in ledger.pending] == ["7", "8", "9"]
    ledger.begin(call(8))  # An id that is used again costs no other request its place.
    assert [pending.key for pending in ledger.pending] == ["7", "9", "8"]


def test_large_requests_cost_so_many_characters_at_most(monkeypatch):
    monkeypatch.setattr(_ledger, "_MOST_CHARACTERS", 2_500)
    ledger = Ledger()
    for number in range(10):
        ledger.begin(call(number, text="x" * 1_000))
    assert [pending.key for pending in ledger.pending] == ["8", "9"]

    ledger.take("9")
    ledger.begin(call(10, text="x" * 1_000))
    assert [pending.key for pending in ledger.pending] == ["8", "10"]
    ledger.begin(call(11, text="x" * 10_000))  # The youngest one is never forgotten.
    assert [pending.key for pending in ledger.pending] == ["11"]


def test_calls_with_a_task_cost_so_many_at_most(monkeypatch):
    monkeypatch.setattr(_ledger, "_MOST_KEPT", 2)
    ledger = Ledger()
    for number in range(5):
        ledger.note_answer(ledger.begin(call(number)), {"taskId": f"t{number}"})

    known = [ledger.begin(request(9, "tasks/get", taskId=f"t{number}")).call for number in range(5)]
    assert [pending and pending.key for pending in known] == [None, None, None, "3", "4"]


def test_the_tasks_of_many_conversations_share_a_limit_and_those_that_are_over_are_forgotten_first(monkeypatch):
    monkeypatch.setattr(_ledger, "_MOST_KEPT", 2)
    memory = CallMemory()
    first, second, third = (Ledger(memory) for _ in range(3))
    for ledger in (first, second):
        ledger.note_answer(ledger.begin(call(1)), {"taskId": "t"})
    second.note_answer(second.begin(request(2, "tasks/get", taskId="t")), {"taskId": "t", "status": "completed"})
    third.note_answer(third.begin(call(1, "refund")), {"taskId": "t"})

    calls = [ledger.begin(request(3, "tasks/get", taskId="t")).call for ledger in (first, second, third)]
    assert [each and each.tool for each in calls] == ["pay", None, "refund"]


def test_of_a_large_call_with_a_task_little_is_kept():
    ledger = Ledger()
    arguments = {"to": "ann", "amount": 5, "note": "x" * 100_000, "parts": [{}] * 100_000, "is_due": True}
    ledger.note_answer(ledger.begin(call("a", **arguments), version="2025-11-25", sent_s=1.0), {"taskId": "t"})

    kept = ledger.begin(request(2, "tasks/result", taskId="t")).call
    assert (kept.key, kept.tool, kept.version, kept.sent_s) == ('"a"', "pay", "2025-11-25", 1.0)
    assert kept.arguments == {"to": "ann", "amount": 5, "is_due": True}
    assert first_message(kept.frame()).params == kept.params
    assert len(kept.frame()) < 1_000


@given(
    st.dictionaries(st.text(), st.none() | st.floats() | st.integers() | st.text() | st.lists(st.none()), max_size=50)
)
def test_what_is_kept_of_a_call_is_a_call(arguments):
    pending = Ledger().describe(call(1.5, text="x" * 2_000, **{f"_{name}": value for name, value in arguments.items()}))
    again = first_message(pending.shorten().frame())

    assert (again.key, again.method, again.params["name"]) == ("1.5", "tools/call", "pay")


@pytest.mark.parametrize("result", [{"task": {"taskId": "t"}}, {"resultType": "task", "taskId": "t"}])
@pytest.mark.parametrize("method", ["tasks/get", "tasks/result"])
def test_a_question_about_a_task_is_about_the_call_that_has_become_it(result, method):
    ledger = Ledger()
    pay = ledger.begin(call(1, amount=5))
    ledger.note_answer(ledger.take("1"), result)

    for number in (2, 3):  # It may be asked about again and again.
        asked = ledger.begin(request(number, method, taskId="t"))
        assert asked.tool is None
        assert asked.call is pay
        ledger.note_answer(ledger.take(asked.key), {"status": "completed", "taskId": "t", "result": {"isError": True}})
    assert ledger.begin(request(4, "tasks/cancel", taskId="t")).call is None


@pytest.mark.parametrize("task_id", [5, None, ["t"], {}])
def test_a_task_whose_name_is_no_text_is_none(task_id):
    ledger = Ledger()
    ledger.note_answer(ledger.begin(call(1)), {"taskId": task_id})
    ledger.note_answer(ledger.begin(call(2)), {"taskId": str(task_id)})

    assert ledger.begin(request(3, "tasks/get", taskId=task_id)).call is None


def test_what_is_answered_to_others_makes_no_task():
    ledger = Ledger()
    ledger.note_answer(ledger.begin(request(1, "resources/read", name="pay")), {"taskId": "t"})

    assert ledger.begin(request(2, "tasks/get", taskId="t")).call is None


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": None, "arguments": []}])
def test_a_call_that_names_no_tool_is_no_call_of_one(params):
    ledger = Ledger()
    pending = ledger.begin(request(1, **params))
    ledger.note_answer(pending, {"taskId": "t"})

    assert pending.tool is None
    assert pending.call is None
    assert pending.arguments == {}
    assert ledger.begin(request(2, "tasks/get", taskId="t")).call is None


def test_a_request_is_of_the_version_of_the_handshake_or_of_its_own():
    ledger, name = Ledger(), "io.modelcontextprotocol/protocolVersion"
    assert ledger.begin(call(1)).version is None
    ledger.note_answer(ledger.begin(request(2, "initialize")), {"protocolVersion": "2025-06-18"})
    assert ledger.begin(call(3)).version == "2025-06-18"
    assert ledger.begin(request(4, name="pay", _meta={name: "2026-07-28"})).version == "2026-07-28"
    assert ledger.begin(call(5), version="2025-03-26").version == "2025-03-26"
    ledger.note_answer(ledger.begin(call(6)), {"protocolVersion": "1"})
    ledger.note_answer(ledger.begin(request(7, "initialize")), {"protocolVersion": 1})
    assert ledger.version == "2025-03-26"


def test_the_moment_that_is_given_counts_also_if_it_is_zero():
    assert Ledger().begin(call(1), sent_s=0.0).sent_s == 0.0
    assert Ledger().begin(call(1)).sent_s > 0.0


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.booleans())))
def test_the_same_arguments_have_the_same_hash_in_any_order(arguments):
    backwards = dict(reversed(arguments.items()))

    assert pending_of(call(1, **{"x": 0} | arguments)) == pending_of(
        call(2, **backwards | {"x": arguments.get("x", 0)})
    )
    assert pending_of(call(1, **arguments)) != pending_of(call(1, **arguments | {"x": {}}))


def pending_of(message):
    return Pending(message, None, 0.0).arguments_hash


def test_arguments_that_python_does_not_write_have_a_hash():
    numbers = b'{"id":1,"method":"tools/call","params":{"arguments":{"n":%s,"s":"\\ud800"}}}'
    assert len(pending_of(first_message(numbers % (b"9" * 5_000)))) == 16

    deepest = next(message for depth in range(1_000, 0, -1) if (message := first_message(numbers % nested(depth))))

    def call_deeper(levels):
        return call_deeper(levels - 1) if levels else pending_of(deepest)

    assert len(call_deeper(30)) == 16


def nested(depth):
    return b"[" * depth + b"]" * depth


def test_a_request_is_sent_again_as_the_client_has_sent_it():
    frame = b'{ "id":1.0, "method":"tools/call", "params":{"name":"\xff", "n":12345678901234567890} }'
    pending = Ledger().begin(first_message(frame + b"\n"))

    assert pending.frame() == frame
    assert pending.key == "1"


def test_the_requests_of_a_batch_wait_one_by_one():
    ledger = Ledger()
    for message in read_messages(b'[{"id":1,"method":"a"},{"method":"b"},{"id":"1","method":"c"}]'):
        if message.is_request:
            ledger.begin(message)

    assert [pending.method for pending in ledger.pending] == ["a", "c"]
    assert ledger.take('"1"').frame() == b'{"id":"1","method":"c"}'


def test_requests_that_share_an_id_know_of_each_other_and_the_oldest_of_many_are_forgotten():
    ledger = Ledger()
    first, second = (ledger.begin(call(1)) for _ in range(2))
    assert second.before is first
    assert first.shares_id
    assert second.shares_id
    assert not ledger.begin(call("1")).shares_id
    youngest = [ledger.begin(call(1)) for _ in range(1000)][-1]
    known = 0
    while youngest is not None:
        known, youngest = known + 1, youngest.before
    assert known == 100
