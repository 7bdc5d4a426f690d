"""The front of the package: what it offers, and what merely importing it costs."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import errata
from errata import dialects

ROOT = Path(__file__).parents[1]


def modules_after(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_importing_errata_loads_no_table_of_exceptions_and_no_pattern():
    loaded = modules_after("import errata")
    assert "errata.model._fault" in loaded
    assert not {name for name in loaded if name.startswith(("errata.classification", "errata.http", "logging"))}


def test_the_core_needs_the_standard_library_only():
    loaded = modules_after("from errata import *; from errata.http import *; errata_classify = classify(KeyError())")
    foreign = {name.split(".")[0] for name in loaded} - sys.stdlib_module_names - {"errata", "__main__"}
    assert not {name for name in foreign if not name.startswith(("_", "sitecustomize"))}


@pytest.mark.parametrize("name", errata.__all__)
def test_every_promised_name_is_there(name):
    assert getattr(errata, name) is getattr(errata, name)
    assert name in dir(errata)


def test_a_name_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(AttributeError, match="`classifi`"):
        errata.classifi  # noqa: B018


@pytest.mark.parametrize("name", dialects.__all__)
def test_every_promised_name_of_the_dialects_is_there(name):
    assert getattr(dialects, name) is not None


@pytest.mark.parametrize("name", ["ErrorCategory", "category_of", "get_default_recovery", "http_status_to_error_code"])
def test_what_a_document_offers_to_programs_has_a_public_name(name):
    assert name in dialects.__all__


def test_the_version_is_the_one_the_package_is_built_with():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/errata/_version.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", errata.__version__)
