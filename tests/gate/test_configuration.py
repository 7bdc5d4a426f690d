"""The gate in a client's configuration: put in and taken out again without another byte changed."""

import json
import re

import pytest
from hypothesis import given, strategies as st
from support.commented_json_texts import Members, documents

from errata.gate._commented_json import JsonArray, JsonObject, JsonString, read_commented_json
from errata.gate._configuration import ConfigurationError, add_gate, remove_gate
from errata.gate._shown_configuration import hide_in_address, hide_secrets

COMMAND = ["/usr/bin/python3", "-P", "-m", "errata", "gate"]
SECRET = "plainword"  # noqa: S105 - it is what has to stay hidden.
RANDOM = "Xk29fjq0LmPz81Rt"
SECTIONS = [
    ("mcpServers",),
    ("servers",),
    ("context_servers",),
    ("mcp", "servers"),
    ("settings", "mcp", "servers"),
    ("customizations", "vscode", "mcp", "servers"),
    ("projects", "/home/ann/shop", "mcpServers"),
]

programs = st.sampled_from(
    ["npx", "uvx", "C:\\Program Files\\x.exe", "./a b/server", "gate", "errata", "\u00fc", "\ud800"]
)
words = st.sampled_from(["-y", "some-server", "", "--", "gate", "-m", "a b", "${input:key}", '"', "\\"]) | st.text(
    max_size=5
)
names = st.text(max_size=5).filter(lambda name: name not in {"command", "args", "type", "url", "httpUrl", "serverUrl"})
extras = st.tuples(
    st.sampled_from(["env", "cwd", "disabled", "timeout", "alwaysAllow", "envFile"]) | names,
    st.sampled_from([True, 1.5, None, "", "x", [], ["a", "b"], {}, {"A": "1", "B": {"command": "npx"}}])
    | st.text(max_size=3),
)


@st.composite
def local_servers(draw):
    """Draw a server that a command starts, without a gate."""
    members = [("command", draw(programs))]
    if draw(st.booleans()):
        members.append(("args", draw(st.lists(words, max_size=4))))
    if draw(st.booleans()):
        members.append(("type", "stdio"))
    members += draw(st.lists(extras, max_size=3))
    return Members(draw(st.permutations(members)))


remote_servers = st.sampled_from(["url", "httpUrl", "serverUrl"]).map(
    lambda name: Members([(name, "https://example.org/mcp"), ("headers", {"Authorization": SECRET})])
)
odd_servers = st.sampled_from([Members([("args", ["x"])]), Members([("command", "x"), ("args", "y")])])
servers = st.dictionaries(st.text(max_size=5), local_servers() | remote_servers | odd_servers, min_size=1, max_size=3)


@st.composite
def roots(draw):
    """Draw a client's configuration: servers in a section, among other things."""
    inner = Members(draw(servers).items())
    for name in reversed(draw(st.sampled_from(SECTIONS))):
        others = draw(st.lists(extras, max_size=2, unique_by=lambda member: member[0]))
        outer = [(key, value) for key, value in others if not opens_a_section(key)]
        inner = Members(draw(st.permutations([(name, inner), *outer])))
    return inner


def opens_a_section(name):
    return any(name in section for section in SECTIONS)


configurations = documents(roots())


def value_of(text):
    return build(text, read_commented_json(text))


def build(text, node):
    match node:
        case JsonString():
            return node.value
        case JsonArray():
            return [build(text, item) for item in node.items]
        case JsonObject():
            return Members((name.value, build(text, value)) for name, value in node.members)
    return json.loads(text[node.start : node.end])


def ordered(value):
    """Return a value with its objects as the reader gives them."""
    match value:
        case Members():
            return Members((name, ordered(inner)) for name, inner in value)
        case dict():
            return ordered(Members(value.items()))
        case list():
            return [ordered(item) for item in value]
    return value


def with_gate(server):
    """Return what a server has to become, by the letter of the specification."""
    members = dict(ordered(server))
    before, *words = COMMAND
    return {**members, "command": before, "args": [*words, "--", members["command"], *members.get("args", [])]}


def sections_in(root):
    for section in SECTIONS:
        inner = root
        for name in section:
            inner = dict(inner).get(name) if isinstance(inner, Members) else None
        if isinstance(inner, Members):
            yield from inner


