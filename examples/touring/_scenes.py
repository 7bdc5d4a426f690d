"""What goes wrong in the demo, in the order in which it is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from errata import Code


@dataclass(frozen=True)
class Scene:
    """One thing that goes wrong: what the agent does, and what the world does to it."""

    story: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    kind: Literal["tool", "resource", "prompt"] = "tool"
    before: "tuple[Scene, ...]" = ()
    """What the agent does before each attempt."""
    until: Code | None = None
    """The call is repeated, after the wait that the answer asks for, until it fails with this code."""


@dataclass(frozen=True)
class Act:
    """One server, started twice: without errata and with it."""

    server: str
    dialect: str
    about: str
    scenes: tuple[Scene, ...]
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables for both."""
    is_gated: bool = False
    """Whether the server stays without errata, and the gate stands in front of it the second time."""


_ORDER = {"reference": "PO-77", "lines": [{"sku": "LAMP-1", "quantity": 1}]}

ACTS = (
    Act(
        "harbor_berths",
        "native",
        "a server as most are written: no annotations, no error handling",
        (
            Scene("A booking gets no answer. Was it made?", "book_berth", {"harbor": "answer-hang", "nights": 2}),
            Scene("The API asks us to wait.", "find_berths", {"harbor": "answer-429-after-17"}),
            Scene("The API no longer accepts our key.", "find_berths", {"harbor": "answer-401"}),
            Scene("The API has changed, and the server breaks.", "find_berths", {"harbor": "Skagen"}),
            Scene("An argument does not fit.", "book_berth", {"harbor": "Nyhavn", "nights": "two"}),
        ),
    ),
    Act(
        "napkin_visuals",
        "mcp-tool-error",
        "pictures from text, on FastMCP",
        (
            Scene("Napkin takes an order and does not answer.", "create_visual", {"content": "answer-hang"}),
            Scene("The visual was deleted last month.", "download_visual", {"visual_id": "visual-0"}),
            Scene("Napkin answers with something that is not JSON.", "visual_status", {"visual_id": "answer-garbage"}),
        ),
    ),
    Act(
        "order_operations",
        "error-response",
        "orders over two vendors, on MCPServer",
        (
            Scene("The agent forgets an argument, deep inside.", "create_order", {"order": {**_ORDER, "customer": {}}}),
            Scene("There is no such order.", "get_order", {"order_id": "7777"}),
            Scene(
                "One of the two vendors cannot do this.",
                "adjust_inventory",
                {"sku": "LAMP-1", "by": 5, "adapter": "depot"},
            ),
            Scene(
                "The order is taken, and the answer to it is lost.",
                "create_order",
                {
                    "order": {
                        "lines": [{"sku": "SLOW-1", "quantity": 1}],
                        "reference": "PO-78",
                        "customer": {"email": "ann@example.org"},
                    }
                },
            ),
            Scene(
                "A letter about half an order.",
                "confirmation_letter",
                {"order": '{"reference": "PO-79", "customer": {}, "lines": []}'},
                kind="prompt",
            ),
        ),
    ),
    Act(
        "pattern_library",
        "tool-error-v1",
        "patterns and code review, on FastMCP",
        (
            Scene("The library wants a key.", "get_pattern", {"pattern_id": "answer-401", "format": "json"}),
            Scene("A name that is almost right.", "get_pattern", {"pattern_id": "circuit-braker"}),
            Scene("Code that is no Python.", "analyze_code", {"code": "def f(:\n    pass"}),
            Scene("The library hangs up.", "search_patterns", {"query": "answer-close", "format": "both"}),
        ),
    ),
    Act(
        "pubmed_articles",
        "json-rpc",
        "articles with declared failures, on MCPServer",
        (
            Scene("Far too many at once.", "fetch_articles", {"pmids": [str(38052113 + each) for each in range(21)]}),
            Scene("NCBI is down.", "fetch_articles", {"pmids": ["answer-503"]}),
            Scene("A formula with an end missing.", "calculate", {"expression": "(2 + 3) *"}),
            Scene("The server itself has a bug.", "fetch_articles", {"pmids": ["20301295"]}),
            Scene("A resource that is not there.", "pubmed://article/1", kind="resource"),
        ),
    ),
    Act(
        "order_recovery",
        "taxonomy",
        "every failure with its way out, on MCPServer",
        (
            Scene(
                "The order service is down, which is not the same as no orders.",
                "list_orders",
                {"user_id": "answer-503"},
            ),
            Scene("More than there are.", "update_quantity", {"order_id": "ord-1", "quantity": 5000}),
            Scene("The money is taken, and the answer is lost.", "pay_order", {"order_id": "ord-5"}),
            Scene(
                "The service keeps failing. Now it is left alone, and whoever wants something is told at once.",
                "list_orders",
                {"user_id": "ada"},
                before=(Scene("It fails once more.", "payment_status", {"order_id": "answer-503"}),),
                until=Code.CIRCUIT_OPEN,
            ),
            Scene(
                "After that time it is asked again. It is back, and has reasons of its own.",
                "pay_order",
                {"order_id": "ord-4"},
                until=Code.INSUFFICIENT_BALANCE,
            ),
            Scene("A tool that does not exist.", "list_order", {"user_id": "ann"}),
        ),
        settings={"ORDERS_OPEN_S": "1"},
    ),
)

FIRST_SCENES = (replace(ACTS[0], scenes=ACTS[0].scenes[:4]),)
"""What `errata demo` shows by itself: one server as most are written, and four failures."""

GATED_SCENES = (replace(FIRST_SCENES[0], about="the same server, and nobody may change it", is_gated=True),)
"""What `errata demo --gate` shows: the same failures, repaired in front of the server."""
