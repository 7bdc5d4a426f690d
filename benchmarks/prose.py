"""What `decode` costs on failures told in prose, and on a success that reads like one."""

import json

from _measure import Figure, figure

import errata

PREFIXED = "Error executing tool search: 429 Too Many Requests, retry after 30 seconds"
VALIDATION = (
    "1 validation error for search_arguments\nlimit\n  Input should be less than or equal to 100 "
    "[type=less_than_equal, input_value=500, input_type=int]\n    For further information visit https://errors.pydantic.dev"
)
JSON_IN_TEXT = json.dumps({"success": False, "error": {"code": "NOT_FOUND", "message": "No article 17."}})
LOG = "\n".join(f"12:00:{number % 60:02} ERROR worker {number} failed: connection refused" for number in range(200))


def figures() -> list[Figure]:
    return [
        _figure("decode prose behind a prefix", PREFIXED, failed=True),
        _figure("decode a validation error", VALIDATION, failed=True),
        _figure("decode JSON in text", JSON_IN_TEXT, failed=True),
        _figure(f"decode a log of {len(LOG) // 1024} KB that was found", LOG, failed=False),
        _figure(f"decode a failure of {len(LOG) // 1024} KB", LOG, failed=True),
    ]


def _figure(what: str, text: str, *, failed: bool) -> Figure:
    result = {"content": [{"type": "text", "text": text}], "isError": failed}
    written = json.dumps(result)
    return figure(what, lambda: errata.decode(result), "json.loads of the same", lambda: json.loads(written))
