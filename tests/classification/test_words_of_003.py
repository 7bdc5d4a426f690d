"""003's tables, row by row: what an exception with these words is called in 003's own dialect."""

import pytest

from errata import classify, dialects

# Each row of 003: its name for the code, and its alternatives written out. The order is 003's.
PROVIDERS = [
    ("RateLimited", ["ThrottlingException", "TooManyRequestsException"]),
    ("Forbidden", ["AccessDenied", "UnauthorizedOperation"]),
    ("NotFound", ["ResourceNotFoundException"]),
    ("Unauthorized", ["status code 401"]),
    ("Forbidden", ["status code 403"]),
    ("NotFound", ["status code 404"]),
    ("Conflict", ["status code 409"]),
    ("RateLimited", ["status code 429"]),
    ("ServiceUnavailable", ["status code 500", "status code 502", "status code 503", "status code 599"]),
    ("ServiceUnavailable", ["status code 501", "status code 5xx"]),
    ("ServiceUnavailable", ["ECONNREFUSED", "connection refused"]),
    ("Timeout", ["ETIMEDOUT", "connection timeout"]),
    ("Conflict", ["unique constraint", "duplicate key"]),
    ("Unauthorized", ["JWT expired"]),
    ("Forbidden", ["row level security"]),
    ("RateLimited", ["insufficient_quota", "quota exceeded"]),
    ("NotFound", ["model_not_found"]),
    ("ValidationError", ["context_length_exceeded"]),
    ("ServiceUnavailable", ["ENOTFOUND", "DNS"]),
    ("ServiceUnavailable", ["ECONNRESET", "connection reset"]),
]
COMMON = [
    ("Unauthorized", ["unauthorized", "unauthenticated", "not  authorized", "not logged in"]),
    ("Unauthorized", ["User is not currently logged in", "you are not, as far as we know, logged in"]),
    ("Unauthorized", ["invalid token", "invalid_token", "invalid-token", "expired token", "expired_token"]),
    ("Forbidden", ["permission denied", "forbidden", "access was denied", "not yet allowed"]),
    ("Forbidden", ["You need permission to access this project", "permissions insufficient", "permission is required"]),
    ("NotFound", ["not found", "no such order", "doesn't exist", "couldn't find"]),
    ("ValidationError", ["invalid", "validation", "malformed", "bad request", "wrong format", "missing  required"]),
    ("ValidationError", ["missing param", "missing field", "missing input", "missing value", "missing arg"]),
    ("Conflict", ["conflict", "already exists", "duplicate", "unique constraint"]),
    ("RateLimited", ["rate limit", "too many requests", "throttled"]),
    ("Timeout", ["timeout", "timed out", "deadline exceeded"]),
    ("Timeout", ["abort", "aborted", "cancelled", "canceled"]),
    ("ServiceUnavailable", ["service unavailable", "bad gateway", "upstream error"]),
    ("ValidationError", ["zod", "ZodError", "schema validation"]),
]
# Where 003 is not followed to the letter, and why.
OTHERWISE = [
    ("status code 501: not implemented", "InternalError", "the text says itself what 003's table of statuses says"),
    ("gateway timeout", "Timeout", "003's own order: its row for `timeout` stands before the one for this"),
    ("status code 504", "Timeout", "003's table of statuses says so; its patterns say ServiceUnavailable of every 5xx"),
    ("foreign key constraint", "Conflict", "what refers to something that is not there is not wrong in itself"),
    ("the permission matrix is empty", "InternalError", "a noun is no refusal"),
    ("could not be logged for order 7 in worker 3", "InternalError", "`not.*logged.*in` is three words anywhere"),
]


