"""What is asked of the linter: which rules, where, how severely."""

import dataclasses
import functools
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from errata.linter._finding import Severity
from errata.linter._globs import matches_any, relative_to
from errata.linter._trouble import SettingsError
from errata.linter.rules import RULES
from errata.model import did_you_mean

ALL = "ALL"
OFF = "off"


@dataclasses.dataclass(frozen=True)
class Settings:
    """Which rules are judged where. A name may be a rule's, a family's (`error-contract`, `error-contract-*`) or `ALL`.

    Patterns of paths, and the baseline, are relative to the root.
    """

    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict[str, tuple[str, ...]])
    """The rules that are not judged in files that fit a pattern."""
    severity: Mapping[str, str] = dataclasses.field(default_factory=dict[str, str])
    """`error`, `warning` or `off`, by rule."""
    exclude: tuple[str, ...] = ()
    """Patterns of files and directories that are not looked at unless they are named."""
    baseline: str = ".errata-baseline.json"
    root: Path = dataclasses.field(default_factory=Path.cwd)

    def __post_init__(self) -> None:
        """Refuse what nobody can have meant, here and not in the middle of a run."""
        _ = self._wanted, self._severities, self._per_file

    def wants(self, rule: str, path: str | Path) -> bool:
        """Whether a rule is judged in a file."""
        return rule in self.judged(path)

    def judged(self, path: str | Path) -> frozenset[str]:
        """Name the rules that are judged in a file."""
        if not self._per_file:
            return self._wanted
        name = str(path)
        if name not in self._judged:
            relative = relative_to(path, self.root)
            ignored = [rules for pattern, rules in self._per_file.items() if matches_any(relative, [pattern])]
            self._judged[name] = self._wanted.difference(*ignored)
        return self._judged[name]

    def severity_of(self, rule: str) -> Severity:
        """Say how severe a rule is: as set, else as the rule says itself."""
        return self._severities.get(rule) or RULES[rule].severity

    def without(self, *rules: str) -> "Settings":
        """Leave some rules out, too."""
        return dataclasses.replace(self, ignore=(*self.ignore, *rules))

    @functools.cached_property
    def _judged(self) -> dict[str, frozenset[str]]:
        return {}

    @functools.cached_property
    def _wanted(self) -> frozenset[str]:
        off = {rule for rule, severity in _expanded(self.severity).items() if severity == OFF}
        return rules_named(self.select, "select") - rules_named(self.ignore, "ignore") - off

    @functools.cached_property
    def _severities(self) -> dict[str, Severity]:
        return {rule: _severity(word) for rule, word in _expanded(self.severity).items() if word != OFF}

    @functools.cached_property
    def _per_file(self) -> dict[str, frozenset[str]]:
        return {
            pattern: rules_named(names, f'per-file-ignores."{pattern}"')
            for pattern, names in self.per_file_ignores.items()
        }


def rules_named(names: Iterable[str], where: str) -> frozenset[str]:
    """Find the rules meant by names; one that means none is an error, which says where it stands."""
    found: set[str] = set()
    for name in names:
        rules = matching(name, RULES)
        if not rules:
            raise SettingsError(f"`{where}` names a rule `{name}`, and there is none", _advice(name))
        found |= rules
    return frozenset(found)


def matching(name: str, known: Collection[str]) -> set[str]:
    """Find the rules that a name stands for: itself, or else its family."""
    if name in known:
        return {name}
    family = f"{name.removesuffix('*').rstrip('-')}-"
    return {rule for rule in known if name == ALL or (family != "-" and rule.startswith(family))}


def _expanded(severity: Mapping[str, str]) -> dict[str, str]:
    """Give every rule its word; the name of a rule says more than that of its family."""
    found: dict[str, str] = {}
    for name, word in sorted(severity.items(), key=lambda entry: (entry[0] in RULES, len(entry[0]))):
        found |= dict.fromkeys(sorted(rules_named([name], "severity")), word)
    return found


def _severity(word: str) -> Severity:
    try:
        return Severity(word)
    except ValueError:
        choices = f"choose `{Severity.ERROR}`, `{Severity.WARNING}` or `{OFF}`"
        raise SettingsError(f"`severity` has a value `{word}`", choices) from None


def _advice(name: str) -> str:
    question = did_you_mean(name.lower(), RULES)
    return f"d{question[1:]}" if question else "list all rules with `errata lint --rules`"
