"""What `decode` costs on a result that is no failure, which is what it mostly sees."""

import json

from _measure import Figure, figure

import errata

SMALL = {"content": [{"type": "text", "text": "Three articles found."}], "isError": False}
ROWS = [{"id": number, "title": f"Article {number}", "tags": ["a", "b"]} for number in range(50)]
LARGE = {
    "content": [{"type": "text", "text": json.dumps(ROWS, indent=2)}],
    "structuredContent": {"result": ROWS},
    "isError": False,
}
MARKED = {"content": [{"type": "text", "text": "Germany"}], "structuredContent": {"code": "DE", "name": "Germany"}}


def figures() -> list[Figure]:
    return [
        _figure("decode a small success", SMALL),
        _figure("decode a success that has a `code`", MARKED),
        _figure(f"decode a success of {len(json.dumps(LARGE)) // 1024} KB", LARGE),
    ]


def _figure(what: str, result: dict[str, object]) -> Figure:
    text = json.dumps(result)
    return figure(what, lambda: errata.decode(result), "json.loads of the same", lambda: json.loads(text))
