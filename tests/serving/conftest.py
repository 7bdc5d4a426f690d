"""What tests of servers share: the event loop, the kinds of servers and the two eras of the protocol."""

import pytest
from support.sdk import IS_MODERN, OFFICIAL, PROTOCOLS

ERAS = tuple(PROTOCOLS.values())
KINDS = (OFFICIAL, "Server", "FastMCP")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


@pytest.fixture
def tracer(monkeypatch):
    """Both SDKs trace while a test lasts; OpenTelemetry itself would take a provider once and for all."""
    if not IS_MODERN:
        pytest.skip("Before mcp 2 there are no spans.")
    from fastmcp import telemetry  # noqa: PLC0415 - of no use before mcp 2, as the others.
    from mcp.shared import _otel  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    provider = TracerProvider()
    tracer = provider.get_tracer("tests")
    tracer.exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(tracer.exporter))
    monkeypatch.setattr(_otel, "_tracer", tracer)
    monkeypatch.setattr(telemetry, "otel_get_tracer", provider.get_tracer)
    return tracer


@pytest.fixture
def spans(tracer):
    return tracer.exporter
