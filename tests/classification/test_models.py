"""Language models: the word in the body tells a spent quota from a rate limit, and an error in a stream has no status."""

import pytest
from support.failing_http_server import refused
from support.library_tables import Library, check_decided, check_names, module
from support.single_answer_server import replying

from errata import Code, Retry, classify
from errata.classification import FAMILIES

STATUS = frozenset({"openai.APIStatusError", "anthropic.APIStatusError", "groq.APIStatusError"})
FORMER = frozenset(name for name in FAMILIES["language models"] if name.startswith("openai.error."))
LIBRARIES = [
    Library("openai", ("openai", "openai._exceptions", "openai._response"), telling=STATUS, former=FORMER),
    Library(
        "anthropic",
        ("anthropic", "anthropic._exceptions", "anthropic._response"),
        telling=STATUS | {"anthropic.CredentialsError"},
    ),
    Library("groq", ("groq", "groq._response"), telling=STATUS),
    Library("cohere", ("cohere", "cohere.core.api_error"), telling=frozenset({"cohere.core.api_error.ApiError"})),
    Library(
        "mistralai.client",
        ("mistralai.client.errors",),
        telling=frozenset({"mistralai.client.errors.mistralerror.MistralError"}),
    ),
    Library("ollama", ("ollama",)),
]
HUB = Library(
    "huggingface_hub",
    ("huggingface_hub.errors",),
    telling=frozenset({"huggingface_hub.errors.HfHubHTTPError"}),
    inherited=frozenset(
        f"huggingface_hub.errors.{name}"
        for name in (
            "CLIError",
            "CLIExtensionInstallError",
            "ConfirmationError",
            "CorruptedCacheException",
            "DDUFCorruptedFileError",
            "DDUFError",
            "DDUFExportError",
            "DDUFInvalidEntryNameError",
            "DeviceCodeError",
            "DryRunError",
            "FileDuplicationError",
            "FileMetadataError",
            "IncompleteSnapshotError",
            "OIDCError",
            "RevisionResolutionError",
            "SandboxCommandError",
            "SandboxError",
            "StrictDataclassClassValidationError",
            "StrictDataclassDefinitionError",
            "StrictDataclassError",
            "StrictDataclassFieldValidationError",
            "TextGenerationError",
            "XetDownloadError",
        )
    ),
)


@pytest.mark.parametrize("library", [*LIBRARIES, HUB], ids=lambda library: library.package)
def test_every_name_in_the_table_is_a_class_of_its_library(library):
    check_names(library)


@pytest.mark.parametrize("library", [*LIBRARIES, HUB], ids=lambda library: library.package)
def test_every_exception_of_a_library_is_decided_about(library):
    check_decided(library)


CLIENTS = {"openai": "OpenAI", "anthropic": "Anthropic", "groq": "Groq"}


def client(package, address, **options):
    return getattr(module(package), CLIENTS[package])(api_key="k", base_url=address, max_retries=0, **options)


def judged(call, *arguments, **options):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - every SDK has its own
        call(*arguments, **options)
    return classify(caught.value)


def told(package, status, error, **headers):
    """Let a server of that provider answer with an error."""
    with replying(status, {"type": "error", "error": error}, **headers) as address:
        return judged(client(package, address).models.list)


