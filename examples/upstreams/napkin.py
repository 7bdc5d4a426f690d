"""Napkin's API, as far as one needs it to make a picture: order it, ask how far it is, fetch it."""

import base64
from itertools import count

from upstreams import Reply, Request

_STYLES = ("blueprint", "corporate", "sketch")
_MOST_CHARACTERS = 5_000
_DAYS_KEPT = 30
_DELETED = {"visual-0"}
_PICTURE = base64.b64encode(b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>').decode()

_numbers = count(1)
_polls: dict[str, int] = {}


def napkin(request: Request) -> Reply:
    """Answer like Napkin: a visual is made between the first and the second question about it."""
    match request:
        case Request("POST", ("v1", "visual"), _, {"content": str(content), "style": str(style)}):
            return _refused(content, style) or _ordered()
        case Request("POST", ("v1", "visual")):
            return Reply({"message": "`content` and `style` are needed, both as text."}, 400)
        case Request("GET", ("v1", "visual", identifier, "status" | "file" as part)):
            return _missing(identifier) or (_status(identifier) if part == "status" else _file(identifier))
        case _:
            return Reply({"message": f"There is no /{'/'.join(request.path)} here."}, 404)


def _refused(content: str, style: str) -> Reply | None:
    if not content.strip():
        return Reply({"message": "`content` is empty; a visual needs a text to show."}, 400)
    if style not in _STYLES:
        return Reply({"message": f"`style` is not one of {', '.join(_STYLES)}."}, 400)
    if len(content) > _MOST_CHARACTERS:
        message = f"`content` has {len(content)} characters; a visual holds {_MOST_CHARACTERS} at most."
        return Reply({"message": message}, 413)
    return None


def _ordered() -> Reply:
    identifier = f"visual-{next(_numbers)}"
    _polls[identifier] = 0
    return Reply({"id": identifier, "status": "pending"}, 201)


def _missing(identifier: str) -> Reply | None:
    if identifier in _DELETED:
        return Reply({"message": f"`{identifier}` was deleted after {_DAYS_KEPT} days."}, 410)
    if identifier not in _polls:
        return Reply({"message": f"There is no visual `{identifier}`."}, 404)
    return None


def _status(identifier: str) -> Reply:
    _polls[identifier] += 1
    return Reply({"id": identifier, "status": "completed" if _is_completed(identifier) else "pending"})


def _file(identifier: str) -> Reply:
    if not _is_completed(identifier):
        return Reply({"message": f"`{identifier}` is still pending; ask for its status until it is completed."}, 409)
    return Reply({"id": identifier, "media_type": "image/svg+xml", "base64": _PICTURE})


def _is_completed(identifier: str) -> bool:
    return _polls[identifier] > 1
