"""The words each document chose, where it disagrees with itself or with the others, and what errata makes of it."""

import pytest
from support.wire_payloads import flag_of, payload_of

from errata import Code, Fault, FaultError, Retry, dialects, http

# The design's joint table, written down a second time on purpose. ◂ marks what a shared word is read as.
TABLE = """
PARSE_ERROR             BAD_REQUEST     2001   CLIENT_ERROR           -32700   INVALID_INPUT
INVALID_REQUEST         BAD_REQUEST◂    2001   CLIENT_ERROR◂          -32600◂  INVALID_INPUT
METHOD_NOT_FOUND        NOT_FOUND       5001   NOT_FOUND              -32601   NOT_FOUND
INVALID_PARAMS          BAD_REQUEST     2001   CLIENT_ERROR           -32602◂  INVALID_INPUT◂
MISSING_REQUIRED_FIELD  BAD_REQUEST     2002   CLIENT_ERROR           -32602   INVALID_INPUT
INVALID_FORMAT          BAD_REQUEST     2003   CLIENT_ERROR           -32602   INVALID_INPUT
VALIDATION_FAILED       BAD_REQUEST     2001◂  CLIENT_ERROR           -32007◂  VALIDATION_FAILED
UNAUTHORIZED            UNAUTHORIZED    4001   AUTHENTICATION_ERROR◂  -32006   UNAUTHORIZED
FORBIDDEN               FORBIDDEN◂      4001   AUTHENTICATION_ERROR   -32005◂  FORBIDDEN
NOT_FOUND               NOT_FOUND◂      4001   NOT_FOUND◂             -32001   NOT_FOUND◂
GONE                    GONE            4001   CLIENT_ERROR           -32600   NOT_FOUND
CONFLICT                BAD_REQUEST     4001   CLIENT_ERROR           -32002◂  OPERATION_NOT_ALLOWED
RATE_LIMITED            RATE_LIMITED    3001   CLIENT_ERROR           -32003   RATE_LIMITED
TIMEOUT                 TIMEOUT◂        3002◂  NETWORK_ERROR          -32004◂  TIMEOUT◂
CANCELLED               TIMEOUT         3002   NETWORK_ERROR          -32004   TIMEOUT
NETWORK_ERROR           NETWORK_ERROR   4002   NETWORK_ERROR◂         -32000   SERVICE_UNAVAILABLE
UPSTREAM_ERROR          UPSTREAM_ERROR◂ 4001◂  SERVER_ERROR◂          -32000   DEPENDENCY_FAILED◂
SERVICE_UNAVAILABLE     UPSTREAM_ERROR  4002◂  SERVER_ERROR           -32000◂  SERVICE_UNAVAILABLE◂
CIRCUIT_OPEN            UPSTREAM_ERROR  4002   SERVER_ERROR           -32000   CIRCUIT_OPEN
CONFIGURATION_ERROR     INTERNAL_ERROR  4001   UNKNOWN_ERROR          -32008   INTERNAL_ERROR
INITIALIZATION_FAILED   INTERNAL_ERROR  4001   UNKNOWN_ERROR          -32009   INTERNAL_ERROR
DATABASE_ERROR          INTERNAL_ERROR  4001   SERVER_ERROR           -32010   DEPENDENCY_FAILED
SERIALIZATION_ERROR     INTERNAL_ERROR  4001   UNKNOWN_ERROR          -32070   INTERNAL_ERROR
NOT_IMPLEMENTED         INTERNAL_ERROR  5001◂  CLIENT_ERROR           -32603   OPERATION_NOT_ALLOWED
BUSINESS_RULE_VIOLATION BAD_REQUEST     4001   CLIENT_ERROR           -32007   BUSINESS_RULE_VIOLATION
INSUFFICIENT_BALANCE    BAD_REQUEST     4001   CLIENT_ERROR           -32005   INSUFFICIENT_BALANCE
DUPLICATE_OPERATION     BAD_REQUEST     4001   CLIENT_ERROR           -32002   DUPLICATE_OPERATION
OPERATION_NOT_ALLOWED   FORBIDDEN       4001   CLIENT_ERROR           -32005   OPERATION_NOT_ALLOWED◂
INTERNAL_ERROR          INTERNAL_ERROR◂ 4001   UNKNOWN_ERROR          -32603◂  INTERNAL_ERROR◂
UNKNOWN_ERROR           INTERNAL_ERROR  4001   UNKNOWN_ERROR◂         -32099   INTERNAL_ERROR
"""
COLUMNS = ["mcp-tool-error", "error-response", "tool-error-v1", "json-rpc", "taxonomy"]
CELLS = [
    (name, Code[row.split()[0]], cell)
    for row in TABLE.strip().splitlines()
    for name, cell in zip(COLUMNS, row.split()[1:], strict=True)
]


