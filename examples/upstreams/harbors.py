"""An API for berths: what is free, and bookings."""

from itertools import count

from upstreams import Reply, Request

_FREE = {"Nyhavn": ["A3", "A7", "C1"], "Kappeln": []}

_numbers = count(1)


def harbors(request: Request) -> Reply:
    """Answer like an API that somebody else looks after: one harbour has changed its form."""
    match request:
        case Request("GET", ("berths",), {"harbor": "Skagen"}):
            return Reply({"berths": {"free": ["B2"]}})
        case Request("GET", ("berths",), {"harbor": harbor}) if harbor in _FREE:
            return Reply({"free": _FREE[harbor]})
        case Request("POST", ("bookings",), _, {"harbor": str(harbor), "nights": int()}) if harbor in _FREE:
            return Reply({"confirmation": f"{harbor}-{next(_numbers)}"}, 201)
        case Request("GET" | "POST"):
            return Reply({"message": "There is no such harbour."}, 404)
        case _:
            return Reply({"message": "This cannot be done here."}, 405)
