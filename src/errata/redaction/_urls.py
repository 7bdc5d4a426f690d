"""User names and passwords in addresses: `scheme://user:password@host`, and the same without a scheme."""

import re
from collections.abc import Iterator
from itertools import chain

from errata.redaction._spans import ANY_MARK, MARK, Span, compile_late
from errata.redaction._value_looks import is_machine_made, is_placeholder

# Nothing but the part before the host is hidden: which host it was, and who tried, is what a reader needs.
# A password ends at the last @ before the path, because people forget to escape the ones inside.
_IN_ADDRESS = r"""[^\s/"'`<>\\|]"""


_FORMS = (
    compile_late(
        rf"(?<=://)(?P<user>(?:{ANY_MARK})?+[^\s/:\"'`<>\\|]{{0,256}}+):(?!\d{{1,5}}+[/?\#])(?P<secret>{_IN_ADDRESS}{{1,1024}})@"
    ),
    # The same with a slash in the password; the host behind it has to look like one.
    compile_late(
        r"(?<=://)(?P<user>[^\s/:@\"'`<>\\|]{0,256}+):(?!\d{1,5}+[/?\#])(?P<secret>[^\s@\"'`<>\\|:]{1,256}+)"
        r"@(?=[\w.\-]{1,255}(?::\d|/|$|[\s\"']))"
    ),
    # The same with signs that end an address anywhere else.
    compile_late(
        r"(?<=://)(?P<user>[^\s/:@\"'`<>\\|]{0,256}+):(?!\d{1,5}+[/?\#<>|])(?P<secret>[^\s/\"'`\\]{1,256})"
        r"@(?=[\w.\-]{1,255}+(?::\d|/|$|[\s\"'?]))"
    ),
    compile_late(r"(?<=:\\/\\/)(?P<user>[^\s/:\"'<>\\]{0,256}+):(?P<secret>[^\s/\"'<>\\]{1,1024})@"),
    compile_late(
        r"(?i)(?<=%3A%2F%2F)(?P<user>[^\s%]{0,256}+)(?:%3A|:)(?P<secret>(?:[^\s%&\"']|%(?!40|2F)){1,512}+)%40"
    ),
    # Oracle's easy connect, without a scheme.
    compile_late(
        r"(?<![\w./@\-])(?P<user>[\w$\#]{1,64}+)/(?P<secret>[^\s@'\"`/]{3,128}+)@(?=(?!sha)[\w.\-]{1,128}+:\d{2,5}[/:]\w)"
    ),
    compile_late(r"(?i)(?<=thin:)(?P<user>[\w.\-]{1,64}+)/(?P<secret>[^\s@\"'`]{1,256}+)@"),  # Oracle
)


_WITHOUT_SCHEME = compile_late(r"@(?=(?:tcp|udp|unix)\(|[\w.\-]{1,255}+:\d{2,5}(?!\d))")
"""Matches the @ before a host with a port, or before the `tcp(…)` of Go's MySQL driver."""


_LONELY = compile_late(rf"(?<=://)(?P<secret>(?:{ANY_MARK}){{0,4}}+[^\s/:@\"'`<>\\|?\#]{{16,1024}}+):?@")


_LETTING_IN = compile_late(
    r"/(?:(?:password-?)?reset(?:-?password)?|recover|recovery|set-?password|invite|invitations?|magic(?:-?link)?|one-?time|otp"
    r"|verify(?:-?email)?|verification|confirm(?:-?email)?|confirmation|activate|activation|unlock|passwordless|sso|login-?link)"
    r"/(?:[\w\-]{1,24}/(?=[0-9a-z]{5,8}-[0-9a-f]{16}))?(?P<secret>[\w\-]{20,512}+)(?![\w.])"
)
"""Matches the part of an address that lets in whoever has it, in lower case."""


_LETTING_IN_BY_QUERY = compile_late(
    r"[?&](?:magic(?:_?link)?|invite|invitation|verify|confirm|confirmation|activation|ott|share)=(?P<secret>[\w\-.~%]{20,512}+)"
)
"""Matches the same as a parameter of an address, in lower case."""