@pytest.mark.parametrize(("dialect", "code", "cell"), CELLS)
def test_a_code_has_the_word_of_the_table(dialect, code, cell):
    assert str(payload_of(dialect, Fault(code=code))["code"]) == cell.removesuffix("◂")


WORDS = [
    (name, word)
    for name, words in [
        ("mcp-tool-error", dialects.McpToolErrorCode),
        ("error-response", dialects.ErrorResponseCode),
        ("tool-error-v1", dialects.ToolErrorCode),
        ("json-rpc", dialects.JsonRpcErrorCode),
        ("taxonomy", dialects.MCPErrorCode),
    ]
    for word in words
]


@pytest.mark.parametrize(("dialect", "word"), WORDS, ids=lambda each: getattr(each, "name", each))
def test_an_exception_raised_with_a_documents_word_has_that_word_in_its_dialect(dialect, word):
    error = FaultError(word, "x")

    assert error.code is dialects.get(dialect).vocabulary.code_for(word) is word.code
    assert error.fault.origin is None
    assert payload_of(dialect, error.fault)["code"] == word


# 003's table of statuses, written out.
STATUSES = [
    *((400, "InvalidParams"), (401, "Unauthorized"), (402, "Forbidden"), (403, "Forbidden"), (404, "NotFound")),
    *((status, "Timeout") for status in (408, 425, 504)),
    *((status, "Conflict") for status in (409, 423, 424)),
    *((422, "ValidationError"), (429, "RateLimited"), (500, "InternalError"), (501, "InternalError")),
    *((status, "InvalidRequest") for status in (405, 406, 410, 412, 415, 416, 417, 428, 431, 451, 418, 499)),
    *((status, "ServiceUnavailable") for status in (502, 503, 505, 599)),
    *((status, "UnknownError") for status in (200, 302, 600)),
]


@pytest.mark.parametrize(("status", "name"), STATUSES)
def test_a_status_has_the_word_of_003s_table_and_keeps_it_when_it_is_raised(status, name):
    word = dialects.http_status_to_error_code(status)

    assert word.name == name
    assert payload_of("json-rpc", FaultError(word).fault)["code"] == word


def test_a_code_alone_does_not_know_its_status_and_says_it_in_003_if_it_is_given():
    code = http.status_to_code(500)

    assert payload_of("json-rpc", FaultError(code, http_status=500).fault)["code"] == -32603
    assert payload_of("json-rpc", FaultError(code).fault)["code"] == -32000


@pytest.mark.parametrize(("dialect", "code"), [cell[:2] for cell in CELLS if cell[2].endswith("◂")])
def test_a_shared_word_is_read_as_the_marked_code(dialect, code):
    word = payload_of(dialect, Fault(code=code))["code"]

    assert dialects.get(dialect).vocabulary.code_for(word) is code
    assert len(dialects.get(dialect).vocabulary.codes_for(word)) > 1, "the mark is for shared words"


# Where the documents disagree: with each other, with themselves, or with what one would guess.
# document, status, word, flag (None: the document has none), and why it is worth a row.
DISAGREEMENTS = [
    ("mcp-tool-error", 410, "GONE", False, "000 has a word for it"),
    ("tool-error-v1", 410, "CLIENT_ERROR", False, "002 has none: a 4xx"),
    ("json-rpc", 410, -32600, None, "003 files it under other 4xx"),
    ("taxonomy", 410, "NOT_FOUND", None, "004 has none: the nearest"),
    ("error-response", 410, 4001, False, "001 has none: the adapter's"),
    ("mcp-tool-error", 500, "UPSTREAM_ERROR", True, "000: all 5xx, retriable"),
    ("tool-error-v1", 500, "SERVER_ERROR", True, "002: all 5xx, retryable"),
    ("json-rpc", 500, -32603, None, "003 calls it InternalError"),
    ("taxonomy", 500, "DEPENDENCY_FAILED", None, "004: somebody else's failure"),
    ("error-response", 500, 4001, True, "001: adapter error, retry varies"),
    ("mcp-tool-error", 429, "RATE_LIMITED", True, "000: retriable"),
    ("tool-error-v1", 429, "CLIENT_ERROR", False, "002 calls every 4xx not retryable"),
    ("json-rpc", 429, -32003, None, "003: RateLimited"),
    ("error-response", 429, 3001, True, "001: retryable, though 3xxx is its business range"),
    ("error-response", 504, 3002, True, "001: a timeout is a system code in the business range"),
    ("mcp-tool-error", 504, "UPSTREAM_ERROR", True, "000: a status of 504 is a 5xx, not TIMEOUT"),
    ("tool-error-v1", 504, "SERVER_ERROR", True, "002: likewise"),
    ("json-rpc", 504, -32004, None, "003: Timeout"),
    ("mcp-tool-error", 408, "BAD_REQUEST", False, "000: another 4xx"),
    ("mcp-tool-error", 401, "UNAUTHORIZED", False, "000 tells 401 from 403"),
    ("mcp-tool-error", 403, "FORBIDDEN", False, "000 tells 401 from 403"),
    ("tool-error-v1", 401, "AUTHENTICATION_ERROR", False, "002 does not"),
    ("tool-error-v1", 403, "AUTHENTICATION_ERROR", False, "002 does not"),
    ("json-rpc", 402, -32005, None, "003: 402 is Forbidden"),
    ("taxonomy", 402, "INSUFFICIENT_BALANCE", None, "004 has a word for it"),
    ("mcp-tool-error", 501, "UPSTREAM_ERROR", False, "000 says 5xx; repeating a 501 never helps"),
    ("tool-error-v1", 501, "SERVER_ERROR", False, "002 says 5xx; repeating a 501 never helps"),
    ("json-rpc", 501, -32603, None, "003: InternalError"),
    ("json-rpc", 405, -32600, None, "003: other 4xx"),
    ("json-rpc", 502, -32000, None, "003: ServiceUnavailable"),
]