def comments_in(text):
    tokens = re.finditer(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', text, re.DOTALL)
    return [token[0] for token in tokens if not token[0].startswith('"')]


def add_to(text, *options):
    """Put a gate into a text that has none; the words that are drawn may look like one."""
    edit = add_gate(text, COMMAND, options)
    assert {entry.change for entry in edit.servers} <= {"added", "skipped"}
    return edit


@given(configurations)
def test_a_gate_that_is_taken_out_leaves_every_byte_as_it_was(configuration):
    text, _ = configuration

    assert remove_gate(add_to(text).after).after == text


@given(configurations)
def test_a_gate_that_is_put_in_twice_is_there_once(configuration):
    text, _ = configuration
    once = add_to(text)

    again = add_gate(once.after, COMMAND)

    assert again.after == once.after
    assert {entry.change for entry in again.servers} <= {"kept", "skipped"}


@given(configurations)
def test_a_gate_is_replaced_by_one_with_other_options_as_if_it_had_not_been_there(configuration):
    text, _ = configuration

    replaced = add_gate(add_to(text, "--retry", "--name", "a b").after, COMMAND, ["--quiet"])

    assert replaced.after == add_to(text, "--quiet").after
    assert add_gate(replaced.after, COMMAND).after == replaced.after


@given(configurations)
def test_only_commands_and_arguments_change_and_no_comment_is_lost(configuration):
    text, root = configuration

    edit = add_to(text)

    changes = [entry.change for entry in edit.servers]
    before, after = sections_in(root), sections_in(value_of(edit.after))
    for (name, server), (same_name, gated), change in zip(before, after, changes, strict=True):
        assert same_name == name
        assert dict(gated) == (with_gate(server) if change == "added" else dict(ordered(server)))
    assert comments_in(edit.after) == comments_in(text)


@given(configurations)
def test_what_is_not_replaced_stays_byte_for_byte(configuration):
    text, _ = configuration

    edit = add_to(text)

    position, rest = 0, edit.after
    for start, end, new in edit.replacements:
        assert json.dumps(COMMAND[0]) == new or json.dumps(COMMAND[1:])[1:-1] in new
        piece = text[position:start] + new
        assert rest.startswith(piece)
        position, rest = end, rest[len(piece) :]
    assert rest == text[position:]


@given(configurations)
def test_where_there_is_no_gate_none_is_taken_out(configuration):
    text, _ = configuration

    edit = remove_gate(text)

    assert edit.after == text
    assert {entry.change for entry in edit.servers} <= {"absent", "skipped"}


@given(st.text() | st.text(alphabet='{}[]",:mcpServers command npx/*\n', max_size=60))
def test_any_text_is_edited_or_refused_with_a_next_step(text):
    for edit in (lambda: add_gate(text, COMMAND), lambda: remove_gate(text)):
        error = refusal_of(edit)
        assert error is None or (error.what and error.advice)


def refusal_of(edit):
    try:
        edit()
    except ConfigurationError as error:
        return error
    return None


CLIENTS = {
    "Claude Desktop": """
{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-filesystem"
      ]
    },
    "bare": {
      "command": "C:\\\\Tools\\\\bar.exe",
      "env": {}
    }
  }
}
""",
    "VS Code": """
{
\t// asked for once
\t"inputs": [{ "type": "promptString", "id": "key", "password": true }],
\t"servers": {
\t\t"search": {
\t\t\t"type": "stdio",
\t\t\t"command": "npx", // or bunx
\t\t\t"args": ["-y", "search",],
\t\t\t"env": { "KEY": "${input:key}" },
\t\t},
\t\t"empty": { "command": "uvx", "args": [] },
\t},
}
""",
    "Zed": """
{
  "context_servers": {
    "old": { "command": { "path": "npx", "args": ["-y", "x"], "env": null }, "settings": {} },
  },
}
""",
}
GATE = '"-P", "-m", "errata", "gate", "--"'
GATED = {
    "Claude Desktop": """
{
  "mcpServers": {
    "filesystem": {
      "command": "/usr/bin/python3",
      "args": [
        GATE, "npx",
        "-y",
        "@modelcontextprotocol/server-filesystem"
      ]
    },
    "bare": {
      "command": "/usr/bin/python3",
      "args": [GATE, "C:\\\\Tools\\\\bar.exe"],
      "env": {}
    }
  }
}
""",
    "VS Code": """
{
\t// asked for once
\t"inputs": [{ "type": "promptString", "id": "key", "password": true }],
\t"servers": {
\t\t"search": {
\t\t\t"type": "stdio",
\t\t\t"command": "/usr/bin/python3", // or bunx
\t\t\t"args": [GATE, "npx", "-y", "search",],
\t\t\t"env": { "KEY": "${input:key}" },
\t\t},
\t\t"empty": { "command": "/usr/bin/python3", "args": [ GATE, "uvx" ] },
\t},
}
""",
    "Zed": """
{
  "context_servers": {
    "old": { "command": { "path": "/usr/bin/python3", "args": [GATE, "npx", "-y", "x"], "env": null }, "settings": {} },
  },
}
""",
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_configuration_keeps_the_style_of_its_author(client):
    edit = add_gate(CLIENTS[client], COMMAND)

    assert edit.after == GATED[client].replace("GATE", GATE)
    assert remove_gate(edit.after).after == CLIENTS[client]


def entry_of(server, edit=lambda text: add_gate(text, COMMAND)):
    edit = edit(json.dumps({"mcpServers": {"a": server}}))
    return edit.servers[0], json.loads(edit.after)["mcpServers"]["a"]


@pytest.mark.parametrize("name", ["url", "httpUrl", "serverUrl"])
def test_a_server_over_http_is_left_alone_and_its_address_is_known(name):
    entry, server = entry_of({"type": "http", name: "https://example.org/mcp"})

    assert (entry.change, entry.address) == ("skipped", "https://example.org/mcp")
    assert server == {"type": "http", name: "https://example.org/mcp"}


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ("npx", "it is not an object"),
        ({}, "it has no command to start it"),
        ({"command": "", "args": ["x"]}, "it has no command to start it"),
        ({"command": "npx", "args": "x"}, "its `args` are not a list"),
        ({"command": "npx -y some-server"}, "its `command` holds arguments, too; move them into `args`"),
        ({"command": "errata", "args": ["gate"]}, "its gate has no command behind a `--`"),
        (
            {"type": "sse", "url": "https://example.org/events"},
            "it is reached by the SSE transport of 2024; look for its address for streamable HTTP",
        ),
        (
            {"url": "https://example.org/sse/?key=1"},
            "it is reached by the SSE transport of 2024; look for its address for streamable HTTP",
        ),
    ],
)
def test_a_server_that_cannot_have_a_gate_is_left_alone_with_the_reason(server, reason):
    entry, same = entry_of(server)

    assert (entry.change, entry.reason, entry.address) == ("skipped", reason, None)
    assert same == server


