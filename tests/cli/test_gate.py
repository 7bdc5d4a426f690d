"""`errata gate` on the command line: what it refuses, and what it does to a client's configuration."""

import argparse
import contextlib
import errno
import json
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from errata.cli import main
from errata.cli._gate_config import _decode, _read_file, _write
from errata.cli.gate import _name_of
from errata.gate import add_gate

ROOT = Path(__file__).parents[2]
COMMAND = [os.path.abspath(sys.executable), "-E", "-P", "-m", "errata", "gate"]  # noqa: PTH100 - a venv is found by its link.
FAR = ["--to", "http://127.0.0.1:9/mcp"]
LISTENING = ["--listen", "127.0.0.1:8700", *FAR]
TEXT = """\
// mine
{
  "mcpServers": {
    "shop": {
      "command": "npx",
      "args": ["-y", "shop-server"], // the old one
      "env": { "SHOP_KEY": "plainword" },
    },
    "far": { "url": "https://example.org/mcp?key=plainword", "headers": { "X-Shop": "plainword" } },
  },
}
"""


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setattr(sys, "prefix", os.sep)  # A checkout may be in a temporary directory, of which is warned.

    def run(*arguments):
        try:
            code = main(["gate", *map(str, arguments)])
        except SystemExit as stop:
            code = stop.code
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "mcp.json"
    file.write_text(TEXT)
    return file


def names_in(directory):
    return sorted(path.name for path in Path(directory).iterdir())


def gated(text, *options):
    return add_gate(text, COMMAND, options).after


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "nothing says which server the gate is for"),
        (["--config", "x", "--", "npx"], "the gate is for one server, or for one configuration, at a time"),
        ([*LISTENING, "--", "npx"], "the gate is for one server, or for one configuration, at a time"),
        ([*LISTENING, "--config", "x"], "the gate is for one server, or for one configuration, at a time"),
        (["--", ""], "the command of the server is empty"),
        (["--retyr", "--", "npx"], "`errata gate` does not take the option `--retyr`"),
        (["npx", "--api-key=plainword"], "`errata gate` does not take the option `--api-key`"),
        (["--listen"], "argument --listen: expected one argument"),
        (["--listen", "127.0.0.1:8700"], "`--listen` and `--to` belong together"),
        (FAR, "`--listen` and `--to` belong together"),
        (["--listen", "", *FAR], "`--listen` is empty"),
        (["--log", "", "--", "npx"], "`--log` is empty"),
        (["--redis", "", "--retry", "--", "npx"], "`--redis` is empty"),
        (["--config", ""], "`--config` is empty"),
        (["--allow-host", "", *LISTENING], "`--allow-host` is empty"),
        (["--allow-host", "x", "--", "npx"], "`--allow-host` and `--allow-origin` are for a gate that listens"),
        (["--allow-origin", "https://x", "--", "npx"], "`--allow-host` and `--allow-origin` are for a gate that listens"),
        (["--allow-host", "http://x", *LISTENING], "`--allow-host` takes a name alone, without a scheme, a port or a path"),
        (["--allow-host", "x:8700", *LISTENING], "`--allow-host` takes a name alone, without a scheme, a port or a path"),
        (["--allow-origin", "x", *LISTENING], "`--allow-origin` takes a scheme and a name, and no path"),
        (["--allow-origin", "https://x/y", *LISTENING], "`--allow-origin` takes a scheme and a name, and no path"),
        (["--write", "--", "npx"], "`--write` and `--undo` are about a configuration"),
        (["--undo", "--", "npx"], "`--write` and `--undo` are about a configuration"),
        (["--config", "x", "--write", "--undo"], "`--write` puts the gate in, and `--undo` takes it out"),
        (["--config", "x", "--undo", "--retry"], "`--undo` takes the gate out with all its options, and has none of its own"),
        (["--restart", *LISTENING], "`--restart` is for a program that the gate starts, not for a server over HTTP"),
        (
            ["--redis", "redis://x", "--", "npx"],
            "`--redis` shares what `--breaker` and `--retry` know, and neither is there",
        ),
        (["--retry", "--redis", "http://x", "--", "npx"], "`RedisStore` was given `http://…`"),
        (["--no-repair", "--soft", "--", "npx"], "`--no-repair` changes nothing, and another option says how to repair"),
        (["--no-repair", "--dialect", "native", "--", "npx"], "`--no-repair` changes nothing, and another option says how to repair"),
        (["--dialect", "nativ", "--", "npx"], "there is no dialect `nativ`"),
        (["--effect", "pay", "--", "npx"], "`--effect pay` does not say which tool"),
        (["--effect", "=read_only", "--", "npx"], "`--effect =read_only` does not say which tool"),
        (["--effect", "pay=reed_only", "--", "npx"], "the effect of `pay` is 'reed_only'"),
        (["--effect", "pay=read_only", "--effect", "pay=destructive", "--", "npx"], "`--effect` says two things of `pay`"),
        (["--log", "/", "--", "npx"], "cannot write `/`: is a directory"),
        (["--log", "/no/such/place", "--", "npx"], "cannot write `/no/such/place`: no such file or directory"),
        (["--listen", "8700", *FAR], "`8700` is no address to listen on"),
        (["--listen", ":8700", *FAR], "`:8700` is no address to listen on"),
        (["--listen", "127.0.0.1:99999", *FAR], "`127.0.0.1:99999` is no address to listen on"),
        (["--listen", "0.0.0.0:0", *FAR], "`0.0.0.0:0` can be reached from other machines, and nothing says under which name"),
        (["--listen", "192.0.2.1:8700", "--allow-host", "x", *FAR], "cannot listen on `192.0.2.1:8700`: cannot assign requested address"),
        (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:9/mcp"], "`--to` is no address of a server over HTTP"),
        (["--listen", "127.0.0.1:0", "--to", "ftp://127.0.0.1/"], "`--to` is no address of a server over HTTP"),
        (["--listen", "127.0.0.1:0", "--to", "http://ann:plainword@x/mcp"], "`--to` holds a user name or a password"),
        (["--listen", "127.0.0.1:0", "--to", "http://127.0.0.1:99999/mcp"], "`http://127.0.0.1:99999` is no address of a server"),
    ],
)  # fmt: skip
def test_options_that_cannot_work_are_refused_with_a_next_step(run, arguments, what):
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith(f"errata: {what}")
    assert second.startswith("help: ")
    assert len(second.split()) >= 4
    assert "plainword" not in err


