"""An exception that carries a response: its message is the service's own, and nothing of the address leaves."""

import asyncio
import json
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from hypothesis import given, strategies as st
from support.library_tables import module
from support.required_libraries import need
from support.single_answer_server import replying

from errata import Code, FieldIssue, Retry, classify, dialects
from errata.http import LONGEST_MESSAGE, error_from_response, public_host, request_of

ADDRESS = "https://parcels.example/track?number=P-18&api_key=hunter2hunter2"
UNKNOWN = {"message": "Unknown number."}
ANSWERED = "The service answered 404 Not Found: ‹Unknown number.›"


def answered(status, body=b"", url=ADDRESS, method="GET", request_headers=None, **headers):
    """What httpx raises for a response."""
    httpx = need("httpx")
    content = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    request = httpx.Request(method, url, headers=request_headers)
    with pytest.raises(httpx.HTTPStatusError) as raised:
        httpx.Response(status, content=content, headers=fields, request=request).raise_for_status()
    return raised.value


def raised_by(call, *arguments, **keywords):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - whatever the SDK raises is what is looked at.
        call(*arguments, **keywords)
    return raised.value


# Who calls the service, and with what.


def by_httpx(address):
    need("httpx").post(f"{address}/x?token=abc").raise_for_status()


def by_httpx2(address):
    need("httpx2").post(f"{address}/x?token=abc").raise_for_status()


def by_requests(address):
    need("requests").post(f"{address}/x?token=abc").raise_for_status()


def by_openai(address):
    client = module("openai").OpenAI(api_key="k", base_url=address, max_retries=0)
    client.chat.completions.create(model="m", messages=[])


def by_anthropic(address):
    client = module("anthropic").Anthropic(api_key="k", base_url=address, max_retries=0)
    client.messages.create(model="m", max_tokens=1, messages=[])


def by_groq(address):
    client = module("groq").Groq(api_key="k", base_url=address, max_retries=0)
    client.chat.completions.create(model="m", messages=[])


def by_cohere(address):
    client = module("cohere").ClientV2(api_key="k", base_url=address)
    client.chat(model="m", messages=[], request_options={"max_retries": 0})


def by_mistral(address):
    module("mistralai.client").Mistral(api_key="k", server_url=address).chat.complete(model="m", messages=[])


def by_kubernetes(address):
    client = module("kubernetes.client")
    settings = client.Configuration()
    settings.host, settings.retries = address, 0
    client.CoreV1Api(client.ApiClient(settings)).read_namespaced_pod("x", "y")


def by_slack(address):
    module("slack_sdk").WebClient(token="xoxb-1", base_url=f"{address}/").chat_postMessage(channel="c", text="t")  # noqa: S106 - nobody's.


def by_stripe(address):
    stripe = module("stripe")
    client = stripe.StripeClient("sk_test_x", base_addresses={"api": address}, max_network_retries=0)
    client.v1.customers.retrieve("cus_1")


def by_elasticsearch(address):
    module("elasticsearch").Elasticsearch(address, max_retries=0).get(index="i", id="1")


def by_github(address):
    client = module("github").Github(base_url=address, retry=None, seconds_between_requests=None)
    client.get_repo("o/r")


def by_gitlab(address):
    module("gitlab").Gitlab(address).projects.get(1)


def by_notion(address):
    module("notion_client").Client(auth="x", base_url=address).users.list()


def by_google(address):
    storage, credentials = module("google.cloud.storage"), module("google.auth.credentials")
    options = {"api_endpoint": address}
    client = storage.Client(project="p", credentials=credentials.AnonymousCredentials(), client_options=options)
    client.get_bucket("b", retry=None)


def by_azure(address):
    blob = module("azure.storage.blob")
    client = blob.BlobServiceClient(f"{address}/account", credential=None, retry_total=0)
    client.get_container_client("c").get_container_properties()