KEY_BEHIND = (
    "/hook/",
    "/hooks/",
    "/webhook/",
    "/build_hooks/",
    "/deploy_hooks/",
    "/deploy-hook/",
    "/heartbeat/",
    "quiknode.pro/",
    "p2pify.com/",
    "getblock.io/",
    "rpc.ankr.com/eth/",
    "rpc.ankr.com/bsc/",
    "rpc.ankr.com/polygon/",
    "rpc.ankr.com/arbitrum/",
    "rpc.ankr.com/solana/",
    "nodereal.io/v1/",
    "blockpi.network/v1/rpc/",
    "hc-ping.com/",
    "cronitor.link/p/",
    "loggly.com/inputs/",
    "loggly.com/bulk/",
    "sumologic.com/receiver/v1/http/",
    "sumologic.net/receiver/v1/http/",
    "datadoghq.com/v1/input/",
    "datadoghq.eu/v1/input/",
    "exchangerate-api.com/v6/",
    "sctapi.ftqq.com/",
    "api.day.app/",
)
"""The parts of addresses behind which a key follows, and lets in whoever has the address; in lower case."""


_KEY_IN_PATH = compile_late(r"(?P<first>[\w\-]{16,256}+={0,2})(?:/(?P<second>[\w\-]{20,256}+))?(?![\w.])")


def _find_keys_in_paths(text: str, lower: str) -> Iterator[Span]:
    """Find the keys that are a part of an address, as webhooks have them."""
    for part in filter(lower.__contains__, KEY_BEHIND):
        at = lower.find(part)
        while at >= 0:
            at += len(part)
            if (match := _KEY_IN_PATH.match(text, at)) and is_machine_made(match["first"], _LEAST_IN_PATH):
                last = "second" if match["second"] and is_machine_made(match["second"], _LEAST_IN_PATH) else "first"
                yield Span(at, match.end(last), "token")
            at = lower.find(part, at)


_LEAST_IN_PATH = 16


def find_links(text: str, lower: str) -> Iterator[Span]:
    """Find addresses that let in whoever has them: to reset a password, to accept an invitation, or to report something."""
    spans = [*_find_keys_in_paths(text, lower)]
    for match in chain(_LETTING_IN.finditer(lower), _LETTING_IN_BY_QUERY.finditer(lower)):
        start, end = match.span("secret")
        if is_machine_made(text[start:end], 20) and not _UUID.fullmatch(lower, start, end):
            spans.append(Span(start, end, "token"))
    return iter(sorted(spans))


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The identifier of an invitation, as often as not."""
_EXAMPLE = re.compile(
    r"(?i)\[?user(?:name)?:pass(?:w(?:or)?d)?@(?:(?:local)?host|hostname|\]?(?:proxy\.)?server(?=[:/])|127\.0\.0\.1|example\.(?:com|org|net))(?![\w.\-])"
)
"""How documents write an address."""
_LONGEST = 256
_BREAK = re.compile(r"[\s\"'`<>(]")
_NO_USER = frozenset({"mailto", "email", "to", "from", "cc", "sip", "user", "contact", "by", "for"})


def find_url_passwords(text: str, lower: str) -> Iterator[Span]:  # noqa: ARG001 - one signature for all rules.
    """Find the passwords, and the user names that are tokens, in addresses."""
    hit = [span for form in _FORMS for match in form.finditer(text) for span in _spans(match)]
    hit += [Span(*match.span("secret"), "token") for match in _LONELY.finditer(text) if _is_token(match["secret"])]
    return iter(sorted([*hit, *_find_without_scheme(text)]))


def _spans(match: re.Match[str]) -> Iterator[Span]:
    user, secret = match["user"], match["secret"]
    if is_placeholder(secret) or _EXAMPLE.match(match.string, match.start()):
        return
    if _is_token(user):
        yield Span(*match.span("user"), "token")
    yield Span(*match.span("secret"), "password")


def _find_without_scheme(text: str) -> Iterator[Span]:
    """Look back from an @ for `user:password`, no further than to the @ before."""
    seen = 0
    for match in _WITHOUT_SCHEME.finditer(text):
        end = match.start()
        word = _BREAK.split(text[max(seen, end - _LONGEST) : end])[-1]
        seen = match.end()
        user, colon, secret = word.partition(":")
        if (
            colon
            and secret
            and "//" not in word
            and user.rpartition("=")[2].lower() not in _NO_USER
            and not is_placeholder(secret)
        ):
            yield Span(end - len(secret), end, "password")


def _is_token(user: str) -> bool:
    return is_machine_made(MARK.sub("", user), 16)
