"""What tests of servers share: the event loop, the kinds of servers and the two eras of the protocol."""

import pytest
from serving.three_servers import ERAS, KINDS


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=ERAS)
def era(request):
    return request.param
