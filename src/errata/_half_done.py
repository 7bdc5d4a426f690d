"""Failures that mention work done before them: "Order 17 was created, but the mail was refused"."""

import re

_MOST = 4_000
# What tools do to the world. Not `sent`, as a rate limit says of requests, nor `processed`, which is counted.
_DONE = (
    r"(?:added|applied|appended|booked|cancell?ed|captured|charged|committed|copied|created|credited|debited|deleted"
    r"|deployed|dispatched|executed|imported|inserted|installed|merged|migrated|moved|paid|persisted|placed|posted"
    r"|published|purchased|pushed|recorded|refunded|registered|removed|renamed|reserved|saved|shipped|stored|submitted"
    r"|transferred|updated|uploaded|wrote|written)"
)
_DENIED = (
    r"(?:(?:not|never|nothing|no|none)\s+(?:\w{1,30}\s+){0,3}?"
    r"|(?:be|being|cannot|can't|if|unless|until|before|when|once|to)\s+)"
)
_AND_THEN = r"[^.;!,(\[\n\u2013\u2014]{0,80}?(?:\bbut\b|\bhowever\b|\bthen\b|[.;!]\s+\S|[,(\[\n\u2013\u2014])"
_OF_ALL = r"[^.\n]{0,40}?\b\d{1,9} ?(?:of|/|out of) ?\d{1,9}\b"
_HALF_DONE = re.compile(
    # "Charged. Sending the receipt failed", "was recorded, but …", "Deleted 17 of 100 files"; not `"created": 17`.
    rf"(?:\b(?P<denied>{_DENIED}))?(?<![\w-]){_DONE}\b(?!['\"]\s*:)(?={_AND_THEN}|{_OF_ALL})"
    r"|\b(?:completed|sent|succeeded|successful(?:ly)?)\b[^.;!\n]{0,40}?\bbut\b"
    r"|\bpartial(?:ly)? (?:success|complet|appl|writ|upload|fail|done|succe)",
    re.IGNORECASE,
)


def mentions_finished_work(text: str) -> bool:
    """Return whether a text says that a part was done: then no refusal in it proves that nothing happened."""
    return any(match["denied"] is None for match in _HALF_DONE.finditer(text[:_MOST]))