def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(run, monkeypatch):
    monkeypatch.setenv("http_proxy", "ht!tp://joe:plainword@x")

    status, out, err = run("--listen", "127.0.0.1:0", "--to", "http://shop.example/mcp")

    assert (status, out) == (2, "")
    assert err.splitlines() == [
        "errata: the proxy for http that the environment names has no address that can be used",
        "help: write it as in http://proxy.example.org:3128, or name the server in no_proxy",
    ]


def test_a_port_that_is_taken_is_refused(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        status, _, err = run("--listen", address, *FAR)

    assert status == 2
    assert err.splitlines() == [
        f"errata: cannot listen on `{address}`: address already in use",
        "help: choose another port, or end the program that has this one",
    ]


def test_a_program_that_does_not_exist_is_named(run):
    status, out, err = run("--", "no-such-program")

    assert (status, out) == (127, "")
    assert err.startswith("errata: cannot start `no-such-program`: there is no such program\nhelp: ")


def test_the_help_fits_into_80_columns_and_the_page_names_every_option(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    page = (ROOT / "docs" / "command-line.md").read_text()

    status, out, _ = run("--help")

    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    for option in re.findall(r"(?m)^  (--[a-z-]+)", out):
        assert f"`{option}" in page


def run_without(*missing, arguments):
    """Run the gate where some packages are not installed."""
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); from errata.cli import main; sys.exit(main())"
    return finish([sys.executable, "-c", code, "gate", *arguments])


def finish(command, **options):
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)


def test_without_the_extra_it_says_what_to_install_for_http():
    done = run_without("httpx2", "uvicorn", arguments=["--listen", "127.0.0.1:0", *FAR])

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "errata: `--listen` needs httpx2, uvicorn, not installed here",
        'help: install it with: pip install "errata-mcp[gate]"',
    ]