@pytest.mark.parametrize(
    "launcher",
    [
        ["errata", "gate"],
        ["/home/ann/.local/bin/errata", "gate"],
        ["C:\\Tools\\errata.exe", "gate"],
        ["uvx", "--from", "errata-mcp", "errata", "gate"],
        ["cmd", "/c", "errata", "gate"],
    ],
)
def test_a_gate_that_somebody_wrote_by_hand_is_known_and_can_be_taken_out(launcher):
    command, *before = [*launcher, "--retry", "--", "npx", "-y", "x"]

    entry, server = entry_of({"command": command, "args": before})
    assert (entry.change, server) == ("kept", {"command": command, "args": before})

    entry, server = entry_of({"command": command, "args": before}, remove_gate)
    assert (entry.change, server) == ("removed", {"command": "npx", "args": ["-y", "x"]})


@pytest.mark.parametrize("words", [["npx", "errata", "gate", "--", "x"], ["node", "errata", "gate", "--", "x"]])
def test_a_server_whose_words_only_look_like_a_gate_gets_one(words):
    command, *before = words

    entry, server = entry_of({"command": command, "args": before})

    assert entry.change == "added"
    assert server["args"][-len(words) :] == words


def test_the_gate_of_an_older_python_is_replaced_and_keeps_its_options():
    old = {"command": "/old/python", "args": ["-m", "errata", "gate", "--retry", "--", "npx", "x"]}

    entry, server = entry_of(old)

    assert entry.change == "replaced"
    assert server == {"command": COMMAND[0], "args": [*COMMAND[1:], "--retry", "--", "npx", "x"]}


