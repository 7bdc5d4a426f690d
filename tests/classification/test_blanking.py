"""What somebody quotes and what the caller sent decide nothing; prose alone never licenses a repetition."""

import pytest
from hypothesis import assume, example, given, strategies as st
from support.failing_calls import call_of, failure_of

from errata import Code, Retry, classify
from errata.classification import Call
from errata.classification._patterns import ROWS
from errata.classification._words import blank, spell_out

PHRASES = sorted({
    phrase.replace("{status}", "503").replace(" \u2026 ", " ") for row in ROWS for phrase in row.phrases
})  # fmt: skip
shouting = st.sampled_from([str, str.upper, str.capitalize, str.title])
phrases = st.builds(lambda change, phrase: change(phrase), shouting, st.sampled_from(PHRASES))
values = (phrases | st.text(min_size=4, max_size=40)).filter(lambda text: len(text.strip()) >= 4)
frames = st.sampled_from([
    "could not store {}", "the note {} cannot be kept", "{} was too much for it", "no shelf for {} (row 7)", "ticket {}: nothing came of it",
])  # fmt: skip
tools = st.sampled_from(["get_order", "list_things", "create_order", "send_mail", "process", ""])
hints = st.none() | st.dictionaries(
    st.sampled_from(["readOnlyHint", "idempotentHint", "destructiveHint"]), st.booleans()
)
QUOTES = {"single": "'{}'", "double": '"{}"', "back": "`{}`", "curly": "\u201c{}\u201d", "pointed": "\u00ab{}\u00bb"}


@pytest.mark.parametrize("kind", [RuntimeError, Exception, ValueError, OSError])
@given(value=values, frame=frames, tool=tools, annotations=hints)
@example("503 Service Unavailable", "could not store {}", "create_order", None)
@example("rate limit exceeded", "ticket {}: nothing came of it", "get_order", {"readOnlyHint": True})
def test_what_the_caller_sent_never_licenses_a_repetition(kind, value, frame, tool, annotations):
    assume(not has_humps(value))
    call = Call(tool=tool, arguments={"title": value}, annotations=annotations)
    without = classify(kind(frame.format(" ")))
    assert not classify(kind(frame.format(value)), call).retry.exceeds(without.retry)


def has_humps(text):
    """Whether a text has words that are taken apart as the names of classes are."""
    return spell_out(text) != text


@pytest.mark.parametrize("value", ["ServiceUnavailable", "TooManyRequests"])
def test_what_the_caller_sent_never_licenses_a_repetition_however_it_is_spelled(value):
    call = Call(tool="get_order", arguments={"title": value})
    assert classify(RuntimeError(f"could not store {value}"), call).retry is Retry.NEVER


@pytest.mark.parametrize("quotes", QUOTES.values(), ids=QUOTES)
@given(phrase=phrases, tool=tools, annotations=hints)
def test_what_somebody_quotes_never_licenses_a_repetition(quotes, phrase, tool, annotations):
    assume(not {*phrase} & {*"'\"`\u201c\u201d\u00ab\u00bb\n"})
    text = f"could not store the note {quotes.format(phrase)} today"
    without = classify(RuntimeError("could not store the note  today"))
    assert classify(RuntimeError(text)).retry is without.retry
    assert not classify(RuntimeError(text), Call(tool=tool, annotations=annotations)).retry.exceeds(without.retry)


@given(phrase=phrases, tool=tools, annotations=hints)
def test_prose_alone_never_says_that_the_same_call_may_be_sent_again(phrase, tool, annotations):
    error = RuntimeError(f"it failed: {phrase}")
    assert classify(error).retry is not Retry.SAME_CALL
    assert classify(error, Call(tool=tool, annotations=annotations)).retry is not Retry.SAME_CALL


def refuses(title: str):
    if title:
        raise RuntimeError(f"the service is closed for {title}: 503 Service Unavailable")


def test_prose_in_a_check_of_the_servers_own_never_does_either():
    error = failure_of(refuses, {"title": "today"})
    assert classify(error, call_of(refuses, {"title": "today"})).retry in {Retry.IF_HARMLESS, Retry.NEVER}


@pytest.mark.parametrize("word", ["error", "status", "message", "reason", "code", "said", "returned"])
def test_what_is_introduced_as_the_failure_is_read(word):
    fault = classify(RuntimeError(f"the upstream {word} '429 Too Many Requests' again"))
    assert (fault.code, fault.retry) == (Code.RATE_LIMITED, Retry.IF_HARMLESS)


@pytest.mark.parametrize("word", ["note", "ticket", "title", "named", "called"])
def test_what_stands_behind_another_word_is_a_name(word):
    assert classify(RuntimeError(f"cannot keep the {word} '429 Too Many Requests' again")).code is Code.INTERNAL_ERROR


def test_json_is_no_quotation():
    text = '{"error": {"message": "rate limit exceeded", "type": "requests"}}'
    assert blank(text) == text


@given(st.text(max_size=300))
def test_blanking_keeps_what_has_no_quotes(text):
    assume(not {*text} & {*"'\"`\u201c\u00ab"})
    assert blank(text) == text


@given(st.text(alphabet="'\"`\u201c\u201d\u00ab\u00bb a\n", max_size=300))
def test_blanking_never_fails_and_never_adds_a_word(text):
    assert {*blank(text).split()} <= {*text.split()} | {word for word in blank(text).split() if "\u2026" in word}


def test_a_short_value_is_a_word_like_any_other():
    """It would tear holes into every sentence."""
    call = Call(tool="get_order", arguments={"id": "rat"})
    assert classify(RuntimeError("rate limit exceeded"), call).code is Code.RATE_LIMITED


def test_a_value_is_blanked_while_its_call_is_judged_and_not_longer():
    call = Call(tool="get_order", arguments={"title": "rate limit exceeded"})
    error = RuntimeError("no shelf for rate limit exceeded")
    assert classify(error, call).code is not Code.RATE_LIMITED
    assert classify(error).code is Code.RATE_LIMITED


@pytest.mark.parametrize(
    ("text", "value"),
    [("connect ETIMEDOUT 192.0.2.1:443", "TIME"), ("connection refused", "refused"), ("query timed out", "time")],
)
def test_a_word_inside_a_phrase_is_no_reason_not_to_read_it(text, value):
    known = classify(RuntimeError(text))
    assert classify(RuntimeError(text), Call(tool="get_order", arguments={"sort": value})).code is known.code


def test_two_words_do_not_meet_where_a_value_stood_between_them():
    call = Call(tool="get_order", arguments={"title": "404 limes"})
    assert classify(RuntimeError("the rate 404 limes limit is set"), call).code is not Code.RATE_LIMITED
