"""What a server says beside the words of a dialect: nothing that an agent goes by is lost on the way."""

import pytest
from hypothesis import given
from support.strategies import faults, json_values

import errata
from errata import Code, Fault, Recovery, Retry, dialects
from errata.serving._encoding import add_meta

SEEDS = [dialects.get(name) for name in dialects.names() if name != "native"]


def sent(fault, dialect):
    return add_meta(dialect.encode(fault), fault, dialect)


@pytest.mark.parametrize("dialect", SEEDS, ids=lambda each: each.name)
@given(fault=faults)
def test_an_agent_learns_whether_to_repeat_a_call_in_every_dialect(dialect, fault):
    whole = errata.decode(dialects.native.encode(fault))

    read = errata.decode(sent(fault, dialect))

    if fault.retry in {Retry.NEVER, Retry.FIX_INPUT}:
        assert not read.retry.exceeds(fault.retry)
    else:
        assert (read.retry, read.retry_after_ms) == (fault.retry, fault.retry_after_ms)
        assert tools_of(read) == tools_of(whole)


@pytest.mark.parametrize("dialect", SEEDS, ids=lambda each: each.name)
@given(said=json_values)
def test_what_stands_beside_is_not_trusted_to_be_anything(dialect, said):
    wire = dialect.encode(Fault(code=Code.TIMEOUT))
    plainly = errata.decode(wire)

    assert errata.decode(wire | {"_meta": said}) == plainly
    assert errata.decode(wire | {"_meta": {"errata/retry": said}}) == plainly


@pytest.mark.parametrize("dialect", SEEDS, ids=lambda each: each.name)
def test_secrets_stay_out_of_the_names_of_tools(dialect):
    secret = "ghp_" + "a1B2" * 9
    recovery = Recovery(verify_tool=f"look {secret}", fallback_tool=f"use {secret}")

    assert secret not in str(sent(Fault(code=Code.TIMEOUT, retry=Retry.VERIFY_FIRST, recovery=recovery), dialect))


def test_native_says_it_once():
    assert "_meta" not in sent(Fault(code=Code.TIMEOUT), dialects.native)


def tools_of(fault):
    recovery = fault.recovery or Recovery()
    return recovery.fallback_tool, recovery.verify_tool
