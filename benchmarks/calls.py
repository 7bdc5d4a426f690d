"""How many of errata's functions one failing request calls: `python benchmarks/calls.py [--each]`.

Counted with `sys.setprofile` in one request, after a few others have warmed everything up. A count does not depend on how
busy the machine is, and shows which package a failing request spends its time in. With `--each`, also by function.
"""

import asyncio
import logging
import sys
from collections import Counter
from types import FrameType

import serving


async def count_calls(case: serving.Case) -> Counter[tuple[str, str]]:
    """Count the calls of errata's functions in one request, by module and function."""
    calls: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        module = str(frame.f_globals.get("__name__"))
        if event == "call" and module.partition(".")[0] == "errata":
            calls[module, frame.f_code.co_qualname] += 1

    async with serving.client_of(case, serving.Kind.ERRATA) as client:
        call = serving.call_with(client, case)
        for _ in range(serving.WARM_UP):
            await call()
        sys.setprofile(note)
        try:
            await call()
        finally:
            sys.setprofile(None)
    return calls


def main() -> None:
    logging.disable(logging.CRITICAL)
    for case in serving.CASES:
        if case.tool is serving.price or (case.tool is serving.search and case.beside is serving.Kind.BARE):
            calls = asyncio.run(count_calls(case))
            by_package = Counter[str]()
            for (module, _), number in calls.items():
                by_package[".".join(module.split(".")[:2])] += number
            packages = ", ".join(
                f"{name.removeprefix('errata.')} {number}" for name, number in by_package.most_common()
            )
            print(f"{case.what}: {calls.total()} ({packages})")
            for (module, function), number in calls.most_common() if "--each" in sys.argv else ():
                print(f"{number:5} {module.removeprefix('errata.')}.{function}")


if __name__ == "__main__":
    main()
