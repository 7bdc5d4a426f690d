"""002's format gating: which content blocks a caller gets for the format it asked for."""


def gated_blocks(message: str, json_block: str, format: str) -> list[dict[str, str]]:
    """Choose between the message, the JSON and both, in that order; a format nobody knows is "markdown"."""
    human = {"type": "text", "text": message, "mimeType": "text/markdown"}
    machine = {"type": "text", "text": json_block, "mimeType": "application/json"}
    return {"json": [machine], "both": [human, machine]}.get(format, [human])
