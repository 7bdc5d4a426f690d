"""What saying a fault and reading it back cost beside writing and parsing the same JSON."""

import json

from _measure import Figure, figure

import errata
from errata import Recovery, dialects, rate_limited


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
    ]
