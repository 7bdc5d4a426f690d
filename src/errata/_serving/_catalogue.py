"""What everything that a server offers declares to fail with."""

from collections.abc import Mapping

from errata._contract import Declared, Failure, declared_by
from errata._jsonable import as_object
from errata._serving._installation import Installation
from errata._serving._offer import Group, Offer
from errata._serving._publishing import ERRORS
from errata._taxonomy import Code
from errata._values import known_word, wait_ms
from errata.dialects._members import flag_in, items_in, text_in


def declared_for(offer: Offer, installation: Installation | None) -> Declared | None:
    """Find what is declared: where errata was installed, on the function, or by a server behind this one."""
    if installation is not None and offer.group is Group.TOOLS:
        own = installation.declared(offer.name, offer.function)
    else:
        own = declared_by(offer.function)
    return own or _published_in(offer.meta)


def _published_in(meta: Mapping[str, object]) -> Declared | None:
    if ERRORS not in meta:
        return None
    failures = [_failure(as_object(item)) for item in items_in(meta, ERRORS)]
    return Declared({failure.reason: failure for failure in failures})


def _failure(published: Mapping[str, object]) -> Failure:
    return Failure(
        known_word(Code, published.get("code")) or Code.UNKNOWN_ERROR,
        when=text_in(published, "when") or "",
        recovery=text_in(published, "recovery") or "",
        retryable=flag_in(published, "retryable"),
        retry_after_ms=wait_ms(published.get("retryAfterMs")),
        reason=text_in(published, "reason") or "",
    )
