"""Whose fault a failure is: the signals, one by one, and what no exception, frame or source file can do to the search."""

import linecache
import os
import sys
import threading

import pytest
from support import servers_at_fault as tools
from support.failing_calls import call_of, failure_of, judged, names_of

from errata import Code, Retry, classify
from errata.classification import Call, explain
from errata.classification._blame import _failing_site
from errata.classification._blame._signals import ENOUGH, REACHING, SIGNALS, UNSENT, Signal

OFFERING = {"properties": {"level": {"enum": ["low", "medium", "high"]}}}

# fmt: off
SEEN = {
    "operand":   (tools.power, {"base": 10.0, "exponent": 1e9}),
    "check":     (tools.book_seats_early, {"seats": 11}),
    "selected":  (tools.find_order, {"status": "lost"}),
    "statement": (tools.run_query, {"sql": "SELECT ("}),
    "form":      (tools.run_strict_program, {"mode": "fast"}),
    "parameter": (tools.run_strict_program, {"mode": "fast"}),
    "missing":   (tools.reserve_room, {"floor": 3}),
    "state":     (tools.reserve_room, {"floor": 3}),
    "absent":    (tools.order_seat, {"seat": "window"}),
    "attribute": (tools.submit_job, {"payload": "{oops"}),
    "key":       (tools.get_name_in_closure, {"order_id": 5}),
    "field":     (tools.send_names, {"first_name": "Ada", "last_name": "Lovelace"}),
    "quoted":    (tools.print_in, {"colour": "mauve", "size": "big"}),
    "part":      (tools.search_library, {"query": "a FORM b", "shelf": "top"}),
    "name":      (tools.add_person, {"email": "ada@example.org", "age": 3}),
    "alias":     (tools.add_person_by_alias, {"mail": "ada@example.org", "years": 4}),
    "address":   (tools.get_member, {"user": "ada", "group": "staff"}),
    "file":      (tools.copy_note, {"source": "absent.txt", "target": "copy.txt"}),
    "odd":       (tools.list_pages, {"start": 1, "stop": 9, "step": 0}),
    "written":   (tools.turn_pages, {"first": 41, "last": 77}),
    "value":     (tools.merge_branches, {"branches": ["alpha", "beta"]}),
    "own":       (tools.get_own_size, {"title": "a medium one"}),
    "fetched":   (tools.parse_file, {"name": "stored.json"}),
    "setting":   (tools.read_setting, {"title": "morning"}),
    "literal":   (tools.count_matches, {"column": "hello"}),
    "offered":   (tools.set_level, {"level": "medium"}, OFFERING),
    "broken":    (tools.search_broken, {"file": "hello"}),
}
LOOKS_ALIKE = {
    "operand":   (tools.split_by_own, {"total": 5.0}),
    "check":     (tools.check_own_state, {"title": "morning"}),
    "selected":  (tools.get_own_nested, {"order_id": 17}),
    "statement": (tools.add_person, {"email": "ada@example.org", "age": 3}),
    "form":      (tools.run_tired_program, {"mode": "fast"}),
    "parameter": (tools.get_own_resource, {"title": "morning"}),
    "missing":   (tools.cancel_order, {"order_id": 17}),
    "state":     (tools.cancel_order, {"order_id": 5}),
    "absent":    (tools.order_seat, {"seat": "window", "plan": "free"}),
    "attribute": (tools.parse_stored, {"title": "{oops"}),
    "key":       (tools.get_default_region, {"title": "west"}),
    "field":     (tools.send_initials, {"initials": "A. L."}),
    "quoted":    (tools.print_in, {"colour": "mauve and blue", "size": "big"}),
    "part":      (tools.get_own_size, {"title": "mediumish"}),
    "name":      (tools.manage, {"age": 3}),
    "alias":     (tools.print_in, {"colour": "mauve", "size": "big"}),
    "address":   (tools.paint_for, {"user": "ada", "width": 3}),
    "file":      (tools.read_own_note, {"title": "an index of notes"}),
    "odd":       (tools.get_order, {"order_id": 0}),
    "written":   (tools.print_in, {"colour": "mauve", "size": "big"}),
    "value":     (tools.paint, {"colour": "red", "width": 400}),
    "own":       (tools.get_size, {"size": "medium"}),
    "fetched":   (tools.parse_payload, {"payload": "{oops"}),
    "setting":   (tools.read_named_setting, {"setting": "ERRATA_NO_SUCH_SETTING"}),
    "literal":   (tools.count_rows, {"table": "people"}),
    "offered":   (tools.set_level, {"level": "medium"}, {"properties": {"level": {"enum": ["low", "high"]}}}),
    "broken":    (tools.run_query, {"sql": "SELECT broken ("}),
}
# fmt: on


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of the server's own files; one of them is broken."""
    (tmp_path / "stored.json").write_text("{oops")
    monkeypatch.setattr(tools, "FOLDER", tmp_path)
    monkeypatch.delenv("ERRATA_NO_SUCH_SETTING", raising=False)