@pytest.mark.parametrize("package", CLIENTS)
@pytest.mark.parametrize(
    ("status", "code", "retry"),
    [
        (400, Code.INVALID_PARAMS, Retry.FIX_INPUT),
        (401, Code.UNAUTHORIZED, Retry.NEVER),
        (404, Code.NOT_FOUND, Retry.FIX_INPUT),
        (409, Code.CONFLICT, Retry.SAME_CALL),  # The SDKs repeat it: a lock was not to be had.
        (429, Code.RATE_LIMITED, Retry.SAME_CALL),
        (499, Code.CANCELLED, Retry.NEVER),
        (500, Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
        (503, Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL),
    ],
)
def test_a_status_decides_and_the_message_is_the_provider_s(package, status, code, retry):
    fault = told(package, status, {"message": "Because of the moon.", "type": "something_new"})
    assert (fault.code, fault.retry, fault.http_status) == (code, retry, status)
    assert fault.message.startswith(f"The service answered {status}")
    assert fault.message.endswith(": ‹Because of the moon.›")


@pytest.mark.parametrize(
    ("package", "status", "error", "code"),
    [
        ("openai", 429, {"code": "insufficient_quota"}, Code.INSUFFICIENT_BALANCE),
        ("openai", 400, {"code": "context_length_exceeded", "type": "invalid_request_error"}, Code.VALIDATION_FAILED),
        ("openai", 400, {"code": "model_not_found"}, Code.NOT_FOUND),
        ("openai", 403, {"code": "model_not_found"}, Code.FORBIDDEN),
        ("groq", 498, {"type": "flex_tier_capacity_exceeded"}, Code.SERVICE_UNAVAILABLE),
        ("anthropic", 529, {"type": "overloaded_error"}, Code.SERVICE_UNAVAILABLE),
    ],
)
def test_a_word_decides_where_the_status_says_little(package, status, error, code):
    assert told(package, status, {"message": "…", **error}).code is code


def test_the_wait_is_found_and_a_no_of_the_server_counts():
    assert told("openai", 429, {"message": "…"}, retry_after_ms="1200", retry_after="2").retry_after_ms == 1_200
    assert told("openai", 500, {"message": "…"}, x_should_retry="false").retry is Retry.NEVER


@pytest.mark.parametrize(
    ("package", "body", "code"),
    [
        ("openai", b'data: {"error": {"message": "m", "code": "rate_limit_exceeded"}}\n\n', Code.RATE_LIMITED),
        ("openai", b'data: {"error": {"message": "m", "code": "insufficient_quota"}}\n\n', Code.INSUFFICIENT_BALANCE),
        ("openai", b'data: {"error": {"message": "m", "code": "unheard_of"}}\n\n', Code.UPSTREAM_ERROR),
    ],
)
def test_an_error_in_a_stream_is_told_by_its_word(package, body, code):
    with replying(200, body, Content_Type="text/event-stream") as address:
        create = client(package, address).chat.completions.create
        fault = judged(lambda: list(create(model="m", messages=[], stream=True)))
    assert fault.code is code


def test_an_overloaded_stream_of_anthropic_comes_with_status_200():
    body = b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n'
    with replying(200, body, Content_Type="text/event-stream") as address:
        create = client("anthropic", address).messages.create
        fault = judged(lambda: list(create(model="m", max_tokens=1, messages=[], stream=True)))
    assert (fault.code, fault.retry, fault.message) == (Code.SERVICE_UNAVAILABLE, Retry.SAME_CALL, "Overloaded")


@pytest.mark.parametrize("package", CLIENTS)
def test_nobody_took_the_call_where_nobody_listens(package):
    fault = judged(client(package, refused()).models.list)
    assert (fault.code, fault.retry) == (Code.NETWORK_ERROR, Retry.SAME_CALL)


@pytest.mark.parametrize(("package", "variable"), [("openai", "OPENAI_API_KEY"), ("groq", "GROQ_API_KEY")])
def test_a_client_without_a_key_is_not_configured(package, variable, monkeypatch):
    sdk = module(package)
    monkeypatch.delenv(variable, raising=False)
    monkeypatch.delenv("OPENAI_ADMIN_KEY", raising=False)
    assert judged(getattr(sdk, CLIENTS[package])).code is Code.CONFIGURATION_ERROR


def test_cohere_s_headers_stay_here():
    cohere = module("cohere")
    with replying(429, {"message": "Slow down."}, Retry_After="4", Set_Cookie="session=hunter2") as address:
        chat = cohere.ClientV2(api_key="k", base_url=address).chat
        fault = judged(chat, model="m", messages=[], request_options={"max_retries": 0})
    assert (fault.code, fault.retry_after_ms) == (Code.RATE_LIMITED, 4_000)
    assert fault.message == "The service answered 429 Too Many Requests: ‹Slow down.›"


def test_mistral_s_body_is_read_though_it_is_text():
    mistral = module("mistralai.client")
    with replying(401, {"object": "error", "message": "Unauthorized", "code": "1100"}) as address:
        fault = judged(mistral.Mistral(api_key="k", server_url=address).chat.complete, model="m", messages=[])
    assert (fault.code, fault.message) == (Code.UNAUTHORIZED, "The service answered 401 Unauthorized.")


def test_ollama_tells_a_missing_model_from_one_that_stopped():
    ollama = module("ollama")
    with replying(404, {"error": "model 'x' not found"}) as address:
        missing = judged(ollama.Client(host=address).chat, model="x", messages=[])
    stopped = classify(ollama.ResponseError("model runner has unexpectedly stopped"))
    assert (missing.code, missing.message) == (Code.NOT_FOUND, "model 'x' not found")
    assert stopped.code is Code.UPSTREAM_ERROR


def test_the_hub_shows_a_private_repository_as_missing_and_a_gated_one_as_forbidden():
    errors, httpx = module("huggingface_hub.errors"), module("huggingface_hub.errors").HfHubHTTPError.__mro__[1]
    response = module(httpx.__module__).Response(
        401, request=module(httpx.__module__).Request("GET", "http://hub.invalid/api")
    )
    assert classify(errors.RepositoryNotFoundError("no", response=response)).code is Code.NOT_FOUND
    assert classify(errors.GatedRepoError("no", response=response)).code is Code.FORBIDDEN


def test_a_subclass_of_a_gateway_is_judged_as_the_sdk_s_own():
    openai = module("openai")
    kind = type("ContextWindowExceededError", (openai.BadRequestError,), {"__module__": "litellm.exceptions"})
    error = kind.__new__(kind)
    assert classify(error).code is Code.VALIDATION_FAILED