def test_without_redis_it_says_what_to_install():
    done = run_without("redis", arguments=["--retry", "--redis", "redis://127.0.0.1", "--", "true"])

    assert done.returncode == 2
    assert re.search(r'help: .*pip install "errata-mcp\[redis\]"', done.stderr)


def test_in_front_of_a_program_it_loads_nothing_but_the_standard_library():
    command = [sys.executable, "-X", "importtime", *COMMAND[1:], "--quiet", "--", sys.executable, "-c", ""]
    done = finish(command)

    loaded = set(re.findall(r"(?m)^import time:.*\| +([\w.]+)$", done.stderr))
    assert done.returncode == 0
    assert "errata.gate._stdio" in loaded
    foreign = (
        {name.split(".")[0] for name in loaded} - sys.stdlib_module_names - {"errata", "org"}
    )  # `copy` asks for Jython.
    assert not {name for name in foreign if not name.startswith(("_", "sitecustomize"))}
    heavy = ("errata.linter", "errata.mcp", "errata.fastmcp", "errata.serving", "errata.cli._gate_config")
    assert not [name for name in loaded if name.startswith(heavy)]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["npx", "-y", "@modelcontextprotocol/server-filesystem", "/home"], "server-filesystem"),
        (["cmd", "/c", "npx", "-y", "brave-search", "--api-key", "x"], "brave-search"),
        (["uvx", "--from", "git+https://example.org/x", "mcp-server-git"], "mcp-server-git"),
        (["docker", "run", "-i", "--rm", "-e", "TOKEN=plainword", "-v", "/a:/b", "ghcr.io/github/server"], "server"),
        (["env", "TOKEN=plainword", "npx", "x"], "x"),
        (["/usr/bin/python3", "-m", "shop.server"], "shop.server"),
        (["node"], "node"),
        (["node", "--inspect-port", "9229", "a.js"], "a.js"),
        (["npx", "--registry", "https://ann:plainword@reg.example/", "shop"], "shop"),
        (["npx", "--userconfig", "/home/ann/.npmrc", "@shop/server@latest"], "server@latest"),
        (["uvx", "--index-url", "https://ann:plainword@reg.example/simple", "shop"], "shop"),
        (["uvx", "git+https://plainword@example.org/shop", "plainword"], "uvx"),
        (["npx", "--of-tomorrow", "ann:plainword@reg.example", "shop"], "npx"),
        (["docker", "run", "-i", "ghcr.io/shop/server:1@sha256:0f"], "server:1@sha256:0f"),
    ],
)
def test_a_server_is_called_after_its_program_and_never_after_a_secret(command, name):
    assert _name_of(command) == name


def test_the_diff_is_shown_and_nothing_is_written(run, file):
    status, out, err = run("--config", file)

    assert status == 0
    assert file.read_text() == TEXT
    assert names_in(file.parent) == ["mcp.json"]
    assert out.splitlines() == [
        f"--- {file}",
        f"+++ {file}",
        "@@ -4,4 +4,4 @@",
        '     "shop": {',
        '-      "command": "npx",',
        '-      "args": ["-y", "shop-server"], // the old one',
        f'+      "command": "{COMMAND[0]}",',
        '+      "args": ["-E", "-P", "-m", "errata", "gate", "--", "npx", "-y", "shop-server"], // the old one',
        '       "env": { "SHOP_KEY": "[redacted]" },',
    ]
    assert err.splitlines() == [
        (
            "note: `far` is reached over HTTP: start `errata gate --listen 127.0.0.1:8700 --to "
            "'https://example.org/mcp?key=[redacted]'` yourself, and write `http://127.0.0.1:8700/mcp` as its address"
        ),
        "note: nothing was written; `--write` does it",
    ]


