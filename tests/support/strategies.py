"""What hypothesis may think up: any JSON, any Fault."""

import functools
import random

from hypothesis import strategies as st

from errata import Code, Fault, FieldIssue, Recovery, RecoveryHint, Retry
from support.sample_secrets import PERSONAL, TOKENS

texts = st.text(max_size=40)
maybe_texts = st.none() | texts
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
json_values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
json_objects = st.dictionaries(texts, json_values, max_size=5)

# Keys that some dialect reads, so that authors' data collides with every one of them.
telling_keys = st.sampled_from(
    [
        "reason",
        "recovery",
        "retryable",
        "retryAfter",
        "retryAfterMs",
        "statusCode",
        "field",
        "issues",
        "body",
        "uri",
        "code",
        "message",
        "error",
        "kind",
        "details",
        "data",
        "originalError",
        "hint",
        "status",
        "structuredContent",
        "content",
        "isError",
        "result",
        "jsonrpc",
        "id",
    ]
)
telling_values = json_values | st.sampled_from(
    [{"hint": "Call list_orders first."}, True, False, 30, "30", 404, 503, [{"field": "a", "problem": "b"}], 1.5]
)
data = st.dictionaries(texts | telling_keys, telling_values, max_size=5)

issues = st.lists(st.builds(FieldIssue, texts, texts, maybe_texts), max_size=3).map(tuple)
recoveries = st.builds(
    Recovery,
    hint=maybe_texts,
    hint_class=st.none() | st.sampled_from(RecoveryHint),
    actions=st.lists(texts | st.just("contact_support"), max_size=3).map(tuple),
    fallback_tool=maybe_texts,
    verify_tool=maybe_texts,
    corrective_params=json_objects,
    user_message=maybe_texts,
)
faults = st.builds(
    Fault,
    code=st.sampled_from(Code),
    message=texts | st.text(max_size=400),
    retry=st.sampled_from([*Retry, None]),
    retry_declared=st.booleans(),
    retry_after_ms=st.none() | st.integers(-5, 10**13) | st.floats(),
    reason=maybe_texts,
    field=maybe_texts,
    issues=issues,
    recovery=st.none() | recoveries,
    http_status=st.none() | st.integers(395, 605) | st.sampled_from([408, 429, 500, 501, 502, 503, 504]),
    origin=maybe_texts | st.sampled_from([*map(str, Code), "ORDER_NOT_FOUND"]),
    data=data,
    correlation_id=maybe_texts,
    timestamp=maybe_texts,
)

# The same, but so large that every limit is met: of data, of texts, of issues, of depth, of waits.
large_texts = st.integers(1, 70_000).map("x".__mul__)
deep_values = st.integers(25, 40).map(lambda depth: functools.reduce(lambda inner, _: [inner], range(depth), "core"))
large_faults = st.builds(
    Fault,
    code=st.sampled_from(Code),
    message=large_texts,
    retry_after_ms=st.integers(0, 10**12),
    reason=st.none() | large_texts,
    field=st.none() | large_texts,
    issues=st.integers(0, 150).map(lambda count: (FieldIssue("a.b", "p" * 700),) * count),
    recovery=st.none() | st.builds(Recovery, hint=large_texts, fallback_tool=large_texts),
    http_status=st.none() | st.sampled_from([404, 429, 500, 503]),
    origin=st.none() | large_texts,
    data=st.dictionaries(telling_keys | texts, large_texts | deep_values | telling_values, max_size=3)
    | large_texts
    | st.integers(65_000, 65_600).map(lambda length: {"a": "q" * length}),
    correlation_id=st.none() | large_texts,
)
formats = st.sampled_from(["markdown", "json", "both", "xml"])


def _with_a_secret(text, kind, seed):
    secret = (TOKENS | PERSONAL)[kind](random.Random(seed))
    return f"{text} {secret} {text}", secret


# A text with a secret of a known format in it, and that secret.
secretive_texts = st.builds(_with_a_secret, texts, st.sampled_from(sorted(TOKENS | PERSONAL)), st.integers(0, 2**32))


def _secretive_fault(secretive, fault, key):
    text, secret = secretive
    return (
        Fault(
            code=fault.code,
            message=text,
            reason=fault.reason,
            issues=(*fault.issues, FieldIssue("order.note", text, text)),
            recovery=Recovery(hint=text, actions=(text,), corrective_params={"note": text}, user_message=text),
            origin=fault.origin,
            data={**fault.data, key: secret, "list": [text, {"deep": text}], secret: 1},
            correlation_id=fault.correlation_id,
        ),
        secret,
    )


secretive_faults = st.builds(
    _secretive_fault,
    secretive_texts,
    faults,
    st.sampled_from(["password", "note", "apiKey", "Set-Cookie", "body", "message"]),
)
