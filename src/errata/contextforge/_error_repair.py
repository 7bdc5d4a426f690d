"""The plugin: between the answer of a server and the client of the gateway.

The framework shows a plugin the result of a call behind it, and the arguments before it; what the plugin keeps in the
`state` of one hook is there in the other. The gateway's own failures, such as a server that is away or too slow, come
with a result that it has written itself: of what a plugin makes of those, only the delay counts.

Type checkers do not see cpex, which is an extra: all that comes from it is `Any` here.
"""

import functools
import logging
import random
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, cast

from errata.contextforge._repair_policy import RepairPolicy, check_mode
from errata.gate import redact_result, repair_result
from errata.model import Code, Fault
from errata.redaction import as_object
from errata.resilience import Budget
from errata.tools import Effect

_framework: Any = import_module("cpex.framework")
_settings: Any = import_module("cpex.framework.settings")

_LOG: Final = logging.getLogger("errata")
_ARGUMENTS: Final = "errata.arguments"
_REPEATED: Final = "errata.repeated"
_OTHER_RETRIES: Final = "cpex_retry_with_backoff"


class ErrorRepair(_framework.Plugin):  # type: ignore[misc]
    """Tells the model what failed and what to do next, and has the gateway repeat only what may be repeated."""

    def __init__(self, config: Any) -> None:  # noqa: ANN401 - see above.
        super().__init__(config)  # pyright: ignore[reportUnknownMemberType]
        check_mode(str(config.mode.value))
        self._policy = RepairPolicy.of(config.config)

    async def initialize(self) -> None:
        """Say in the log if another plugin repeats calls as well."""
        for other in _load_plugins():
            if other.kind.startswith(_OTHER_RETRIES) and other.mode != _framework.PluginMode.DISABLED:
                _warn_of_retries(other.name)

    async def tool_pre_invoke(self, payload: Any, context: Any) -> Any:  # noqa: ANN401 - see above.
        """Keep the arguments of the call until its result is there."""
        context.state[_ARGUMENTS] = payload.args
        return _framework.PluginResult()

    async def tool_post_invoke(self, payload: Any, context: Any) -> Any:  # noqa: ANN401 - see above.
        """Repair a result that is an error, and say whether the call is repeated."""
        result = payload.result
        if not isinstance(result, dict):
            return _framework.PluginResult()
        if cast("dict[str, object]", result).get("isError") is not True:
            self._note_success(payload.name, context)
            return self._redact_success(payload) if self._policy.redact_success else _framework.PluginResult()
        return self._repair(payload, context)

    def _repair(self, payload: Any, context: Any) -> Any:  # noqa: ANN401 - see above.
        failing = read_result(payload.result)
        entry = read_entry(context.global_context.metadata.get("tool"), payload.name)
        request = {"name": entry["name"], "arguments": copy_plain(context.state.get(_ARGUMENTS) or {})}
        repair = repair_result(
            failing,
            request=request,
            tool=entry,
            effects=self._find_effect(payload.name, entry),
            dialect=self._policy.dialect,
        )
        if repair is None:
            return _framework.PluginResult()
        delay_ms = self._choose_delay_ms(repair.fault, payload.name, context)
        if repair.result == failing:
            return _framework.PluginResult(retry_delay_ms=delay_ms)
        return _framework.PluginResult(modified_payload=_with_result(payload, repair.result), retry_delay_ms=delay_ms)

    def _choose_delay_ms(self, fault: Fault, name: str, context: Any) -> int:  # noqa: ANN401 - see above.
        """Return the delay before a repetition, 0 for none; a call that was repeated has to succeed before it is again."""
        state, key = context.global_context.state, _key_of_call(name, context)
        delay_ms = 0 if state.get(key) else self._policy.choose_delay_ms(fault, random=random.random)
        if delay_ms == 0:
            return 0
        cost = self._find_budget(context).take(rate_limited=fault.code is Code.RATE_LIMITED)
        state[key] = cost is not None
        return 0 if cost is None else delay_ms

    def _note_success(self, name: str, context: Any) -> None:  # noqa: ANN401 - see above.
        """Let the same call be repeated again, and pay in what repetitions of the server's calls cost."""
        state = context.global_context.state
        if any(key.startswith(_REPEATED) for key in state):
            state[_key_of_call(name, context)] = False
        budget = self._find_budget(context)
        if not budget.is_full:
            budget.give_back()

    def _find_budget(self, context: Any) -> Budget:  # noqa: ANN401 - see above.
        return self._policy.find_budget(getattr(context.global_context.metadata.get("gateway"), "name", ""))

    def _find_effect(self, name: str, entry: Mapping[str, object]) -> dict[str, Effect]:
        own_name = str(entry["name"])
        effect = self._policy.effects.get(name) or self._policy.effects.get(own_name)
        return {own_name: effect} if effect else {}

    def _redact_success(self, payload: Any) -> Any:  # noqa: ANN401 - see above.
        result = read_result(payload.result)
        shown = redact_result(result)
        changed = _with_result(payload, shown) if shown != result else None
        return _framework.PluginResult(modified_payload=changed)


def read_result(result: Mapping[str, object]) -> dict[str, object]:
    """Return a result as the server has sent it: the gateway fills in what is not there with nulls."""
    members = _without_nulls(cast("dict[str, object]", copy_plain(result)))
    content = members.get("content")
    if isinstance(content, list):
        members["content"] = [
            _without_nulls(as_object(block)) if as_object(block) else block for block in cast("list[object]", content)
        ]
    return members


def read_entry(tool: object, name: str) -> dict[str, object]:
    """Return a tool's entry in the list of its server, from what the gateway keeps of it.

    The server's own name says more than the gateway's, which begins with the name of the server: `post-office-get-parcel`.
    """
    entry = {
        "name": getattr(tool, "original_name", None) or name,
        "inputSchema": getattr(tool, "input_schema", None),
        "annotations": getattr(tool, "annotations", None),
    }
    return _without_nulls(cast("dict[str, object]", copy_plain(entry)))


def copy_plain(value: object) -> object:
    """Copy JSON out of the framework's containers, of which `json` sees only what is not changed."""
    match value:
        case dict():
            return {str(name): copy_plain(member) for name, member in cast("dict[object, object]", value).items()}
        case list() | tuple():
            return [copy_plain(item) for item in cast("list[object]", value)]
        case _:
            return value


def _load_plugins() -> list[Any]:
    """Return what stands in the YAML of the gateway; nothing if it cannot be read, as while it is being edited."""
    try:
        config = _framework.ConfigLoader.load_config(_settings.settings.config_file)
    except Exception:  # noqa: BLE001 - the gateway goes on with what it has read when it was started.
        return []
    return list(config.plugins or ())


def _key_of_call(name: str, context: Any) -> str:  # noqa: ANN401 - see above.
    """Return the name of what is noted about a call, in the state that all calls of one HTTP request share."""
    return f"{_REPEATED}.{hash((name, repr(copy_plain(context.state.get(_ARGUMENTS)))))}"


def _without_nulls(members: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in members.items() if value is not None}


def _with_result(payload: Any, result: Mapping[str, object]) -> Any:  # noqa: ANN401 - see above.
    return payload.model_copy(update={"result": result})


@functools.cache  # The gateway makes its plugins anew every half minute.
def _warn_of_retries(name: str) -> None:
    _LOG.warning(
        "The plugin `%s` repeats calls whatever failed in them, also those that may not be repeated: the gateway follows "
        "the plugin that asks for the longest delay. Write `mode: disabled` for it in the YAML; `ErrorRepair` repeats "
        "what may be repeated.",
        name,
    )
