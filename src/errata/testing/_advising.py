"""Whether what a server advises can be done."""

from errata._install import adapter_for, installed_in


async def assert_advice_names_tools(server: object) -> None:
    """Assert that the recoveries a server declares name only tools that it lists.

        async def test_every_next_step_can_be_taken():
            await assert_advice_names_tools(server)

    It looks at the contracts of all tools, resources and prompts.
    """
    __tracebackhide__ = True
    from errata.serving import missing_tools  # noqa: PLC0415 - it needs what the SDKs bring along.

    offers = await adapter_for(server).offered(server)
    if problems := [str(each) for each in missing_tools(offers, installed_in(server))]:
        raise AssertionError("\n".join(problems))