def test_a_comment_between_the_words_of_a_gate_keeps_it_in():
    text = '{"mcpServers": {"a": {"command": "errata", "args": ["gate", // mine\n "--", "npx"]}}}'

    edit = remove_gate(text)

    reason = "a comment stands between the words of its gate, at line 1, column 61"
    assert (edit.after, edit.servers[0].reason) == (text, reason)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty"),
        (" \n\ufeff", "is not JSON at line 2, column 1: the character U+FEFF stands where a value is expected"),
        ("{", "is not JSON at line 1, column 2: the end of the text stands where a name in quotes or `}` is expected"),
        ("[]", "has no MCP servers in it"),
        ('{"mcpServers": {}}', "has no MCP servers in it"),
        (
            '{"mcpServers": {"a": {}, \n"a": {}}}',
            "has `a` twice in one object, the second time at line 2, column 1",
        ),
        (
            '{"mcpServers": {"a": {"command": "x", "command": "y"}}}',
            "has `command` twice in one object, the second time at line 1, column 39",
        ),
    ],
)
def test_a_configuration_that_cannot_be_edited_is_refused_with_the_reason(text, what):
    with pytest.raises(ConfigurationError) as caught:
        add_gate(text, COMMAND)

    assert caught.value.what == what
    assert len(caught.value.advice.split()) >= 5


def test_a_command_that_cannot_be_written_as_utf_8_is_refused():
    with pytest.raises(ConfigurationError, match="UTF-8"):
        add_gate('{"mcpServers": {"a": {"command": "x"}}}', ["/opt/\udcff/python"])


json_leaves = st.none() | st.booleans() | st.integers() | st.just(SECRET)
confidential = st.recursive(
    json_leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=5
)
secret_arguments = st.sampled_from(
    [
        ["--api-key", SECRET],
        ["--token", SECRET],
        ["--pat", SECRET],
        ["-k", SECRET],
        [f"--password={SECRET}"],
        ["--header", f"X-Custom: {SECRET}"],
        [f"--header=Cookie: a={SECRET}; b={SECRET}"],
        [f"Authorization: Bearer x {SECRET}"],
        ["-e", f"TEAM={SECRET}"],
        [f"-eTEAM={SECRET}"],
        [f"TEAM={SECRET} {SECRET}"],
        ["-c", f"export TEAM='{SECRET}' && npx x --secret {SECRET} -y"],
        [f"postgresql://ann:{SECRET}@localhost/db"],
        [f"https://example.org/mcp?profile={SECRET}&x={SECRET}#{SECRET}"],
        [f"https://example.org/api/{SECRET * 2}0123456789/mcp"],
    ]
)


@st.composite
def configurations_with_secrets(draw):
    server = Members(
        [
            ("command", "npx"),
            ("args", ["-y", "some-server", *draw(secret_arguments)]),
            (draw(st.sampled_from(["env", "ENV", "environment", "headers", "http_headers"])), draw(confidential)),
            (draw(st.sampled_from(["apiKey", "client_secret", "bearer-token", "Authorization"])), SECRET),
        ]
    )
    others = Members([("primaryApiKey", SECRET), ("env", {"A": SECRET}), ("url", f"https://x.org/?a={SECRET}")])
    return Members(draw(st.permutations([("mcpServers", Members([("a", server)])), *others])))


@given(documents(configurations_with_secrets()))
def test_what_is_shown_has_no_secret_and_the_same_lines(configuration):
    text, _ = configuration

    shown = hide_secrets(text)

    assert SECRET not in str(value_of(shown))  # However it is spelled.
    assert SECRET not in shown
    assert len(shown.splitlines()) == len(text.splitlines())
    assert comments_in(shown) == comments_in(text)


def test_a_server_of_yesterday_in_a_comment_has_no_secret_either():
    text = """\
// "old": {"env": {"SHOP": "plainword"}}, --token plainword
{ /* "SHOP": "plainword",
     Authorization: Bearer plainword plainword
     TEAM=plainword */
  "mcpServers": {} } // https://example.org/mcp?shop=plainword"""

    assert (
        hide_secrets(text)
        == """\
// "old": {"env": {"SHOP": "[redacted]"}}, --token [redacted]
{ /* "SHOP": "[redacted]",
     Authorization: [redacted]
     TEAM=[redacted] */
  "mcpServers": {} } // https://example.org/mcp?shop=[redacted]"""
    )