IN_ERROR = {by_openai, by_anthropic, by_groq, by_stripe}
CLIENTS = [
    by_httpx, by_httpx2, by_requests, by_openai, by_anthropic, by_groq, by_cohere, by_mistral, by_kubernetes, by_slack, by_stripe,
    by_elasticsearch, by_github, by_gitlab, by_notion, by_google, by_azure,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # Some SDKs leave sockets open, or are deprecated in part.
@pytest.mark.parametrize("call", CLIENTS, ids=lambda call: call.__name__)
def test_whatever_client_asked_the_service_is_quoted_and_its_body_kept(call):
    body = {"error": {"message": "Unknown number.", "type": "odd"}} if call in IN_ERROR else UNKNOWN
    with replying(404, body) as address:
        fault = classify(raised_by(call, address))

    assert (fault.code, fault.message) == (Code.NOT_FOUND, ANSWERED)
    assert json.loads(fault.data["body"]) == body


# fmt: off
KNOWN_REQUESTS = {
    by_httpx: "POST", by_httpx2: "POST", by_requests: "POST", by_openai: "POST", by_anthropic: "POST", by_groq: "POST",
    by_mistral: "POST", by_slack: "POST", by_google: "GET", by_azure: "GET",
}
# fmt: on


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", KNOWN_REQUESTS, ids=lambda call: call.__name__)
def test_the_request_that_failed_is_known_with_its_method_and_address(call):
    with replying(404, UNKNOWN) as address:
        request = request_of(raised_by(call, address))

    assert request.method == KNOWN_REQUESTS[call]
    assert request.url.startswith(address)
    assert not request.has_idempotency_key


def test_botocore_is_told_in_its_own_words_and_knows_its_operation():
    session, config = module("botocore.session"), module("botocore.config")
    body = {"__type": "ResourceNotFoundException", "message": "Requested resource not found"}
    with replying(400, body) as address:
        client = session.get_session().create_client(
            "dynamodb", region_name="eu-central-1", endpoint_url=address, aws_access_key_id="a", aws_secret_access_key="b",  # noqa: S106 - nobody's.
            config=config.Config(retries={"max_attempts": 0}),
        )  # fmt: skip
        error = raised_by(client.get_item, TableName="orders", Key={"id": {"S": "x"}})

    fault = classify(error)
    assert fault.code is Code.NOT_FOUND
    assert fault.message.startswith("An error occurred (ResourceNotFoundException) when calling the GetItem operation")
    assert json.loads(fault.data["body"])["Message"] == "Requested resource not found"
    assert request_of(error) == (None, None, {}, "GetItem")


def test_aiohttp_s_error_has_no_body_and_keeps_the_address():
    aiohttp = need("aiohttp")

    async def ask(address):
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            await session.post(f"{address}/x?token=abc", headers={"Idempotency-Key": "7"})

    with replying(404, UNKNOWN) as address:
        error = raised_by(asyncio.run, ask(address))

    request = request_of(error)
    assert classify(error).message == "The service answered 404 Not Found."
    assert (request.method, request.url, request.has_idempotency_key) == ("POST", f"{address}/x?token=abc", True)


def test_urllib_s_error_is_not_read_from_the_network():
    with replying(404, UNKNOWN) as address, pytest.raises(HTTPError) as raised:
        urlopen(Request(f"{address}/x"))  # noqa: S310 - a server on this machine.
    with raised.value:
        assert classify(raised.value).message == "The service answered 404 Not Found."
        assert raised.value.read() == json.dumps(UNKNOWN).encode()


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_a_stream_that_was_not_read_is_told_without_its_body(library):
    client = need(library)
    with replying(404, UNKNOWN) as address, client.stream("GET", address) as response:
        error = raised_by(response.raise_for_status)
        assert classify(error).message == "The service answered 404 Not Found."


def test_an_idempotency_key_that_went_with_the_request_is_seen():
    sent = request_of(answered(503, method="POST", request_headers={"idempotency-key": "order-7"}))
    assert (sent.method, sent.has_idempotency_key) == ("POST", True)


def test_a_timeout_knows_its_request_too():
    httpx = need("httpx")
    assert request_of(httpx.ReadTimeout("", request=httpx.Request("DELETE", ADDRESS))).method == "DELETE"
    assert request_of(httpx.ReadTimeout("")) is None
    assert request_of(ValueError("no request")) is None


def test_the_fields_that_a_body_complains_about_are_issues():
    body = {"detail": [{"loc": ["body", "due"], "msg": "Input should be a valid date", "input": "tomorrow"}]}
    fault = classify(answered(422, body))

    assert fault.issues == (FieldIssue("due", "Input should be a valid date"),)
    assert fault.field is None
    assert fault.message == "parcels.example answered 422 Unprocessable Content: ‹`due`: Input should be a valid date›"


@pytest.mark.parametrize(
    "problems",
    [
        {"summary": "You must specify a summary."},
        {"summary": ["You must specify a summary."]},
        {"summary": {"message": "You must specify a summary.", "kind": "required"}},
    ],
    ids=["Jira", "Rails", "Mongoose"],
)
def test_problems_by_the_name_of_their_field_are_issues(problems):
    fault = classify(answered(400, {"errorMessages": [], "errors": problems}))
    assert fault.issues == (FieldIssue("summary", "You must specify a summary."),)
    assert fault.message.endswith("400 Bad Request: ‹`summary`: You must specify a summary.›")


def test_the_dialect_that_carries_the_upstream_s_answer_has_its_body():
    payload = dialects.mcp_tool_error.encode(classify(answered(404, UNKNOWN)))["structuredContent"]
    assert payload["original"] == {"status": 404, "body": '{"message": "Unknown number."}'}


def test_a_page_gives_its_title_and_data_of_unknown_shape_nothing():
    page = "<!doctype html><html><head><title>Down for maintenance</title></head><body>x</body></html>"
    assert classify(answered(503, page)).message.endswith("503 Service Unavailable: ‹Down for maintenance›")
    assert classify(answered(503, page)).data == {}
    assert classify(answered(500, {"a": [{"b": 1}]})).message == "parcels.example answered 500 Internal Server Error."


def test_a_body_of_ten_megabytes_is_read_and_kept_in_part():
    body = json.dumps({"message": "x" * 1_000_000})
    fault = classify(answered(400, body))
    assert len(fault.data["body"]) <= 500
    assert len(fault.message) <= LONGEST_MESSAGE


def test_an_author_s_own_words_stay_in_front_of_the_service_s():
    class LabelError(Exception):
        def __init__(self, text, response):
            super().__init__(text)
            self.response = response

    response = need("httpx").Response(422, json={"error": "weight is missing"})
    sentence = "The service answered 422 Unprocessable Content: ‹weight is missing›"

    assert (
        classify(LabelError("Could not print the label.", response)).message == f"Could not print the label: {sentence}"
    )
    assert classify(LabelError("POST http://labels:80/ failed", response)).message == sentence
    assert classify(LabelError("Refused: weight is missing", response)).message == "Refused: weight is missing"


def test_a_wrapper_that_quotes_a_client_s_text_quotes_the_service_instead():
    cause = answered(404, UNKNOWN)
    error = RuntimeError(f"Tracking failed: {cause}")
    error.__cause__ = cause
    assert classify(error).message == "Tracking failed: parcels.example answered 404 Not Found: ‹Unknown number.›"


def test_the_answer_of_a_web_framework_is_not_the_upstream_s():
    web = need("aiohttp.web")
    assert classify(web.HTTPNotFound(reason="No such parcel")).message == "No such parcel"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.com/v1?x=1", "api.example.com"),
        ("https://API.Example.COM:443/", "api.example.com"),
        ("https://local.example/", "local.example"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("http://10.0.0.7/", None),
        ("http://[::1]/", None),
        ("http://localhost/", None),
        ("http://billing/", None),
        ("http://billing.default.svc.cluster.local/", None),
        ("http://billing.prod.internal/", None),
        ("https://wiki.corp.example.com/", None),
        ("http://api.example.com:8080/", None),
        ("http://nas.lan/", None),
        ("http://[broken/", None),
        ("/relative", None),
        (None, None),
    ],
)
def test_a_host_is_named_only_if_anybody_could_know_it(url, host):
    assert public_host(url) == host


