"""`harbor_berths` does nothing about its failures but for one line. Is that enough?"""

import pytest

pytestmark = pytest.mark.anyio


async def test_what_succeeds_stays_as_it_is(call):
    assert (await call("find_berths", harbor="Nyhavn"))["structuredContent"] == {"result": ["A3", "A7", "C1"]}
    assert (await call("find_berths", harbor="Kappeln"))["structuredContent"] == {"result": []}
    assert (await call("book_berth", harbor="Nyhavn", nights=2))["structuredContent"]["result"].startswith("Nyhavn-")


@pytest.mark.parametrize(
    ("answer", "code", "retry"),
    [
        ("400", "INVALID_PARAMS", "not with the same arguments."),
        ("401", "UNAUTHORIZED", "no."),
        ("403", "FORBIDDEN", "no."),
        ("404", "NOT_FOUND", "not with the same arguments."),
        ("410", "GONE", "no."),
        ("429-after-17", "RATE_LIMITED", "yes, the same call, after 17 s."),
        ("500", "UPSTREAM_ERROR", "yes, the same call."),
        ("503", "SERVICE_UNAVAILABLE", "yes, the same call."),
        ("garbage", "SERIALIZATION_ERROR", "no."),
        ("hang", "TIMEOUT", "yes, the same call."),
        ("close", "NETWORK_ERROR", "yes, the same call."),
    ],
)
async def test_whatever_the_api_does_is_told_with_its_verdict_and_without_the_key(call, answer, code, retry):
    result = await call("find_berths", harbor=f"answer-{answer}")
    text = result["content"][0]["text"]

    assert result["isError"]
    assert text.startswith(f"Error [{code}]: ")
    assert f"\nRetry: {retry}\n" in text
    assert "-sandbox-" not in str(result)
