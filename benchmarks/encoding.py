"""What saying a fault and reading it back cost beside writing and parsing the same JSON."""

import itertools
import json

from _measure import Figure, figure

import errata
from errata import Recovery, classify, dialects, rate_limited


def figures() -> list[Figure]:
    fault = rate_limited(
        "NCBI allows three requests a second, and this was the fourth.",
        {"pmids": ["38052113", "37993487"], "queue": {"length": 12, "full": True}},
        http_status=429,
        retry_after_ms=30_000,
        reason="queue_full",
        recovery=Recovery(hint="Wait 30 seconds, then ask for fewer PMIDs in one call.", fallback_tool="search"),
    ).fault
    wire = dialects.native.encode(fault)
    text = json.dumps(wire)
    return [
        figure(
            "encode native",
            lambda: dialects.native.encode(fault),
            "json.dumps of the same",
            lambda: json.dumps(wire),
        ),
        figure("decode native", lambda: errata.decode(wire), "json.loads of the same", lambda: json.loads(text)),
        figure(
            "make a FaultError",
            lambda: rate_limited("Slow down.", {"limit": 3}),
            "make a ValueError",
            lambda: ValueError("Slow down.", {"limit": 3}),
        ),
        *_ways_out(),
    ]


def _ways_out() -> list[Figure]:
    """Measure all that errata does about an exception; words that were said before are not judged again."""
    said, numbers = ValueError("limit must be between 1 and 100"), itertools.count()
    wire = dialects.native.encode(classify(said))
    beside = "json.dumps of the same"
    return [
        figure(
            "classify and encode an error",
            lambda: dialects.native.encode(classify(said)),
            beside,
            lambda: json.dumps(wire),
        ),
        figure(
            "… in words never said before",
            lambda: dialects.native.encode(classify(ValueError(f"limit must be between 1 and {next(numbers)}"))),
            beside,
            lambda: json.dumps(wire),
        ),
    ]
