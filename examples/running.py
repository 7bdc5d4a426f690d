"""How every example server is started: on stdin and stdout, or over HTTP with `--http PORT`."""

import argparse
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

import uvicorn
from mcp.server.mcpserver import MCPServer
from upstreams import App, Upstream

if TYPE_CHECKING:
    from fastmcp import FastMCP

_HOST = "127.0.0.1"
_LAST_PORT = 65535


def run(server: "MCPServer | FastMCP", uninstall: Callable[[], None], **sandbox: App | str) -> None:
    """Serve until the client hangs up.

    `NAPKIN_URL=napkin` starts that API here, unless the environment has its URL. `NAPKIN_API_KEY="…"` is the key to
    that one, and to no other.
    """
    options = _options()
    if options.without_errata:
        uninstall()
    with ExitStack() as stack:
        listener = None if options.http is None else stack.enter_context(_listen(options.http))
        # Python's own handler waits for the thread that reads stdin, and that one for a line that nobody will type.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for variable, app in sandbox.items():
            if not isinstance(app, str) and variable not in os.environ:
                os.environ[variable] = stack.enter_context(Upstream(app)).url
                _say(f"{variable}={os.environ[variable]}")
                if (key := f"{variable.removesuffix('_URL')}_API_KEY") in sandbox:
                    os.environ[key] = str(sandbox[key])
        if listener is None:
            _serve_stdio(server)
        else:
            _serve_http(server, listener)


def _options() -> argparse.Namespace:
    about = sys.modules["__main__"].__doc__
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--http", metavar="PORT", type=_port, help=f"at http://{_HOST}:PORT/mcp instead of stdin")
    parser.add_argument("--without-errata", action="store_true", help="leave errata out, to see the difference")
    return parser.parse_args()


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) <= _LAST_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"`{text}` is no port; there are 1 to {_LAST_PORT}")


def _listen(port: int) -> socket.socket:
    """Take the port before anything else is started."""
    listener = socket.socket()
    if os.name == "posix":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # Or a restart has to wait for a minute.
    try:
        listener.bind((_HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        sys.exit(f"Nothing can listen at {_HOST}:{port}: {error.strerror}. Choose another port with `--http PORT`.")
    return listener


def _serve_stdio(server: "MCPServer | FastMCP") -> None:
    if isinstance(server, MCPServer):
        server.run("stdio")
    else:
        server.run("stdio", show_banner=False)


def _serve_http(server: "MCPServer | FastMCP", listener: socket.socket) -> None:
    # A page in the user's browser may ask this machine under a name of its own; FastMCP lets it in unless told not to.
    app = (
        server.streamable_http_app() if isinstance(server, MCPServer) else server.http_app(host_origin_protection=True)
    )
    # A client may hold on to its stream for as long as it likes; whoever stops the server does not wait for it.
    settings = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    _say(f"Listening at http://{_HOST}:{listener.getsockname()[1]}/mcp")
    uvicorn.Server(settings).run(sockets=[listener])


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