def test_an_internal_address_in_a_body_stays_here():
    fault = classify(answered(502, {"message": "No answer from http://billing.internal:8080/pay?x=1 in time"}))
    assert fault.message.endswith("No answer from [internal address] in time›")
    assert "billing.internal" not in str(fault)


QUOTA = "You exceeded your current quota, please check your plan and billing details."
PER_MINUTE = "Quota exceeded for quota metric 'Read requests' and limit 'Read requests per minute per user'."
PER_DAY = "Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'x'."
RPM = "Rate limit reached for gpt-5 on requests per min (RPM): Limit 3. Add a payment method at https://x.example/billing."
# fmt: off
REFUSALS = [
    (429, {"error": {"message": QUOTA, "code": "insufficient_quota"}}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
    (429, {"error": {"message": QUOTA}}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
    (429, {"error": {"message": f"{QUOTA} Please retry in 35s."}}, Code.RATE_LIMITED, Retry.SAME_CALL),
    (429, {"error": {"message": PER_MINUTE}}, Code.RATE_LIMITED, Retry.SAME_CALL),
    (429, {"error": {"message": PER_DAY}}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
    (429, {"error": {"message": RPM}}, Code.RATE_LIMITED, Retry.SAME_CALL),
    (429, {"message": "Usage limit reached for this month, upgrade to continue."}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
    (429, {"message": "Slow down"}, Code.RATE_LIMITED, Retry.SAME_CALL),
    (400, {"error": {"message": "Your credit balance is too low to access the API."}}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
    (403, {"error": {"errors": [{"reason": "dailyLimitExceeded"}], "message": "Daily Limit Exceeded"}}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
    (403, {"error": {"errors": [{"reason": "rateLimitExceeded"}], "message": "x"}}, Code.RATE_LIMITED, Retry.SAME_CALL),
    (403, {"message": "You have exceeded a secondary rate limit. Please wait 2 minutes."}, Code.RATE_LIMITED, Retry.IF_HARMLESS),
    (403, {"message": "Your plan has no access to rate limits."}, Code.FORBIDDEN, Retry.NEVER),
    (400, {"error": {"message": "API key not valid. Please pass a valid API key."}}, Code.UNAUTHORIZED, Retry.NEVER),
    (400, {"error": "invalid_grant", "error_description": "Token has been revoked."}, Code.UNAUTHORIZED, Retry.NEVER),
    (400, {"message": "Invalid token '=' near 'AND'"}, Code.INVALID_PARAMS, Retry.FIX_INPUT),
    (400, {"message": "Invalid page token"}, Code.INVALID_PARAMS, Retry.FIX_INPUT),
    (400, {"message": "API version v2 was retired on 2025-01-31; use v3"}, Code.CONFIGURATION_ERROR, Retry.NEVER),
    (410, {"message": "This API has been sunset."}, Code.CONFIGURATION_ERROR, Retry.NEVER),
    (410, {"message": "Version 3 of the document was deleted."}, Code.GONE, Retry.NEVER),
    (400, {"message": 'container "nginx" in pod "web-1" is waiting to start: ContainerCreating'}, Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS),
    (400, {"message": 'container "nginx" in pod "web-1" is waiting to start: trying and failing to pull image'}, Code.OPERATION_NOT_ALLOWED, Retry.NEVER),
    (400, {"message": "The index is still being created."}, Code.SERVICE_UNAVAILABLE, Retry.IF_HARMLESS),
    (404, {"message": "No route GET /v2/search"}, Code.CONFIGURATION_ERROR, Retry.NEVER),
    (404, {"message": "Route GET:/v2/search not found", "error": "Not Found"}, Code.CONFIGURATION_ERROR, Retry.NEVER),
    (404, "<!DOCTYPE html><html><title>Error</title><pre>Cannot GET /v2/x</pre></html>", Code.CONFIGURATION_ERROR, Retry.NEVER),
    (404, {"message": "Issue WEB-9999 does not exist"}, Code.NOT_FOUND, Retry.FIX_INPUT),
]
# fmt: on


@pytest.mark.parametrize(("status", "body", "code", "retry"), REFUSALS)
def test_a_body_that_contradicts_its_status_is_believed(status, body, code, retry):
    error = answered(status, body)

    fault = classify(error)
    assert (fault.code, fault.retry) == (code, retry)
    of_response = error_from_response(error.response).fault
    assert (of_response.code, of_response.retry) == (code, retry)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "call", [by_openai, by_anthropic, by_groq, by_requests, by_httpx2], ids=lambda call: call.__name__
)
def test_a_spent_quota_is_no_rate_limit_with_any_client(call):
    with replying(429, {"error": {"message": QUOTA, "type": "insufficient_quota"}}) as address:
        fault = classify(raised_by(call, address))
    assert (fault.code, fault.retry, fault.retry_after_ms) == (Code.INSUFFICIENT_BALANCE, Retry.NEVER, None)


def test_a_403_for_too_many_calls_has_its_wait():
    body = {"message": "API rate limit exceeded for installation ID 77."}
    fault = classify(answered(403, body, Retry_After="45", X_RateLimit_Remaining="0"))
    assert (fault.code, fault.retry_after_ms) == (Code.RATE_LIMITED, 45_000)


@pytest.mark.parametrize(
    ("status", "body", "wait"),
    [
        (503, {"message": "Maintenance. Check back in 5 minutes"}, 300_000),
        (429, {"message": "Slow down", "retry_after": 1.5}, 1_500),
        (
            429,
            {"error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "11s"}]}},
            11_000,
        ),
        (404, {"message": "Not here. Try again in 5 minutes"}, None),
        (422, {"message": "The slot begins in 5 minutes"}, None),
    ],
)
def test_a_wait_in_a_body_counts_where_waiting_helps(status, body, wait):
    error = answered(status, body)
    assert classify(error).retry_after_ms == wait
    assert error_from_response(error.response).fault.retry_after_ms == wait


def test_a_wait_in_plain_words_counts_where_waiting_helps():
    assert classify(RuntimeError("Rate limit exceeded, try again in 6s")).retry_after_ms == 6_000
    assert classify(LookupError("No such train; the next leaves in 5 minutes, wait 5 minutes")).retry_after_ms is None


BODIES = st.one_of(
    st.text(max_size=300),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=40) | st.integers(),
        lambda inside: (
            st.lists(inside, max_size=4)
            | st.dictionaries(
                st.sampled_from(["error", "message", "errors", "detail", "code", "retry_after", "x"]), inside
            )
        ),
        max_leaves=20,
    ).map(json.dumps),
)


@given(st.integers(400, 599), BODIES)
def test_whatever_the_body_the_message_is_one_short_line_without_the_address(status, body):
    fault = classify(answered(status, body))
    assert len(fault.message) <= LONGEST_MESSAGE
    assert "\n" not in fault.message
    assert "hunter2" not in str(fault)


@given(st.integers(400, 599), BODIES)
def test_a_response_and_the_exception_made_of_it_mean_the_same(status, body):
    error = answered(status, body)
    if status in {499, 522, 524, 598}:  # What only proxies say is told apart by `classify` alone.
        return
    fault, other = classify(error), error_from_response(error.response).fault
    assert (fault.code, fault.retry, fault.retry_after_ms) == (other.code, other.retry, other.retry_after_ms)
    assert fault.message == other.message.replace("The service", "parcels.example", 1)


def repr_of_type(value):
    return type(value).__name__


class Hostile:
    """A response of which everything raises."""

    status_code = 500

    def __getattr__(self, name):
        raise RuntimeError(name)


@pytest.mark.parametrize(
    "response", [Hostile(), 7, "text", b"\xff", [], {}, {"Error": []}, SimpleNamespace(headers=7)], ids=repr_of_type
)
def test_a_response_that_is_none_costs_nothing(response):
    error = RuntimeError("Could not ask")
    error.status_code, error.response = 503, response
    contradicts = isinstance(response, Hostile)  # It says 500, and the more careful one counts.
    assert classify(error).code is (Code.UPSTREAM_ERROR if contradicts else Code.SERVICE_UNAVAILABLE)
    request_of(error)


def test_hostile_words_are_read_in_part():
    message = "rate limit " * 1_000 + "api v1 " * 1_000 + "quota per " * 1_000
    body = json.dumps({"message": message, "errors": [{"code": "x" * 100}] * 1_000})
    fault = classify(answered(400, body))
    assert fault.code is Code.INVALID_PARAMS
    assert "400 Bad Request: ‹rate limit" in fault.message
