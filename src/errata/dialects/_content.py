"""The content blocks of a result: what most clients show a model, and all of what some do."""

import json
from collections.abc import Mapping


def text_block(text: str) -> dict[str, str]:
    """Make a block of text."""
    return {"type": "text", "text": text}


def gated_blocks(message: str, payload: Mapping[str, object], format: str) -> list[dict[str, str]]:
    """Choose as 002 does: the message, the JSON, or both in that order; a format nobody knows is "markdown"."""
    human = text_block(message) | {"mimeType": "text/markdown"}
    machine = text_block(json_text(payload)) | {"mimeType": "application/json"}
    if format == "json":
        return [machine]
    return [human, machine] if format == "both" else [human]


def json_text(payload: Mapping[str, object]) -> str:
    """Write JSON the way the five documents do: two spaces, characters as they are."""
    return json.dumps(payload, indent=2, ensure_ascii=False)