# Where two rows fit one text, 003's first one decides: no argument mends a credential.
SEVERAL = [
    ("Token validation failed: JWT expired", "Unauthorized"),
    ("JWT validation failed: malformed header", "Unauthorized"),
    ("Unauthorized: user not found", "Unauthorized"),
    ("Unauthorized: invalid value for header X", "Unauthorized"),
    ("Unauthorized: the session timed out", "Unauthorized"),
    ("not authorized: no such tenant", "Unauthorized"),
    ("forbidden: validation failed for scope", "Forbidden"),
    ("Forbidden: project not found", "Forbidden"),
    ("Permission to delete `x` is required", "Forbidden"),
    ("Additional properties are forbidden", "ValidationError"),
    ("User x is not authorized to perform: s3:GetObject", "Forbidden"),
]


def word_for(error):
    number = dialects.json_rpc.encode(classify(error))["structuredContent"]["error"]["code"]
    return dialects.JsonRpcErrorCode(number).name


@pytest.mark.parametrize(("word", "text"), [(word, text) for word, texts in PROVIDERS for text in texts])
def test_a_provider_pattern_of_003_has_its_word(word, text):
    assert word_for(Exception(text)) == word
    assert word_for(Exception(f"GET /x failed: {text.upper()}.")) == word


@pytest.mark.parametrize(("word", "text"), [(word, text) for word, texts in COMMON for text in texts])
def test_a_common_pattern_of_003_has_its_word(word, text):
    assert word_for(Exception(text)) == word
    assert word_for(Exception(text.upper())) == word


@pytest.mark.parametrize(("text", "word", "why"), OTHERWISE)
def test_where_003_is_not_followed_there_is_a_reason(text, word, why):
    assert word_for(Exception(text)) == word, why


@pytest.mark.parametrize(("text", "word"), SEVERAL)
def test_credentials_and_permissions_are_read_before_arguments(text, word):
    assert word_for(Exception(text)) == word


# 003 matches its words anywhere in a text, and so in their plurals and other forms.
@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("ValidationError", "missing fields"),
        ("ValidationError", "missing params: a, b"),
        ("ValidationError", "missing parameters"),
        ("ValidationError", "missing args"),
        ("ValidationError", "missing arguments"),
        ("ValidationError", "missing inputs"),
        ("ValidationError", "missing values"),
        ("ValidationError", "two validations stopped it"),
        ("ValidationError", "too many bad requests"),
        ("Conflict", "duplicates in the list"),
        ("Conflict", "a duplicated line"),
        ("Conflict", "merge conflicts"),
        ("Conflict", "conflicts with main"),
        ("Conflict", "unique constraints"),
        ("Timeout", "three timeouts in a row"),
        ("Timeout", "aborting"),
        ("Timeout", "it aborts"),
        ("RateLimited", "rate limits"),
        ("Unauthorized", "invalid tokens"),
        ("Unauthorized", "expired tokens"),
        ("ServiceUnavailable", "upstream errors"),
        ("ServiceUnavailable", "connection resets"),
    ],
)
def test_the_words_of_003_are_read_in_their_plurals_and_other_forms(word, text):
    assert word_for(Exception(text)) == word
    assert word_for(Exception(text.upper())) == word


def test_provider_patterns_come_before_common_ones():
    assert word_for(Exception("status code 429: invalid request")) == "RateLimited"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("SyntaxError", "ValidationError"),
        ("RangeError", "ValidationError"),
        ("URIError", "ValidationError"),
        ("ZodError", "ValidationError"),
        ("ReferenceError", "InternalError"),
        ("AggregateError", "InternalError"),
        ("AbortError", "Timeout"),
        ("EvalError", "InternalError"),
        ("Nothing", "InternalError"),
    ],
)
def test_the_name_of_a_class_is_read_as_its_message_is(name, word):
    assert word_for(type(name, (Exception,), {})("It went wrong.")) == word


@pytest.mark.parametrize("text", ["Cannot read property x of undefined", "order not found", "invalid token"])
def test_a_type_error_is_a_mistake_of_the_program_whatever_it_says(text):
    assert word_for(TypeError(text)) == "InternalError"
