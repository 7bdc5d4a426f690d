"""What is ordered and what is there, whoever the vendor."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

Text = Annotated[str, Field(min_length=1, max_length=60)]
# It goes into a path. Quoting would not do: it leaves `..` as it is, and httpx2 walks up with that.
IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$"
Identifier = Annotated[str, Field(pattern=IDENTIFIER)]


@dataclass
class Line:
    """One article of an order."""

    sku: Text
    quantity: Annotated[int, Field(ge=1, le=999)]


@dataclass
class Customer:
    """Who buys."""

    email: Annotated[str, Field(max_length=254)]


@dataclass
class NewOrder:
    """An order to be made; `reference` is the buyer's own number for it."""

    reference: Text
    customer: Customer
    lines: Annotated[list[Line], Field(min_length=1, max_length=50)]


@dataclass
class Order:
    """An order, and how far it is: paid, shipped or cancelled."""

    id: str
    state: str
    lines: list[Line]


@dataclass
class Stock:
    """How many of an article are there."""

    sku: str
    available: int