@pytest.mark.parametrize(
    ("comment", "shown"),
    [
        (
            '// "args": ["-y", "old", "--api-key",\n//   "Xk29fjq0LmPz81Rt"],\n',
            '// "args": ["-y", "[redacted]", "--api-key",\n//   "[redacted]"],\n',
        ),
        ('/* "env": {"TOKEN":\n "plainword" } */', '/* "env": {"TOKEN":\n [redacted] */'),
        ("/* password:\n * plainword */", "/* password:\n * [redacted] */"),
        ("/* password:\r\n\r\n   plainword\r\n*/", "/* password:\r\n\r\n   [redacted]\r\n*/"),
        ("// --api-key\n  // plainword\n", "// --api-key\n  // [redacted]\n"),
        ("/* TEAM= */ // plainword\n", "/* TEAM= */ // [redacted]\n"),
        ('// "env": {"A": ["plainword"]}\n', '// "env": {"A": ["[redacted]"]}\n'),
        ('// 5" wide, "plainword"\n', '// 5"[redacted]\n'),
        ("// looks for a token\n// once, by hand: nothing\n", "// looks for a token\n// once, by hand: nothing\n"),
        ('// "args": ["-y", "--port"]\n', '// "args": ["-y", "--port"]\n'),
    ],
)
def test_no_comment_shows_a_secret_whose_name_stands_before_it_on_any_line(comment, shown):
    assert hide_secrets(f"{comment}{{}}") == f"{shown}{{}}"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["-u", f"bob:{RANDOM}"], ["-u", "bob:[redacted]"]),
        (["--user", f"bob:{SECRET} {SECRET}"], ["--user", "bob:[redacted]"]),
        ([f"-ubob:{SECRET}", f"--user=bob:{SECRET}"], ["-ubob:[redacted]", "--user=bob:[redacted]"]),
        (["-c", f"curl -u bob:{SECRET} x"], ["-c", "curl -u bob:[redacted] x"]),
        ([f"-p{RANDOM}"], ["-p[redacted]"]),
        (["-p", RANDOM], ["-p", "[redacted]"]),
        (["-c", f"connect -p {RANDOM} x"], ["-c", "connect -p [redacted] x"]),
        ([f"key={RANDOM}", f"key:{SECRET}"], ["key=[redacted]", "key:[redacted]"]),
        ([f"token {RANDOM}"], ["token [redacted]"]),
        (["set", "token", RANDOM], ["set", "token", "[redacted]"]),
        ([json.dumps({"env": {"A": RANDOM}})], [json.dumps({"env": {"A": "[redacted]"}})]),
        ([json.dumps([json.dumps({"headers": [SECRET]})])], [json.dumps([json.dumps({"headers": ["[redacted]"]})])]),
        ([f'--config={{"env": {{"a": "{SECRET}"}}}}'], ['--config={"env": {"a": "[redacted]"}}']),
    ],
)
def test_an_argument_is_shown_without_the_secret_that_it_holds(arguments, shown):
    assert json.loads(hide_secrets(json.dumps({"args": arguments}))) == {"args": shown}


@pytest.mark.parametrize(
    "arguments",
    [
        ["-p", "8080"],
        ["-p", "app"],
        ["-p", "127.0.0.1:8080:80/tcp"],
        ["-p8080:80"],
        ["-port=8080"],
        ["-u", "bob"],
        ["-y", "token server"],
        ["token", "server"],
        ["color=banana"],
        ['{"port": 8080, "key": "ctrl+k"}'],
        ["[a] {b}"],
    ],
)
def test_an_argument_that_holds_no_secret_is_shown(arguments):
    text = json.dumps({"args": arguments})

    assert hide_secrets(text) == text


def test_json_in_json_is_searched_however_deep_it_is():
    text = json.dumps({"env": {"A": SECRET}})
    for _ in range(5):
        text = f"{'[' * 150}{json.dumps(text)}{']' * 150}"

    assert SECRET not in hide_secrets(text)


def test_what_is_no_secret_is_shown():
    text = json.dumps(
        {
            "mcpServers": {
                "token-server": {
                    "command": "docker",
                    "args": [
                        "run",
                        "-i",
                        "--rm",
                        "-v",
                        "/a:/b",
                        "ghcr.io/x/y",
                        "--port=8080",
                        "C:\\x",
                        "a=b",
                        "http://x/mcp",
                    ],
                    "cwd": "/home/ann/projects/2024-shop",
                    "timeout": 30,
                }
            },
            "inputs": [{"id": "api-key", "password": True}],
        }
    )

    assert hide_secrets(text) == text


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://example.org/mcp", "https://example.org/mcp"),
        ("https://ann:word@example.org/mcp?a=1&b=2", "https://[redacted]@example.org/mcp?a=[redacted]&b=[redacted]"),
        ("https://ann:w@rd@example.org/mcp", "https://[redacted]@example.org/mcp"),
        ("https://example.org/s/abcdefghij0123456789/mcp", "https://example.org/s/[redacted]/mcp"),
        ("https://example.org/model-context-protocol/mcp", "https://example.org/model-context-protocol/mcp"),
    ],
)
def test_an_address_is_shown_without_what_opens_doors(address, shown):
    assert hide_in_address(address) == shown
