"""The suite's fixtures that ask the client something: in the middle of a call (2025), or by answering it (2026)."""

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError

# fmt: off
WITH_DEFAULTS = {
    "name":     {"type": "string", "default": "John Doe"},
    "age":      {"type": "integer", "default": 30},
    "score":    {"type": "number", "default": 95.5},
    "status":   {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"{word} option"} for n, word in enumerate(("First", "Second", "Third"), 1)]
WITH_ENUMS = {
    "untitledSingle": {"type": "string", "enum": OPTIONS},
    "titledSingle":   {"type": "string", "oneOf": TITLED},
    "legacyEnum":     {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option one", "Option two"]},
    "untitledMulti":  {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
    "titledMulti":    {"type": "array", "items": {"anyOf": TITLED}},
}
# fmt: on

Asked = str | types.InputRequiredResult


def add_to(server: MCPServer) -> None:
    """Offer all of them."""
    for tool in (
        test_sampling,
        test_elicitation,
        test_elicitation_sep1034_defaults,
        test_elicitation_sep1330_enums,
        test_missing_capability,
        test_streaming_elicitation,
        test_input_required_result_elicitation,
        test_input_required_result_sampling,
        test_input_required_result_list_roots,
        test_input_required_result_request_state,
        test_input_required_result_tampered_state,
        test_input_required_result_multiple_inputs,
        test_input_required_result_multi_round,
        test_input_required_result_capabilities,
    ):
        server.add_tool(tool)
    server.prompt()(test_input_required_result_prompt)


async def test_sampling(prompt: str, ctx: Context) -> str:
    """Ask the client's model."""
    request = _sampling(prompt)
    result = await ctx.session.send_request(request, types.CreateMessageResult)
    return f"LLM response: {result.content}"


async def test_elicitation(message: str, ctx: Context) -> str:
    """Ask the user for a name and an address."""
    return await _elicit(ctx, message, {"username": {"type": "string"}, "email": {"type": "string"}})


async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
    """Ask with a default for every kind of field."""
    return await _elicit(ctx, "Please look through these.", WITH_DEFAULTS)


async def test_elicitation_sep1330_enums(ctx: Context) -> str:
    """Ask with every kind of choice."""
    return await _elicit(ctx, "Please choose.", WITH_ENUMS)


async def test_missing_capability(ctx: Context) -> str:
    """Refuse clients that cannot sample."""
    if not (ctx.client_capabilities and ctx.client_capabilities.sampling):
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "This tool needs a client that can sample.",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return "The client can sample."


async def test_streaming_elicitation(ctx: Context) -> Asked:
    """Report progress, then ask."""
    await ctx.report_progress(1, 2)
    return await test_input_required_result_elicitation(ctx)


async def test_input_required_result_elicitation(ctx: Context) -> Asked:
    """Ask for a name and greet."""
    match _responses(ctx).get("user_name"):
        case types.ElicitResult(action="accept", content={"name": str(name)}):
            return f"Hello, {name}!"
        case _:
            return _ask({"user_name": _form("What is your name?", "name")})


async def test_input_required_result_sampling(ctx: Context) -> Asked:
    """Ask the client's model for a capital."""
    match _responses(ctx).get("capital_question"):
        case types.CreateMessageResult(content=types.TextContent(text=text)):
            return text
        case _:
            return _ask({"capital_question": _sampling("What is the capital of France?")})


async def test_input_required_result_list_roots(ctx: Context) -> Asked:
    """Ask for the client's roots."""
    match _responses(ctx).get("client_roots"):
        case types.ListRootsResult(roots=roots):
            return ", ".join(str(root.uri) for root in roots)
        case _:
            return _ask({"client_roots": types.ListRootsRequest()})


async def test_input_required_result_request_state(ctx: Context) -> Asked:
    """Ask for a yes, and remember through the client what it was for."""
    match _responses(ctx).get("confirm"):
        case types.ElicitResult(action="accept") if ctx.request_state == "confirming":
            return "state-ok"
        case _:
            return _ask({"confirm": _form("Please confirm", "ok", "boolean")}, "confirming")


async def test_input_required_result_tampered_state(ctx: Context) -> Asked:
    """Do the same; it is the SDK that refuses a state it has not sealed."""
    return await test_input_required_result_request_state(ctx)


async def test_input_required_result_multiple_inputs(ctx: Context) -> Asked:
    """Ask for three things at once."""
    questions: types.InputRequests = {
        "user_name": _form("What is your name?", "name"),
        "greeting": _sampling("Generate a greeting"),
        "client_roots": types.ListRootsRequest(),
    }
    if questions.keys() <= _responses(ctx).keys() and ctx.request_state == "asked":
        return "All three have been answered."
    return _ask(questions, "asked")


async def test_input_required_result_multi_round(ctx: Context) -> Asked:
    """Ask twice, one after the other."""
    match ctx.request_state, _responses(ctx):
        case "first", {"step1": types.ElicitResult(content={"name": str(name)})}:
            return _ask({"step2": _form("Step 2: What is your favorite color?", "color")}, f"second {name}")
        case str(state), {"step2": types.ElicitResult(content={"color": str(color)})}:
            return f"{state.removeprefix('second ')} likes {color}."
        case _:
            return _ask({"step1": _form("Step 1: What is your name?", "name")}, "first")


async def test_input_required_result_capabilities(ctx: Context) -> Asked:
    """Ask only what the client says it can answer."""
    if _responses(ctx):
        return "Thank you."
    questions: types.InputRequests = {}
    capabilities = ctx.client_capabilities or types.ClientCapabilities()
    if capabilities.elicitation:
        questions["user_name"] = _form("What is your name?", "name")
    if capabilities.sampling:
        questions["greeting"] = _sampling("Generate a greeting")
    return _ask(questions) if questions else "There is nothing this client can answer."


async def test_input_required_result_prompt(ctx: Context) -> Asked:
    """Ask what the prompt is about."""
    match _responses(ctx).get("user_context"):
        case types.ElicitResult(action="accept", content={"context": str(context)}):
            return f"Use this context: {context}"
        case _:
            return _ask({"user_context": _form("What context should the prompt use?", "context")})


async def _elicit(ctx: Context, message: str, properties: dict[str, object]) -> str:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    result = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"Elicitation completed: action={result.action}, content={result.content}"


def _form(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sampling(prompt: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))


def _ask(questions: types.InputRequests, state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=questions, request_state=state)


def _responses(ctx: Context) -> types.InputResponses:
    return ctx.input_responses or {}
