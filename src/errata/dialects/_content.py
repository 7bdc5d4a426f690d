"""The content blocks of a result: what most clients show a model, and all of what some do."""

import json
from collections.abc import Mapping

from errata.redaction import defuse_json, put_on_one_line


def text_block(text: str) -> dict[str, str]:
    """Make a block of text."""
    return {"type": "text", "text": text}


def gated_blocks(message: str, payload: Mapping[str, object], format: str) -> list[dict[str, str]]:
    """Choose as 002 does: the message on one line, the JSON, or both in that order; a format nobody knows is "markdown"."""
    human = text_block(put_on_one_line(message)) | {"mimeType": "text/markdown"}
    machine = text_block(json_text(payload)) | {"mimeType": "application/json"}
    if format == "json":
        return [machine]
    return [human, machine] if format == "both" else [human]


def json_text(payload: Mapping[str, object]) -> str:
    """Write JSON the way the five documents do: two spaces, characters as they are.

    But for those that would make a link, an image or a tag of a value where a client renders the text: they are written
    as JSON's escapes, so that the value stays what it is.
    """
    return defuse_json(json.dumps(payload, indent=2, ensure_ascii=False))
