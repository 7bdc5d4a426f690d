"""Services on the web: judged by status, and by their own words where they answer 200 or 400 to everything."""

import pytest
from support.failing_http_server import refused
from support.library_tables import Library, check_decided, check_names, module
from support.single_answer_server import replying

from errata import Code, Retry, classify
from errata.classification import FAMILIES
from errata.classification._registry import REGISTRY

LIBRARIES = [
    Library("stripe", ("stripe._error", "stripe.oauth_error"), telling=frozenset({"stripe._error.StripeError"})),
    Library("github", ("github",), telling=frozenset({"github.GithubException.GithubException"})),
    Library(
        "gitlab",
        ("gitlab.exceptions", "gitlab.config"),
        telling=frozenset({"gitlab.exceptions.GitlabError", "gitlab.config.ConfigError"}),
    ),
    Library(
        "notion_client",
        ("notion_client.errors",),
        telling=frozenset({"notion_client.errors.HTTPResponseError"}),
    ),
    Library("slack_sdk", ("slack_sdk.errors",)),
    Library("twilio", ("twilio.base.exceptions", "twilio.base.obsolete", "twilio.twiml", "twilio.jwt")),
]


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_every_exception_of_a_library_is_decided_about(library):
    check_decided(library)


def judged(call, *arguments, **options):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - every SDK has its own
        call(*arguments, **options)
    return classify(caught.value)


def look_alike(name, **carried):
    """Make an instance of a class that is called like one of a library that is not installed."""
    package, _, short = name.rpartition(".")
    error = type(short, (Exception,), {"__module__": package})("…")
    error.__dict__.update(carried)
    return error


def charged(status, error, **headers):
    stripe = module("stripe")
    with replying(status, {"error": error}, **headers) as address:
        client = stripe.StripeClient("sk_test_1", base_addresses={"api": address}, max_network_retries=0)
        return judged(client.v1.customers.retrieve, "cus_1")


@pytest.mark.parametrize(
    ("status", "error", "code", "retry"),
    [
        (400, {"code": "parameter_missing"}, Code.MISSING_REQUIRED_FIELD, Retry.FIX_INPUT),
        (400, {"code": "unheard_of"}, Code.INVALID_PARAMS, Retry.FIX_INPUT),
        (400, {"code": "rate_limit"}, Code.RATE_LIMITED, Retry.SAME_CALL),
        (400, {"type": "idempotency_error"}, Code.CONFLICT, Retry.FIX_INPUT),
        (401, {}, Code.UNAUTHORIZED, Retry.NEVER),
        (402, {"code": "card_declined", "decline_code": "do_not_honor"}, Code.BUSINESS_RULE_VIOLATION, Retry.NEVER),
        (402, {"code": "card_declined", "decline_code": "insufficient_funds"}, Code.INSUFFICIENT_BALANCE, Retry.NEVER),
        (402, {"code": "expired_card"}, Code.VALIDATION_FAILED, Retry.FIX_INPUT),
        (404, {"code": "resource_missing"}, Code.NOT_FOUND, Retry.FIX_INPUT),
        (409, {"code": "lock_timeout"}, Code.CONFLICT, Retry.SAME_CALL),
        (500, {"type": "api_error"}, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    ],
)
def test_stripe_is_judged_by_status_code_and_reason_of_decline(status, error, code, retry):
    fault = charged(status, {"message": "…", **error})
    assert (fault.code, fault.retry, fault.http_status) == (code, retry, status)


def test_stripe_s_own_yes_or_no_to_repeating_counts():
    assert charged(500, {"message": "…"}, Stripe_Should_Retry="false").retry is Retry.NEVER
    assert charged(400, {"message": "…"}, Stripe_Should_Retry="true").retry is Retry.SAME_CALL


def test_a_webhook_with_a_wrong_signature_is_not_let_in():
    stripe = module("stripe")
    assert judged(stripe.Webhook.construct_event, "{}", "t=1,v1=abc", "whsec_1").code is Code.UNAUTHORIZED


def asked(status, body, **headers):
    github = module("github")
    with replying(status, body, **headers) as address:
        client = github.Github(base_url=address, retry=None, seconds_between_requests=None)
        return judged(client.get_repo, "o/r")


def test_github_s_403_is_a_rate_limit_where_it_says_so_and_else_forbidden():
    limited = asked(403, {"message": "API rate limit exceeded for 1.2.3.4"}, Retry_After="60")
    assert (limited.code, limited.retry_after_ms) == (Code.RATE_LIMITED, 60_000)
    assert asked(403, {"message": "Resource not accessible by integration"}).code is Code.FORBIDDEN


def test_github_names_the_fields_it_refuses():
    errors = [{"resource": "Issue", "field": "title", "code": "missing_field"}]
    fault = asked(422, {"message": "Validation Failed", "errors": errors})
    assert fault.code is Code.VALIDATION_FAILED
    assert fault.message == "The service answered 422 Unprocessable Content: ‹Validation Failed›"
    assert [(issue.field, issue.problem) for issue in fault.issues] == [("title", "missing field")]


def test_github_refuses_for_legal_reasons():
    assert asked(451, {"message": "Repository access blocked"}).code is Code.FORBIDDEN


@pytest.mark.parametrize(
    ("status", "code"), [(401, Code.UNAUTHORIZED), (404, Code.NOT_FOUND), (429, Code.RATE_LIMITED)]
)
def test_gitlab_keeps_its_status_under_a_name_of_its_own(status, code):
    gitlab = module("gitlab")
    with replying(status, {"message": "…"}) as address:
        client = gitlab.Gitlab(address)
        fault = judged(client.projects.get, 1, obey_rate_limit=False)
    assert (fault.code, fault.http_status) == (code, status)


def posted(status, body, **headers):
    slack = module("slack_sdk")
    with replying(status, body, **headers) as address:
        client = slack.WebClient("xoxb-1", base_url=f"{address}/", retry_handlers=[])
        return judged(client.chat_postMessage, channel="C1", text="hello")


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("invalid_auth", Code.UNAUTHORIZED),
        ("channel_not_found", Code.NOT_FOUND),
        ("something_not_found", Code.NOT_FOUND),
        ("not_in_channel", Code.OPERATION_NOT_ALLOWED),
        ("name_taken", Code.CONFLICT),
        ("ratelimited", Code.RATE_LIMITED),
        ("msg_too_long", Code.VALIDATION_FAILED),
        ("internal_error", Code.UPSTREAM_ERROR),
    ],
)
def test_slack_says_it_in_a_word_with_status_200(word, code):
    assert posted(200, {"ok": False, "error": word}).code is code


