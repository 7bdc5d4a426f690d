"""What every vendor can be asked for, and how its failures are told."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import httpx2
from pydantic import TypeAdapter
from settings import setting

import errata
from errata import AdapterError, Code, FaultError, Recovery, Retry, not_implemented
from errata.http import error_from_response
from order_adapters._records import NewOrder, Order, Stock

PATIENCE_S = 1.0
_LONGEST_QUOTE = 500
_UNREADABLE = "UNREADABLE_ANSWER"
_ABOUT_THE_REQUEST = {Code.INVALID_REQUEST, Code.INVALID_PARAMS, Code.VALIDATION_FAILED}
_ON_THE_WAY = {Code.TIMEOUT, Code.NETWORK_ERROR, Code.UPSTREAM_ERROR}
_Answer = TypeVar("_Answer")


class VendorSaid(Exception):  # noqa: N818 - it is the cause of an error, and never one by itself.
    """A vendor's own words, which may name its customers: for the log, never for the client."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(f"{response.status_code} {response.text[:_LONGEST_QUOTE]}")


class Adapter:
    """A vendor. What its adapter does not override, it cannot do."""

    name: ClassVar[str]
    service: ClassVar[str]
    """What messages call it."""

    async def create_order(self, _order: NewOrder, _key: str | None, /) -> Order:
        """Make an order; with a key, only once."""
        raise self._lacks("create_order")

    async def find_orders(self, _reference: str, /) -> list[Order]:
        """List the orders with a buyer's number."""
        raise self._lacks("find_orders")

    async def get_order(self, _order_id: str, /) -> Order:
        """Tell how far an order is."""
        raise self._lacks("get_order")

    async def cancel_order(self, _order_id: str, /) -> Order:
        """Cancel an order; the second time is refused, so that it does no harm to ask twice."""
        raise self._lacks("cancel_order")

    async def fulfill_order(self, _order_id: str, /) -> Order:
        """Ship an order; the second time is refused, as above."""
        raise self._lacks("fulfill_order")

    async def get_inventory(self, _sku: str, /) -> Stock:
        """Count an article."""
        raise self._lacks("get_inventory")

    async def adjust_inventory(self, _sku: str, _by: int, /) -> Stock:
        """Correct the count of an article."""
        raise self._lacks("adjust_inventory")

    def _lacks(self, tool: str) -> FaultError:
        able = [vendor.name for vendor in Adapter.__subclasses__() if tool in vars(vendor)]
        other = f"`{able[0]}` does" if able else "no adapter does"
        next_step = f"Call `{tool}` again with `adapter` set to `{able[0]}`." if able else f"Do without `{tool}`."
        return not_implemented(
            f"The adapter `{self.name}` does not support `{tool}`; {other}.",
            {"adapter": self.name, "supportedBy": able},
            reason="unsupported_by_adapter",
            recovery=Recovery(hint=next_step),
        )

    @cached_property
    def http(self) -> httpx2.AsyncClient:
        """The connections to the vendor, whose address and key are in the environment."""
        variable = self.name.upper()
        url, key = setting(f"{variable}_URL"), setting(f"{variable}_API_KEY")
        headers = {"Authorization": f"Bearer {key}"}
        return httpx2.AsyncClient(base_url=url, headers=headers, timeout=PATIENCE_S)

    async def send(self, method: str, path: str, **request: Any) -> httpx2.Response:  # noqa: ANN401 - httpx2 checks it.
        """Send a request to the vendor. What goes wrong on the way is told in our words, and logged in those of httpx2."""
        try:
            return await self.http.request(method, path, **request)
        except httpx2.DecodingError as error:
            raise self.unreadable() from error
        except httpx2.RequestError as error:
            fault = errata.classify(error)
            late = f"{self.service} did not answer within {PATIENCE_S:g} s."
            said = late if fault.code is Code.TIMEOUT else f"{self.service} could not be reached, or hung up."
            # An address that leads nowhere is a setting of this server, and no argument that could be corrected.
            code = fault.code if fault.code in _ON_THE_WAY else Code.NETWORK_ERROR
            raise FaultError.from_fault(replace(fault, message=said, code=code)) from error

    def refused(self, response: httpx2.Response, identifier: str | None = None) -> FaultError:
        """Make the error that a status stands for, with the wait it asks for and without the vendor's words."""
        fault = error_from_response(response, service=self.service, capture_body=False).fault
        if fault.code in _ABOUT_THE_REQUEST:
            # The adapter wrote that request. No argument is named, so that there is none for the caller to correct.
            retry = fault.retry if fault.retryable else Retry.NEVER
            fault = replace(fault, code=Code.UPSTREAM_ERROR, retry=retry)
            identifier = identifier or f"HTTP_{response.status_code}"
        if wait_ms := fault.retry_after_ms:
            hint = Recovery(hint=f"Wait {wait_ms / 1000:g} s, then repeat the same call.")
            fault = replace(fault, recovery=hint, data={"retryAfterMs": wait_ms})
        return FaultError.from_fault(replace(fault, origin=identifier))

    def read(self, answer: TypeAdapter[_Answer], response: httpx2.Response) -> _Answer:
        """Read what a vendor answered; a redirect is no answer, whatever it says."""
        with self.reading():
            if not response.is_success:
                raise ValueError(f"{response.status_code} is no success, and no refusal either.")
            return answer.validate_json(response.content)

    @contextmanager
    def reading(self) -> Generator[None]:
        """Blame the vendor for what cannot be read: the caller's arguments have nothing to do with it."""
        try:
            yield
        except (ValueError, LookupError) as error:
            raise self.unreadable() from error

    def unreadable(self) -> FaultError:
        """Make the error for an answer that makes no sense. What the vendor was asked for may have been done."""
        message = f"{self.service} answered in a form that its adapter does not know."
        return AdapterError(_UNREADABLE, message, retry=Retry.IF_HARMLESS)


@contextmanager
def to_be_verified(tool: str, what_for: str, *, refused_twice: bool = False) -> Generator[None]:
    """Call nothing retryable that may have happened and must not happen twice; name the tool that tells.

    What a vendor refuses the second time can be repeated if there was no answer. If there was one that makes no sense,
    it was probably done, and repeating it would only be refused.
    """
    try:
        yield
    except FaultError as error:
        fault = error.fault
        if fault.retry is not Retry.IF_HARMLESS or (refused_twice and fault.origin != _UNREADABLE):
            raise
        look = Recovery(hint=f"Call `{tool}` {what_for}, before you call again.", verify_tool=tool)
        verified = replace(fault, retry=Retry.VERIFY_FIRST, reason="may_have_happened", recovery=look)
        raise FaultError.from_fault(verified) from error
