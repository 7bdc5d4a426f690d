"""Does errata's linter say what 003's own linter says of the same thing, written in the other language?

The pairs are in `linter_pairs/`. `peer` is what 003's linter says; where errata's says something else about a rule, `apart`
has the reason. What is said of a rule is its severity.
"""

import json
import re
import sys
import tomllib
import warnings
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

import pytest
from support import node

from errata.linter import lint_source

HERE = Path(__file__).parent
PEER = ("@cyanheads/mcp-ts-core", "0.10.17")
LONGEST_S = 60
# fmt: off
SEVERITY_OF = {  # As 003's tables have it.
    "prefer-mcp-error-in-handler": "warning",
    "prefer-error-factory": "warning",
    "preserve-cause-on-rethrow": "warning",
    "no-stringify-upstream-error": "warning",
    "error-contract-type": "error",
    "error-contract-empty": "warning",
    "error-contract-entry-type": "error",
    "error-contract-code-type": "error",
    "error-contract-code-unknown": "error",
    "error-contract-code-unknown-error": "warning",
    "error-contract-reason-required": "error",
    "error-contract-reason-format": "warning",
    "error-contract-reason-unique": "error",
    "error-contract-when-required": "error",
    "error-contract-recovery-required": "error",
    "error-contract-recovery-empty": "error",
    "error-contract-recovery-min-words": "warning",
    "error-contract-retryable-type": "warning",
    "error-contract-conformance": "warning",
    "error-contract-prefer-fail": "warning",
}
# fmt: on
RULES_OF_CONTRACTS = {rule for rule in SEVERITY_OF if rule.startswith("error-contract-")} - {
    "error-contract-conformance",
    "error-contract-prefer-fail",
}


class Pair(NamedTuple):
    name: str
    javascript: str
    python: str
    peer: list[str]
    apart: dict[str, str]


def pairs_in(file):
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    for pair in read["pair"]:
        texts = {language: frame.replace("HERE", pair[language]) for language, frame in read["frame"].items()}
        yield Pair(pair["name"], **texts, peer=pair["peer"], apart=pair.get("apart", {}))


PAIRS = [pair for file in sorted(HERE.glob("linter_pairs/*.toml")) for pair in pairs_in(file)]
NAMES = [pair.name for pair in PAIRS]


@pytest.fixture(scope="module")
def said_by_peer(tmp_path_factory):
    """What the peer says of every pair."""
    modules, folder = node.directory_with(*PEER), tmp_path_factory.mktemp("pairs")
    (folder / "node_modules").symlink_to(modules / "node_modules")
    for index, pair in enumerate(PAIRS):
        (folder / f"{index:03}.mjs").write_text(pair.javascript, encoding="utf-8")
    found = json.loads(node.run_node(HERE / "linting.mjs", modules, folder, timeout_s=LONGEST_S))
    said = [said_of_rules((each["rule"], each["severity"]) for each in findings) for findings in found]
    return dict(zip(NAMES, said, strict=True))


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_the_peer_says_what_the_pair_claims(pair, said_by_peer):
    assert said_by_peer[pair.name] == {rule: SEVERITY_OF[rule] for rule in pair.peer}


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_both_linters_say_the_same_or_there_is_a_reason(pair, said_by_peer):
    peer, ours = said_by_peer[pair.name], said_by_errata(pair)

    assert {rule for rule in SEVERITY_OF if peer.get(rule) != ours.get(rule)} == set(pair.apart), ours


@pytest.mark.parametrize("pair", PAIRS, ids=NAMES)
def test_what_errata_says_when_the_server_starts_is_in_the_pair(pair, monkeypatch):
    told = told_at_start(pair, monkeypatch)

    assert rules_named_in(told) <= {*pair.peer, *pair.apart}
    assert told or not ({*pair.peer} ^ {*pair.apart}) & RULES_OF_CONTRACTS, (
        "errata starts a server that its linter refuses"
    )


def test_every_rule_has_a_pair_in_which_both_linters_name_it():
    assert {rule for pair in PAIRS for rule in pair.peer if rule not in pair.apart} == SEVERITY_OF.keys()
    assert len(set(NAMES)) == len(NAMES)


def said_by_errata(pair):
    return said_of_rules((finding.rule, str(finding.severity)) for finding in lint_source(pair.python))


def said_of_rules(findings):
    return {rule: severity for rule, severity in findings if rule in SEVERITY_OF}


def told_at_start(pair, monkeypatch):
    """Run the Python of a pair, and give what errata warns of and raises meanwhile."""
    shop = ModuleType("shop")
    vars(shop).update(orders=SimpleNamespace(), ShopError=OSError)
    monkeypatch.setitem(sys.modules, "shop", shop)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(pair.python, {"__name__": "server"})  # noqa: S102 - the pair is our own.
        except (AttributeError, TypeError, ValueError) as error:
            return [str(error), *(str(each.message) for each in caught)]
    return [str(each.message) for each in caught]


def rules_named_in(texts):
    return {rule for text in texts for rule in re.findall(r"\((error-contract-[a-z-]+)\)", text)}