def test_slack_says_which_scope_it_needs_and_how_long_to_wait():
    denied = posted(200, {"ok": False, "error": "missing_scope", "needed": "chat:write"})
    assert denied.message == "Slack answered `missing_scope`; it needs the scope `chat:write`."
    assert posted(429, {"ok": False, "error": "ratelimited"}, Retry_After="9").retry_after_ms == 9_000


def test_notion_is_judged_by_status_and_word():
    notion = module("notion_client")
    for status, word, code in (
        (404, "object_not_found", Code.NOT_FOUND),
        (400, "validation_error", Code.VALIDATION_FAILED),
    ):
        with replying(status, {"object": "error", "code": word, "message": "…"}) as address:
            assert judged(notion.Client(auth="t", base_url=address, retry=False).users.me).code is code


def test_twilio_is_judged_by_status_and_number_and_prints_no_colours():
    exceptions = module("twilio.base.exceptions")
    stopped = classify(exceptions.TwilioRestException(400, "/Messages", "The recipient replied STOP", 21610, "POST"))
    assert (stopped.code, stopped.message) == (Code.BUSINESS_RULE_VIOLATION, "The recipient replied STOP")
    assert classify(exceptions.TwilioRestException(503, "/Messages", "Busy")).code is Code.SERVICE_UNAVAILABLE


@pytest.mark.parametrize(
    ("error", "code", "wait"),
    [
        (look_alike("telegram.error.RetryAfter", _retry_after=5), Code.RATE_LIMITED, 5_000),
        (look_alike("telethon.errors.rpcerrorlist.FloodWaitError", seconds=30), Code.RATE_LIMITED, 30_000),
        (look_alike("discord.errors.RateLimited", retry_after=0.5), Code.RATE_LIMITED, 500),
        (look_alike("dropbox.exceptions.RateLimitError", backoff=7), Code.RATE_LIMITED, 7_000),
        (look_alike("discord.errors.HTTPException", status=404), Code.NOT_FOUND, None),
        (look_alike("spotipy.exceptions.SpotifyException", http_status=401, msg="expired"), Code.UNAUTHORIZED, None),
        (look_alike("hubspot.crm.contacts.exceptions.ApiException", status=409, body="{}"), Code.CONFLICT, None),
        (look_alike("plaid.exceptions.ApiException", status=400, body='{"error_code": "ITEM_LOGIN_REQUIRED"}'), Code.UNAUTHORIZED, None),
        (look_alike("postgrest.exceptions.APIError", code="23505"), Code.CONFLICT, None),
        (look_alike("postgrest.exceptions.APIError", code="PGRST116"), Code.NOT_FOUND, None),
        (look_alike("simple_salesforce.exceptions.SalesforceError", status=400, content=[{"errorCode": "REQUIRED_FIELD_MISSING", "message": "Name"}]), Code.MISSING_REQUIRED_FIELD, None),
        (look_alike("googlemaps.exceptions.ApiError", status="OVER_QUERY_LIMIT"), Code.RATE_LIMITED, None),
        (look_alike("ccxt.base.errors.InsufficientFunds"), Code.INSUFFICIENT_BALANCE, None),
        (look_alike("binance.exceptions.BinanceAPIException", status_code=400, code=-2013, message="Order does not exist."), Code.NOT_FOUND, None),
        (look_alike("yt_dlp.utils._utils.DownloadError", exc_info=(OSError, PermissionError("no"), None)), Code.FORBIDDEN, None),
    ],
    ids=lambda part: f"{type(part).__module__}.{type(part).__name__}" if isinstance(part, Exception) else "",
)  # fmt: skip
def test_services_that_are_not_installed_are_known_by_name(error, code, wait):
    fault = classify(error)
    assert (fault.code, fault.retry_after_ms) == (code, wait)


def test_the_headers_of_a_generated_client_stay_here():
    error = look_alike(
        "hubspot.exceptions.ApiException", status=403, body='{"message": "No scope"}', reason="Forbidden"
    )
    error.args = ("(403)\nHTTP response headers: {'Set-Cookie': 'hunter2'}",)
    assert classify(error).message == "The service answered 403 Forbidden: ‹No scope›"


def test_stripe_says_that_nobody_took_the_call():
    stripe = module("stripe")
    client = stripe.StripeClient("sk_test_1", base_addresses={"api": refused()}, max_network_retries=0)
    assert judged(client.v1.customers.retrieve, "cus_1").retry is Retry.SAME_CALL


@pytest.mark.parametrize("table", FAMILIES.values(), ids=FAMILIES)
def test_no_other_family_takes_a_name_away(table):
    assert [name for name, rule in table.items() if REGISTRY.rule_for(name) is not rule] == []
