"""Running a tool until it fails, and asking whose fault it is, as a server's adapter does."""

import asyncio
import inspect

from errata.classification import explain
from errata.classification._call import Call


def failure_of(tool, arguments):
    """Return what a tool raised, with the traceback as it is below whoever called it."""
    try:
        result = tool(**arguments)
        if inspect.isawaitable(result):
            asyncio.run(result)
    except BaseException as error:  # noqa: BLE001 - some tools exit.
        return error.with_traceback(error.__traceback__.tb_next)
    raise AssertionError(f"{tool.__name__} did not fail")


def call_of(tool, arguments, **known):
    """Describe a call of a tool; the schema has its parameters, unless one is given."""
    names = inspect.signature(tool).parameters
    known.setdefault("schema", {"type": "object", "properties": {name: {} for name in names}})
    return Call(tool=tool.__name__, arguments=arguments, function=tool, **known)


def judged(tool, arguments, **known):
    """Run a tool that fails and judge the failure together with the call."""
    return explain(failure_of(tool, arguments), call_of(tool, arguments, **known))


def names_of(explanation):
    """The names of the signals that were seen."""
    return {signal.split(" ")[0].rstrip(":") for signal in explanation.signals}
