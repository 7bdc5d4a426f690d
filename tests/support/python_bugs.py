"""Tools with a bug each: every built-in exception that Python raises by itself, raised by Python itself."""

import asyncio
import codecs
import importlib
import weakref

TABLE = {"north": 1}


def arithmetic(title: str):
    return 1 // len(TABLE.keys() - {"north"}), title


def overflow(title: str):
    return 10.0**400, title


def asserted(title: str):
    assert not TABLE
    return title


def attribute(title: str):
    return TABLE.keyz(), title


def buffer(title: str):
    held = bytearray(b"abc")
    with memoryview(held):
        held.append(1)
    return title


def end_of_file(title: str):
    return input(), title


def imported(title: str):
    from json import loadz  # noqa: PLC0415 - the bug.

    return loadz(title)


def module(title: str):
    return importlib.import_module("errata_no_such_module"), title


def index(title: str):
    return [][len(TABLE)], title


def key(title: str):
    return TABLE["west"], title


def lookup(title: str):
    return codecs.lookup("klingon"), title


def memory(title: str):
    return [0] * (1 << 60), title


def name(title: str):
    return titel, title  # noqa: F821 - the bug.


def unbound(title: str):
    if not TABLE:
        seen = 1
    return seen, title


def recursion(title: str):
    return _again(0), title


def _again(depth):
    return _again(depth + 1)


class Thing:
    pass


def reference(title: str):
    gone = weakref.proxy(Thing())
    return gone.size, title


def runtime(title: str):
    table = {"a": 1, "b": 2}
    for each in table:
        del table[each]
    return title


def stop(title: str):
    return next(iter(())), title


def stop_later(title: str):
    return asyncio.run(_stopped()), title


async def _stopped():
    async for each in _nothing():
        return each
    return await anext(_nothing())


async def _nothing():
    for each in ():
        yield each


def syntax(title: str):
    return compile("def (", "own.py", "exec"), title


def indentation(title: str):
    return compile("if 1:\n1", "own.py", "exec"), title


def tab(title: str):
    return compile("if 1:\n\tif 1:\n        1\n        2", "own.py", "exec"), title


def type_of(title: str):
    return len(7), title


def value(title: str):
    return int("seven"), title


def unicode_decoded(title: str):
    return b"\xff".decode(), title


def unicode_encoded(title: str):
    return "\u00e9".encode("ascii"), title


def unicode_of_idna(title: str):
    return ("a" * 70).encode("idna"), title


def not_implemented(title: str):
    return asyncio.AbstractEventLoop().time(), title


def missing_file(title: str):
    with open("/no/such/errata/file") as file:  # noqa: PTH123 - as people write it.
        return file, title


def file_there(title: str):
    with open(__file__, "x") as file:  # noqa: PTH123 - as people write it.
        return file, title


def folder(title: str):
    with open("/") as file:  # noqa: PTH123 - as people write it.
        return file, title


def no_folder(title: str):
    with open(f"{__file__}/x") as file:  # noqa: PTH123 - as people write it.
        return file, title


# On purpose, with a sentence, in a check of the server's own.

SENTENCE = "only three of them fit into one parcel"
# fmt: off
MAKERS = {
    "ExceptionGroup": lambda words: ExceptionGroup(words, [ValueError(words)]),
    "BaseExceptionGroup": lambda words: BaseExceptionGroup(words, [ValueError(words)]),
    "UnicodeDecodeError": lambda words: UnicodeDecodeError("utf-8", b"x", 0, 1, words),
    "UnicodeEncodeError": lambda words: UnicodeEncodeError("utf-8", "x", 0, 1, words),
    "UnicodeTranslateError": lambda words: UnicodeTranslateError("x", 0, 1, words),
}
# fmt: on


def refuse_amount(kind: str, amount: int):
    if amount > 3:
        raise MAKERS[kind](SENTENCE)


def refuse_by_own_state(kind: str):
    if len(TABLE) < 3:
        raise MAKERS[kind](SENTENCE)
