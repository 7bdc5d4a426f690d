"""Step 4, advise: the next step for a failure that nobody wrote a way out for."""

from errata.model import Fault, FaultError, add_list_hint, add_next_step, wants_list
from errata.serving._adapter import Adapter
from errata.serving._classifying import RequestFailure
from errata.serving._offers import Offer
from errata.serving._requests import Kind, Request
from errata.serving._settling import Settled
from errata.tools import find_listing_tool


async def advise(
    settled: Settled, failure: RequestFailure, request: Request, adapter: Adapter, listed: list[Offer] | None
) -> Fault:
    """Return a fault with the code's own next step, that of its verdict, or a tool that lists what there is.

    `listed` are the tools that were listed last, for whomever: enough to choose one, which is then looked up for this client.

    What an author raised stays as it is. This is for errata's own dialect and for JSON-RPC errors: in `json-rpc` a
    classified exception has a code and a message only, and in `taxonomy` a recovery is always an author's.
    """
    fault = settled.fault
    if request.kind is Kind.TOOL and wants_list(fault):
        fault = await _name_listing_tool(fault, request, adapter, listed)
    return fault if isinstance(failure.error, FaultError) else add_next_step(fault, settled.presumed_by)


async def _name_listing_tool(fault: Fault, request: Request, adapter: Adapter, listed: list[Offer] | None) -> Fault:
    """Name the tool that shows what there is, if the client may call one."""
    try:
        offers = await adapter.list_visible(request) if listed is None else listed
        schemas = {offer.name: offer.input_schema for offer in offers}
        tool = find_listing_tool(request.name, fault.field, schemas)
        is_there = tool is not None and await adapter.find_handler(request, tool) is not None
    except Exception:  # noqa: BLE001 - it runs the server's own lists and middleware; a reply is sent without their help.
        return fault
    return add_list_hint(fault, tool) if tool and is_there else fault