def test_a_reader_that_has_seen_enough_ends_it_without_a_word(file):
    command = [sys.executable, "-u", "-m", "errata", "gate", "--config", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()

    assert (process.returncode, b"errata:" in err) == (0, False)


def test_a_user_in_an_address_is_left_out_of_the_command_and_belongs_into_a_header(run, file):
    file.write_text(json.dumps({"mcpServers": {"far": {"url": "https://ann:plainword@example.org/mcp"}}}))

    _, out, err = run("--config", file)

    assert err.splitlines()[0] == (
        "note: `far` is reached over HTTP: start `errata gate --listen 127.0.0.1:8700 --to https://example.org/mcp` "
        "yourself, and write `http://127.0.0.1:8700/mcp` as its address; "
        "the client has to send the user and the password of the old one in a header, `Authorization`"
    )
    assert "plainword" not in out + err


@pytest.mark.parametrize("address", ["ws://example.org/mcp", "${input:url}", "https:///mcp"])
def test_a_server_whose_address_is_not_http_is_skipped_with_the_reason(run, file, address):
    file.write_text(json.dumps({"mcpServers": {"far": {"url": address}}}))

    _, _, err = run("--config", file)
    _, out, _ = run("--config", file, "--write")

    assert err.splitlines() == [
        "note: `far`: skipped, because its address is not http",
        "note: there is nothing to change",
    ]
    assert out.splitlines() == [
        "`far`: skipped, because its address is not http",
        f"`{file}` stays as it is",
    ]


def test_a_python_that_cannot_be_started_is_refused_with_the_reason(run, file, monkeypatch):
    python = str(file.parent / "python")
    monkeypatch.setattr(sys, "executable", python)

    status, out, err = run("--config", file, "--write")

    assert (status, out) == (2, "")
    assert err == (
        f"errata: `{file}` cannot hold the gate: `{python}` cannot be started: no such file or directory\n"
        "help: repair this Python, or install errata for another one, and run this again\n"
    )
    assert file.read_text() == TEXT


def test_it_is_written_with_a_backup_and_undone_byte_for_byte(run, file):
    status, out, _ = run("--config", file, "--write")

    backup = file.with_name("mcp.json.backup")
    assert status == 0
    assert out.splitlines() == [
        "`shop`: the gate is in front of it",
        f"`{file}` is written; as it was before, it is in `{backup}`",
    ]
    assert (file.read_text(), backup.read_text()) == (gated(TEXT), TEXT)

    status, out, _ = run("--config", file, "--undo")

    assert (status, out.splitlines()[0]) == (0, "`shop`: the gate is taken out")
    assert (file.read_text(), backup.read_text()) == (TEXT, TEXT)


def test_what_is_there_already_is_not_written_again(run, file):
    run("--config", file, "--write")
    before = file.stat()

    status, out, _ = run("--config", file, "--write")

    assert status == 0
    assert out.splitlines() == ["`shop`: it has this gate already", f"`{file}` stays as it is"]
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_the_same_content_has_one_backup(run, file):
    for _ in range(3):
        run("--config", file, "--write")
        run("--config", file, "--undo")

    assert names_in(file.parent) == ["mcp.json", "mcp.json.backup", "mcp.json.backup-2"]


def test_the_options_of_the_gate_are_written_with_the_log_by_its_whole_path(run, file, monkeypatch):
    monkeypatch.chdir(file.parent)

    run("--config", file, "--write", "--retry", "--log", "errors.jsonl", "--effect", "pay=destructive", "--name", "a b")

    options = ["--retry", "--name", "a b", "--log", str(file.parent / "errors.jsonl"), "--effect", "pay=destructive"]
    assert file.read_text() == gated(TEXT, *options)
    assert not (file.parent / "errors.jsonl").exists()


@pytest.mark.parametrize(
    "options",
    [["--dialect", "nativ"], ["--effect", "pay"], ["--log", "/"], ["--log", "/no/such/x"], ["--retry", "--redis", "x"]],
)
def test_options_with_which_no_server_would_start_are_not_written(run, file, options):
    status, out, err = run("--config", file, "--write", *options)

    assert (status, out) == (2, "")
    assert err.count("\n") == 2
    assert file.read_text() == TEXT


def test_bytes_that_are_no_line_of_unix_stay(run, tmp_path):
    content = ("\ufeff" + TEXT).replace("\n", "\r\n").encode()
    file = tmp_path / "mcp.json"
    file.write_bytes(content)

    run("--config", file, "--write")
    assert file.read_bytes() == gated(content.decode()).encode()
    run("--config", file, "--undo")
    assert file.read_bytes() == content


def test_a_link_is_followed_and_stays_a_link(run, file, tmp_path):
    link = tmp_path / "elsewhere" / "link.json"
    link.parent.mkdir()
    link.symlink_to(file)

    run("--config", link, "--write")

    assert link.is_symlink()
    assert file.read_text() == gated(TEXT)
    assert names_in(link.parent) == ["link.json"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_file_and_backup_keep_the_permissions(run, file, mode):
    file.chmod(mode)

    run("--config", file, "--write")

    modes = {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    assert (modes, len(names_in(file.parent))) == ({mode}, 2)


@pytest.mark.parametrize("prefix", [tempfile.gettempdir() + "/x", "/home/ann/.cache/uv/archive-v0/x"])
def test_an_environment_that_may_be_gone_tomorrow_is_warned_of(run, file, monkeypatch, prefix):
    monkeypatch.setattr(sys, "prefix", prefix)

    status, _, err = run("--config", file)

    assert status == 0
    assert f"warning: errata runs in `{prefix}`, which is temporary" in err


@pytest.mark.parametrize("option", ["--write", "--undo"])
def test_a_read_only_file_is_refused(run, file, option):
    file.write_text(TEXT if option == "--write" else gated(TEXT))
    before = file.read_text()
    file.chmod(0o444)

    status, _, err = run("--config", file, option)

    assert status == 2
    assert err == f"errata: `{file}` is read-only\nhelp: make it writable; nothing was changed\n"
    assert (file.read_text(), names_in(file.parent)) == (before, ["mcp.json"])


@contextlib.contextmanager
def as_nobody():
    """Root may write anywhere; be somebody else for a while."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_directory_in_which_nothing_can_be_written_is_refused(run):
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory).resolve() / "mcp.json"
        file.write_text(gated(TEXT))
        file.chmod(0o666)
        Path(directory).chmod(0o555)
        with as_nobody():
            status, out, err = run("--config", file, "--undo")
        Path(directory).chmod(0o755)

        assert (status, out) == (2, "")
        assert err == (
            f"errata: `{file}` cannot be written: permission denied\n"
            "help: make the file and its directory writable; nothing was changed\n"
        )
        assert (file.read_text(), names_in(directory)) == (gated(TEXT), ["mcp.json"])


def test_where_there_is_no_room_the_file_stays_whole(run, file):
    resource = pytest.importorskip("resource")
    file.write_text(gated(TEXT))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(TEXT) // 2, limits[1]))
    try:
        status, out, err = run("--config", file, "--undo")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert (status, out) == (2, "")
    assert err == (
        f"errata: `{file}` cannot be written: {os.strerror(errno.EFBIG).lower()}\n"
        "help: make room for it; nothing was changed\n"
    )
    assert (file.read_text(), names_in(file.parent)) == (gated(TEXT), ["mcp.json"])


def test_a_file_that_its_client_has_changed_meanwhile_is_refused(file):
    read = _read_file(str(file))
    edit = add_gate(_decode(read.content), COMMAND)
    file.write_text(TEXT + "\n")

    with pytest.raises(Exception, match="was changed by another program meanwhile"):
        _write(read, edit, argparse.Namespace(undo=False, carried=[]))

    assert (file.read_text(), names_in(file.parent)) == (TEXT + "\n", ["mcp.json"])


def make_nothing(path):
    """There is no such file."""


def make_broken_link(path):
    path.symlink_to("nowhere")


def make_circle(path):
    path.symlink_to(path)


def make_huge(path):
    with path.open("wb") as file:
        file.truncate(33 << 20)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (make_nothing, "does not exist"),
        (Path.mkdir, "is a directory"),
        (os.mkfifo, "is not a file but a device or a pipe"),
        (make_broken_link, "is a link to a file that does not exist"),
        (make_circle, "cannot be read: too many levels of symbolic links"),
        (make_huge, "has 33 MiB; the most that is read is 32 MiB"),
        (lambda path: path.write_bytes(b'{"a":\n "\xff"}'), "is not UTF-8 at line 2, column 3: byte 0xFF"),
        (lambda path: path.write_text("{"), "is not JSON at line 1, column 2: the end of the text stands where"),
        (lambda path: path.write_text("{}"), "has no MCP servers in it"),
        (lambda path: path.write_text(""), "is empty"),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused_with_the_reason(run, tmp_path, make, what):
    file = tmp_path / "mcp.json"
    make(file)

    status, out, err = run("--config", file, "--write")

    assert (status, out) == (2, "")
    assert err.startswith(f"errata: `{file}` {what}")
    assert re.search(r"\nhelp: (\S+ ){3,}.*\n\Z", err)


@pytest.mark.parametrize(("name", "language"), [("config.toml", "TOML"), ("config.yaml", "YAML")])
def test_for_other_formats_it_says_what_to_write_by_hand(run, tmp_path, name, language):
    (tmp_path / name).write_text("[mcp_servers.shop]")

    status, _, err = run("--config", tmp_path / name)

    assert status == 2
    assert f"is {language}; only JSON is edited" in err
    assert err.endswith(f"by hand: {' '.join(COMMAND)} --\n")


def test_the_lines_of_others_cannot_forge_ours(run, tmp_path):
    file = tmp_path / "mcp.json"
    name = "x\x1b[2K\n`y`: the gate is in front of it"
    file.write_text(
        json.dumps(
            {"mcpServers": {name: {"command": "npx", "args": ["\x1b[31m", "\u202e"]}}}, ensure_ascii=False
        ).replace("\\u001b", "\\u001B")
    )

    shown = run("--config", file)
    written = run("--config", file, "--write")

    for _, out, err in (shown, written):
        assert not re.search(r"[\x1b\u202e]", out + err)
    assert written[1].count("\n") == 2


def test_a_change_in_the_middle_of_a_long_line_is_shown(run, tmp_path):
    servers = {f"s{index}": {"url": f"https://example.org/{index}"} for index in range(200)}
    file = tmp_path / "mcp.json"
    file.write_text(
        json.dumps({"mcpServers": {**servers, "shop": {"command": "npx"}, "end": {"env": dict.fromkeys(servers, "")}}})
    )

    _, out, _ = run("--config", file)

    assert max(map(len, out.splitlines())) < 3_000
    assert '"command": "npx"' in out
    assert '"-m", "errata", "gate", "--", "npx"]' in out


def test_a_file_with_megabytes_of_something_else_is_shown(tmp_path):
    history = ["a" * 1_000_000, "--a" * 100_000, "a://" * 100_000, *["x, y: z" * 20] * 2_000]
    file = tmp_path / "claude.json"
    file.write_text(json.dumps({"history": history, "mcpServers": {"shop": {"command": "npx"}}}))

    done = finish([*COMMAND, "--config", str(file)], timeout=120)

    assert done.returncode == 0
    assert '"gate", "--", "npx"]' in done.stdout


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.mark.anyio
async def test_a_client_that_reads_the_configuration_gets_repaired_errors(run, tmp_path):
    file = tmp_path / "claude_desktop_config.json"
    server = ["-E", str(ROOT / "examples" / "napkin_visuals.py"), "--without-errata"]
    entry = {"command": sys.executable, "args": server, "env": {"PYTHONPATH": str(tmp_path)}}
    (tmp_path / "json.py").write_text("raise SystemExit(1)")  # The server's business, not the gate's.
    file.write_text(json.dumps({"mcpServers": {"napkin": entry}}))
    before = file.read_bytes()

    assert run("--config", file, "--write", "--quiet")[0] == 0
    written = json.loads(file.read_text())["mcpServers"]["napkin"]
    parameters = StdioServerParameters(**written, cwd=tmp_path)
    with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230 - that one never blocks.
        async with Client(stdio_client(parameters, errlog=nowhere), read_timeout_seconds=60) as client:
            failed = await client.call_tool("visual_status", {"visual_id": "answer-503"})
            works = await client.call_tool("create_visual", {"content": "tides"})

    assert failed.is_error
    assert failed.content[0].text.startswith("Error [SERVICE_UNAVAILABLE]: Napkin answered 503")
    assert failed.meta["errata/fault"]["code"] == "SERVICE_UNAVAILABLE"
    assert not works.is_error
    assert run("--config", file, "--undo")[0] == 0
    assert file.read_bytes() == before
