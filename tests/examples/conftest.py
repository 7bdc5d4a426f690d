"""What the tests of the example servers share: each file's server is started once."""

import pytest
from support.example_servers import WAY, connected, payload


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module", params=[WAY])
def way(request):
    return request.param


@pytest.fixture(scope="module")
async def client(request, way):
    """Connect to the example that the test's file is named for; nobody is there who could answer a question."""
    name = request.module.__name__.rpartition(".")[2].removeprefix("test_")
    async with connected(name, way) as connection:
        yield connection


@pytest.fixture
def call(client):
    """Call a tool, and give what came back as it went over the wire."""

    async def call(tool, **arguments):
        return payload(await client.call_tool(tool, arguments))

    return call
