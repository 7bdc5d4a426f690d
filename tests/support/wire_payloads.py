"""What a dialect put on the wire, without its envelope."""

from errata import dialects


def payload_of(dialect, fault):
    payload = dialects.get(dialect).encode(fault)["structuredContent"]
    return payload.get("error", payload)


def flag_of(dialect, fault):
    payload = payload_of(dialect, fault)
    return payload.get("retriable", payload.get("retryable"))