def told(tool, arguments, schema=None):
    return judged(tool, arguments, **({"schema": schema} if schema else {}))


def verdict_of(fault):
    return fault.code, fault.retry, fault.field, fault.issues


def test_every_signal_has_an_example_and_a_look_alike():
    assert SEEN.keys() == LOOKS_ALIKE.keys() == SIGNALS.keys()


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_signal_is_seen_in_its_example(signal):
    assert signal in names_of(told(*SEEN[signal]))


@pytest.mark.parametrize("signal", sorted(SIGNALS.keys() - {"offered"}))
def test_a_signal_decides_its_example(signal, monkeypatch):
    """Without its weight the answer is another one."""
    decided = verdict_of(told(*SEEN[signal]).fault)
    monkeypatch.setitem(SIGNALS, signal, Signal(0.0, "as if it were not there"))
    assert verdict_of(told(*SEEN[signal]).fault) != decided


def test_a_value_that_the_schema_offers_is_known_to_the_server():
    tool, arguments, schema = SEEN["offered"]
    assert judged(tool, arguments, schema=schema).fault.code is Code.INTERNAL_ERROR
    assert told(*LOOKS_ALIKE["offered"]).fault.field == "level"


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_signal_is_not_seen_in_what_only_looks_like_it(signal):
    assert signal not in names_of(told(*LOOKS_ALIKE[signal]))


@pytest.mark.parametrize("signal", SIGNALS)
def test_no_argument_is_named_where_a_signal_speaks_against_all_of_them(signal):
    for example in (SEEN[signal], LOOKS_ALIKE[signal]):
        explanation = told(*example)
        is_against = any(SIGNALS[name].weight < 0 for name in names_of(explanation) - {"own", "fetched"})
        assert not (is_against and explanation.fault.field)


def test_the_sets_of_signals_are_signals():
    assert SIGNALS.keys() >= REACHING | UNSENT
    assert all(SIGNALS[signal].weight > 0 for signal in REACHING | UNSENT)


def test_one_signal_against_outweighs_the_strongest_one_for_an_argument():
    """The text has the name of the argument, and the library was given it; the storage is broken all the same."""
    explanation = told(*SEEN["broken"])
    weights = [SIGNALS[name].weight for name in names_of(explanation)]
    assert sum(weight for weight in weights if weight > 0) > ENOUGH
    assert (explanation.fault.retry, explanation.fault.field) == (Retry.NEVER, None)


def test_without_a_call_there_are_no_signals():
    assert explain(failure_of(tools.get_region, {"region": "nort"})).signals == ()


# What no exception, frame or file can do to the search.

SMALL, LARGE = 1_000, 10_000_000


def work_of(function, *arguments):
    """Count the calls of functions while one runs."""
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return calls


class Lying(str):
    """A text that says something else whenever it is asked."""

    __slots__ = ()

    def __str__(self):
        return "401 Unauthorized"

    def __eq__(self, other):
        raise SystemError

    def __hash__(self):
        raise SystemError

    def __contains__(self, other):
        raise SystemError

    def __getitem__(self, index):
        raise SystemError

    def lower(self):
        raise SystemError


def saying(text):
    """Make a class of exceptions whose text is what a function returns."""
    return type("Odd", (Exception,), {"__str__": lambda _: text()})


def refuse():
    raise SystemError("no")


