"""What a type checker sees of `errata.testing`. Checked by mypy and pyright; never run."""

from typing import Any, assert_type

from errata import Code, Failure, Fault
from errata.testing import CallInDialect, assert_advice_names_tools, assert_fails, call_tool

failure = Failure(Code.GONE, reason="withdrawn", when="It was withdrawn", recovery="Tell the user that it is gone.")


async def test_it(in_each_dialect: CallInDialect) -> None:
    """What a user's test looks like."""
    result = await in_each_dialect(object(), "fetch", {"pmid": "9"}, era="legacy")
    assert_type(result, dict[str, Any])
    assert_type(await call_tool(object(), "fetch", dialect="taxonomy"), dict[str, Any])
    assert_type(in_each_dialect.dialect, str)
    assert_type(assert_fails(result, failure, message="gone", field="pmid", retryable=False), Fault)
    assert_type(assert_fails(result, "withdrawn").code, Code)
    await assert_advice_names_tools(object())

    await call_tool(object(), "fetch", era="ancient")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert_fails(result, 404)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
