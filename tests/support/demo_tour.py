"""The tour of the example servers, taken by a test."""

import json
import os
import re
import subprocess
import sys

NEW_EVERY_TIME = re.compile(
    r"127\.0\.0\.1:\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)"
)
_LONGEST_S = 300


def errata(*arguments, **environment):
    """Run the command line as somebody at a terminal does."""
    command = [sys.executable, "-m", "errata", *arguments]
    environment = os.environ | {"NO_COLOR": "1"} | environment
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=_LONGEST_S)


def go_on_tour():
    """Return everything that goes over the wire in the whole demo, scene by scene."""
    done = errata("demo", "--all", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def seen(answer):
    """Return what a program may rely on in an answer, without what is new every time."""
    if "error" in answer:
        told = {**answer["error"], "message": answer["error"]["message"].removeprefix("MCP error -32602: ")}
    else:
        told = {
            "texts": [block["text"] for block in answer["content"]],
            "structured": answer.get("structuredContent"),
            "is error": answer.get("isError", False),
        }
    return json.loads(NEW_EVERY_TIME.sub("…", json.dumps(told)))