@pytest.mark.parametrize(("dialect", "status", "word", "flag", "why"), DISAGREEMENTS)
def test_where_the_documents_disagree_each_is_followed(dialect, status, word, flag, why):
    fault = Fault(code=http.status_to_code(status), http_status=status)

    assert payload_of(dialect, fault)["code"] == word, why
    assert flag_of(dialect, fault) is flag, why


@pytest.mark.parametrize("dialect", ["mcp-tool-error", "tool-error-v1"])
def test_a_status_on_the_wire_says_more_than_the_word(dialect):
    for status in range(400, 600):
        fault = Fault(code=http.status_to_code(status), http_status=status)

        back = dialects.get(dialect).decode(dialects.get(dialect).encode(fault))

        assert (back.code, back.http_status) == (fault.code, status)


NOT_TO_BE_REPEATED = [
    Fault(code=Code.CANCELLED),
    Fault(code=Code.NETWORK_ERROR, message="certificate verify failed", retry=Retry.NEVER),
    Fault(code=Code.NOT_IMPLEMENTED, http_status=501),
    *(Fault(code=code, retry=Retry.VERIFY_FIRST) for code in Code),
]


@pytest.mark.parametrize("dialect", dialects.names())
@pytest.mark.parametrize("fault", NOT_TO_BE_REPEATED, ids=lambda fault: f"{fault.code}-{fault.retry}")
def test_what_must_not_be_repeated_is_never_called_retryable_by_anyone(dialect, fault):
    wire = dialects.get(dialect).encode(fault, format="both")

    assert flag_of(dialect, fault) in {None, False}
    assert not dialects.get(dialect).decode(wire).retryable
    assert payload_of(dialect, fault).get("recovery_hint") != "RETRY_LATER"


def test_a_broken_connection_does_not_come_back_as_safe_to_repeat():
    """The word it shares with SERVICE_UNAVAILABLE would be; a payment would be sent twice."""
    fault = Fault(code=Code.NETWORK_ERROR)

    for name in ("error-response", "json-rpc", "taxonomy"):
        back = dialects.get(name).decode(dialects.get(name).encode(fault))
        assert (back.code, back.retry) == (Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS)


@pytest.mark.parametrize("dialect", COLUMNS)
def test_an_unknown_word_in_a_known_shape_is_kept(dialect):
    wire = dialects.get(dialect).encode(Fault(code=Code.NOT_FOUND))
    payload = wire["structuredContent"]
    payload = payload.get("error", payload)
    payload["code"] = -12345 if isinstance(payload["code"], int) else "OUT_OF_CHEESE"
    if dialect == "error-response":
        payload["code"] = 9999

    fault = dialects.get(dialect).decode(wire)

    assert (fault.code, fault.origin) == (Code.UNKNOWN_ERROR, str(payload["code"]))


@pytest.mark.parametrize("dialect", ["mcp-tool-error", "error-response", "tool-error-v1", "json-rpc"])
def test_the_correlation_id_that_an_adapter_puts_beside_the_payload_is_read(dialect):
    wire = dialects.get(dialect).encode(Fault(code=Code.GONE, correlation_id="abc"))
    assert dialects.get(dialect).decode(wire).correlation_id is None

    wire["_meta"] = {"errata/correlationId": "abc"}

    assert dialects.get(dialect).decode(wire).correlation_id == "abc"


def test_a_dialect_that_does_not_exist_is_answered_with_the_nearest_one():
    with pytest.raises(LookupError, match=r"There is no dialect `json_rpc`. Did you mean `json-rpc`\?"):
        dialects.get("json_rpc")
    with pytest.raises(LookupError, match="Choose one of `native`, `mcp-tool-error`"):
        dialects.get("klingon")