HOSTILE_TEXTS = {
    "raises": refuse,
    "is long": lambda: "x" * LARGE,
    "lies": lambda: Lying("region"),
    "is no text": lambda: 7,
    "is half a character": lambda: "region \ud800",
    "quotes and never ends": lambda: "'" * 100_000,
    "opens brackets": lambda: "[" * 100_000 + "region",
}


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_no_text_of_an_exception_breaks_the_judgement(text):
    error = saying(text)()
    fault = classify(error, Call(tool="get_region", arguments={"region": "nort"}))
    assert fault.code in {Code.INTERNAL_ERROR, Code.UNKNOWN_ERROR, Code.VALIDATION_FAILED}
    assert not fault.retry.retryable


@pytest.mark.parametrize(
    "attribute", ["args", "name", "doc", "filename", "__cause__", "__traceback__", "key", "pattern"]
)
def test_no_attribute_of_an_exception_breaks_the_judgement(attribute):
    odd = type("Odd", (KeyError,), {attribute: property(lambda _: refuse())})
    assert classify(odd("nort"), Call(tool="get_region", arguments={"region": "nort"})).code in Code


def test_a_longer_text_is_no_more_work():
    call = Call(tool="get_region", arguments={"region": "nort"})
    small, large = (RuntimeError("'nort' is wrong, " * (size // 17)) for size in (SMALL * 10, LARGE))
    classify(small, call)
    assert work_of(classify, large, call) <= 2 * work_of(classify, small, call)


def deep(error, depth):
    """Give an exception a traceback of many frames."""
    frame = error.__traceback__.tb_frame
    step = error.__traceback__
    for _ in range(depth):
        step = type(step)(step, frame, error.__traceback__.tb_lasti, error.__traceback__.tb_lineno)
    return error.with_traceback(step)


def test_a_deeper_traceback_is_no_more_work():
    call = call_of(tools.get_region, {"region": "nort"})
    shallow, deeper = (deep(failure_of(tools.get_region, call.arguments), depth) for depth in (1_000, 100_000))
    classify(shallow, call)  # Now the file has been read.
    assert work_of(classify, deeper, call) <= 2 * work_of(classify, shallow, call)


def test_a_tool_that_calls_itself_for_ever_has_a_bug():
    def recurse(depth: int):
        return recurse(depth + 1)

    fault = judged(recurse, {"depth": 1}).fault
    assert (fault.code, fault.message) == (Code.INTERNAL_ERROR, Code.INTERNAL_ERROR.sentence)


class Hostile:
    """An object in a frame that minds being looked at."""

    def __eq__(self, other):
        raise SystemError("compared")

    def __hash__(self):
        raise SystemError("hashed")

    def __getattr__(self, name):
        raise SystemError("looked into")

    def __bool__(self):
        raise SystemError("asked")

    def __len__(self):
        raise SystemError("measured")

    def __str__(self):
        raise SystemError("read")

    __repr__ = __str__

    @property
    def __class__(self):
        raise SystemError("classified")

    @property
    def __dict__(self):
        raise SystemError("opened")


def looks_up_among_hostile_locals(region: str):
    first, self = Hostile(), Hostile()
    others = [first, Hostile()]
    return tools.REGIONS[region], self, others


def looks_up_in_hostile_attribute(region: str):
    self = Hostile()
    self.table = {region: self}
    return tools.REGIONS[object.__getattribute__(self, "table")[region].name]


def loops_over_hostile_items(regions: list):
    for region in [Hostile(), *regions]:
        tools.UPSTREAM.post(f"/400/{id(region)}", json={"colour": regions}).raise_for_status()


def test_hostile_objects_in_a_frame_are_left_alone(caplog):
    caplog.set_level("DEBUG", logger="errata")
    fault = judged(looks_up_among_hostile_locals, {"region": "nort"}).fault
    assert (fault.code, fault.field) == (Code.NOT_FOUND, "region")
    assert not caplog.records


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [(looks_up_in_hostile_attribute, {"region": "nort"}), (loops_over_hostile_items, {"regions": ["north"]})],
)
def test_hostile_objects_where_it_failed_do_no_harm(tool, arguments):
    assert judged(tool, arguments).fault.retry in {Retry.NEVER, Retry.FIX_INPUT, Retry.VERIFY_FIRST}


# Source that is not what it was.

SERVER = """\
TABLE = {"north": 1}

def get_region(region):
    return TABLE[region]
"""


def server_at(path, source=SERVER):
    """Run a server's source under the name of a file, whatever is there."""
    scope = {"__name__": "server_at_fault"}
    exec(compile(source, str(path), "exec"), scope)  # noqa: S102 - the source is above.
    return scope["get_region"]


@pytest.fixture
def fresh():
    """Files are parsed once; here they change."""
    linecache.clearcache()
    _failing_site._modules.clear()
    yield
    linecache.clearcache()
    _failing_site._modules.clear()


def missing(path):
    return path


def other_code(path):
    path.write_text("def get_region(region):\n    pass\n")
    return path


def other_code_at_the_same_place(path):
    path.write_text('\n\ndef get_region(region):\n    raise LookupError(region) if region else "x"\n')
    return path


def shorter_code_at_the_same_place(path):
    path.write_text("\n\ndef get_region(region): pass")
    return path


def long_code(path):
    path.write_text(SERVER + "# and so on\n" * 500_000)
    return path


def deeply_nested_code(path):
    path.write_text(SERVER + "x = " + "(" * 5_000 + ")" * 5_000 + "\n")
    return path


def foreign_bytes(path):
    path.write_bytes(SERVER.encode() + b"# \xff\xfe\n")
    return path


def zero_bytes(path):
    path.write_bytes(SERVER.encode() + b"\0\n")
    return path


def unknown_encoding(path):
    path.write_bytes(b"# -*- coding: klingon -*-\n" + SERVER.encode())
    return path


def broken_code(path):
    path.write_text(SERVER + "def (:\n")
    return path


def folder_instead(path):
    path.mkdir()
    return path


def no_file(_path):
    return "<string>"


def no_name(_path):
    return ""


def impossible_name(path):
    return f"{path}\ud800"


def long_name(path):
    return path / ("x" * 5_000)


UNREADABLE = [
    missing, other_code, shorter_code_at_the_same_place, long_code, deeply_nested_code, foreign_bytes, zero_bytes, unknown_encoding,
    broken_code, folder_instead, no_file, no_name, impossible_name, long_name,
]  # fmt: skip


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("change", UNREADABLE, ids=lambda change: change.__name__)
def test_source_that_cannot_be_read_is_done_without(change, tmp_path, caplog):
    caplog.set_level("DEBUG", logger="errata")
    tool = server_at(change(tmp_path / "server.py"))
    fault = judged(tool, {"region": "nort"}).fault
    assert (fault.code, fault.retry, fault.field) == (Code.NOT_FOUND, Retry.FIX_INPUT, "region")
    assert not caplog.records


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("change", UNREADABLE, ids=lambda change: change.__name__)
def test_source_that_cannot_be_read_accuses_nobody(change, tmp_path):
    source = SERVER.replace("[region]", "['west' if region else region]")
    fault = judged(server_at(change(tmp_path / "server.py"), source), {"region": "north"}).fault
    assert (fault.code, fault.field) == (Code.INTERNAL_ERROR, None)


@pytest.mark.usefixtures("fresh")
def test_source_that_was_changed_in_the_same_place_is_read_without_harm(tmp_path, caplog):
    """Nobody can know that another expression failed there; what the exception says still names the argument."""
    caplog.set_level("DEBUG", logger="errata")
    fault = judged(server_at(other_code_at_the_same_place(tmp_path / "server.py")), {"region": "nort"}).fault
    assert (fault.retry, fault.field) == (Retry.FIX_INPUT, "region")
    assert not caplog.records


@pytest.mark.usefixtures("fresh")
def test_source_that_is_a_pipe_is_never_opened(tmp_path):
    """Whoever opens it waits for somebody at the other end; here somebody is, so that the test ends."""
    pipe, was_opened = tmp_path / "server.py", threading.Event()
    os.mkfifo(pipe)

    def write():
        end = os.open(pipe, os.O_WRONLY)
        was_opened.set()
        os.close(end)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    tool = server_at(pipe)
    judged(tool, {"region": "nort"})
    opened = was_opened.is_set()
    if not opened:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)
    assert not opened
