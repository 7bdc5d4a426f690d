"""One word for one thing: no two classes and no two files of one name, and no name that only insiders understand."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import errata

SOURCE = Path(errata.__file__).parent
FILES = [path for path in SOURCE.rglob("*.py") if "_examples" not in path.parts]
RETIRED = {"told", "said", "asked", "found", "place", "trouble"}
PUBLIC = {"Place", "place"}  # `errata.linter.Place`, and the attribute of a Finding: others rely on them.
CODES = re.compile(r"not_?found", re.IGNORECASE)
NUMBER_OF_A_DOCUMENT = re.compile(r"\b00[0-4]\b(?!['\"])")


def test_no_two_classes_have_one_name():
    assert (
        names_used_twice(
            (node.name, path) for path, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
        )
        == {}
    )


def test_no_two_files_have_one_name():
    assert names_used_twice((path.name, path) for path in FILES if not path.name.startswith("__")) == {}


def test_no_name_is_a_verb_in_the_past_tense_that_names_nothing():
    assert {
        f"{path.relative_to(SOURCE)}: {name}" for path, tree in trees() for name in names_in(tree) if is_retired(name)
    } == set()


def test_a_dialect_is_called_by_its_name_and_not_by_the_number_of_a_document():
    lines = [
        f"{path.relative_to(SOURCE)}:{number}: {line.strip()}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if NUMBER_OF_A_DOCUMENT.search(line) and not re.search(r"\d[,. -]?00[0-4]|['\"]00[0-4]", line)
    ]
    assert lines == []


def trees():
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in FILES]


def names_used_twice(named):
    paths = defaultdict(set)
    for name, path in named:
        paths[name].add(str(path.relative_to(SOURCE)))
    return {name: sorted(where) for name, where in paths.items() if len(where) > 1}


def names_in(tree):
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def is_retired(name):
    if name in PUBLIC:
        return False
    words = re.findall(r"[a-z]+", re.sub(r"([A-Z])", r"_\1", CODES.sub("", name)).lower())
    return not RETIRED.isdisjoint(words)
