"""Does a child that was forked while its parent was busy work?"""

import os
import subprocess
import sys

import pytest
from support.redis_server import LONGEST_S, redis_on_a_port, running_redis

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

_SET_UP = """
import gc, os, sys, threading, traceback
import errata, errata.http, errata.client, errata.linter, errata.reading
from errata import Code, FaultError, classify, redact
from errata.resilience import Breaker, RedisStore, retry

store = RedisStore(sys.argv[1], timeout_s=20)  # However busy the machine is.
shared, local = Breaker("shared", store=store), Breaker("local")
policy = retry(attempts=2, sleep=lambda _: None, upstream="busy", idempotent=True)

def refuse():
    raise FaultError(Code.SERVICE_UNAVAILABLE, "The till is closed.")

def work(number):
    os.environ[f"BUSY_{number % 7}"] = str(number)  # A new variable makes the redactor look around.
    assert "4f9a8b7c6d5e" not in redact(f"password=sk-{number}-4f9a8b7c6d5e")
    classify(ValueError(f"{number} is no number"))
    for breaker in (local, shared):
        with breaker:
            pass
    policy(lambda: None)()
    try:
        policy(refuse)()
    except FaultError:
        pass
    os.environ.pop(f"BUSY_{number % 7}", None)

def child():
    code = 1
    try:
        os.environ["FORKED"] = "1"  # So that the redactor looks around in the child, whatever its parent saw last.
        for number in range(20):
            work(number)
        assert store.flush(timeout_s=20), "Redis does not answer the child"
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)

def forked():
    pid = os.fork()
    if pid == 0:
        child()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

work(0)
"""

_BUSY = (
    _SET_UP
    + """
stop = threading.Event()

def busy(start):
    number = start
    while not stop.is_set():
        number += 1
        work(number)

threads = [threading.Thread(target=busy, args=(start,), daemon=True) for start in range(0, 4000, 1000)]
for thread in threads:
    thread.start()
codes = [forked() for _ in range(30)]
stop.set()
for thread in threads:
    thread.join()
print(codes)
"""
)

_HELD = (
    _SET_UP
    + """
KINDS = (type(threading.Lock()), type(threading.RLock()), threading.Condition)

def values_of(subject):
    names = [*getattr(subject, "__dict__", ()), *(name for kind in type(subject).__mro__ for name in getattr(kind, "__slots__", ()))]
    return [getattr(subject, name, None) for name in names]

def locks():
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] == "errata"]
    ours = [each for each in gc.get_objects() if type(each).__module__.partition(".")[0] == "errata"]
    return {id(value): value for subject in (*modules, *ours) for value in values_of(subject) if isinstance(value, KINDS)}

held, ready, over = locks(), threading.Event(), threading.Event()

def hold():
    for lock in held.values():
        lock.acquire()
    ready.set()
    over.wait()
    for lock in held.values():
        lock.release()

threading.Thread(target=hold, daemon=True).start()
ready.wait()
code = forked()
over.set()
print(len(held) >= 8, code)
"""
)

_LOADING = """
import os, sys, threading
import errata, email

begun, go_on = threading.Event(), threading.Event()

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            begun.set()
            go_on.wait()

def load():
    if sys.argv[2] == "email.parser":
        import email.parser
    assert "hunter2" not in errata.redact("password=hunter2")

sys.meta_path.insert(0, Slow())
loading = threading.Thread(target=load)
loading.start()
begun.wait()
os.register_at_fork(before=go_on.set)  # The last one is the first.
pid = os.fork()
if pid == 0:
    load()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
loading.join()
"""

_LOADS_NOTHING = """
import sys, threading
from errata.resilience import Breaker, RedisStore

loaded = []

def note(event, arguments):
    if event == "import" and threading.current_thread().name == "errata-redis":
        loaded.append(arguments[0])

sys.addaudithook(note)
with RedisStore(sys.argv[1]) as store:
    with Breaker("shared", store=store):
        pass
    store.flush(timeout_s=60)
    print(len(threading.enumerate()), loaded)
"""


def run(program, url, *arguments):
    """Run a program beside a Redis; whatever hangs is ended, and fails the test."""
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program, url, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout.strip(), result.stderr[-2000:]


@pytest.fixture
def server():
    with running_redis() as running:
        yield running


def test_children_that_are_forked_under_load_work(server):
    printed, errors = run(_BUSY, server.url)
    assert printed == str([0] * 30), errors


def test_a_child_waits_for_no_lock_that_was_held_when_it_was_forked(server):
    printed, errors = run(_HELD, server.url)
    assert printed == "True 0", errors


@pytest.mark.parametrize("module", ["errata.redaction._value_looks", "email.parser"])
def test_a_child_waits_for_no_module_that_was_half_loaded_when_it_was_forked(server, module):
    printed, errors = run(_LOADING, server.url, module)
    assert printed == "0", errors


def test_the_thread_that_talks_to_redis_loads_no_module_a_fork_could_lock():
    with redis_on_a_port() as (port, _):
        printed, errors = run(_LOADS_NOTHING, f"redis://localhost:{port}")
    assert printed == "2 []", errors
