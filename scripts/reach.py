"""How many published Python MCP servers `errata.install` takes, read from their archives; nothing of them is run.

    python scripts/reach.py                # the servers that other scripts name, and 400 names at random
    python scripts/reach.py --random 1000 --each

Of the newest release of each, its requirements say which releases of an SDK it admits, and its syntax which class of
servers it uses. It runs on the newest of those releases in whose major version its imports exist: code for mcp 1 that
does not exclude mcp 2 breaks there, so it counts as mcp 1. `errata._install.ERAS` says whether that is taken.

Names at random are those with the word "mcp" in them, in the order of their digests: anybody gets the same ones, but
for names that are new. Archives are kept in .wild/reach.
"""

import argparse
import ast
import functools
import hashlib
import re
import sys
import tarfile
import tomllib
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from wild_servers import GROUPS, Archive, Links, check_digest, choose_index_url, read

from errata._install import ERAS, Era

HERE = Path(__file__).resolve().parent
KEPT = HERE.parent / ".wild" / "reach"
LARGEST_FILE = 2_000_000
PYTHON = "3.11"  # The oldest that errata runs on.

# fmt: off
SERVERS = [  # Where a class can be imported from, the first of a server's that is found.
    (("fastmcp",),                          "FastMCP",   "fastmcp.server.server.FastMCP"),
    (("mcp.server.mcpserver", "mcp.server"), "MCPServer", "mcp.server.mcpserver.server.MCPServer"),
    (("mcp.server.fastmcp", "mcp.server"),   "FastMCP",   "mcp.server.fastmcp.server.FastMCP"),
    (("mcp.server.lowlevel", "mcp.server"),  "Server",    "mcp.server.lowlevel.server.Server"),
]
# fmt: on
LOW_LEVEL = SERVERS[-1][-1]
PACKED_WITH = {"mcp": ("mcp", "mcp-types"), "fastmcp": ("fastmcp", "fastmcp-slim")}
MCP_MAJOR = {2: 1, 3: 1, 4: 2}  # Of FastMCP, by its own major version.
TAKEN_BEFORE = {"mcp": 2, "fastmcp": 4}  # The oldest major version before there were adapters for older ones.
DECORATORS = {"call_tool", "list_tools", "list_prompts", "list_resources", "read_resource", "get_prompt"}
NOT_SHIPPED = {"tests", "test", "examples", "docs", "scripts", "benchmarks"}


class Import(NamedTuple):
    """Something of an SDK that a file uses."""

    module: str
    noun: str
    """Empty if it is the module alone."""
    is_optional: bool
    """Whether the file does without, because it stands in a `try`."""


@dataclass
class Source:
    """What a release says about itself."""

    requirements: list[Requirement] = field(default_factory=list[Requirement])
    files: dict[str, ast.Module] = field(default_factory=dict[str, ast.Module])

    def admits(self, distribution: str) -> SpecifierSet | None:
        """Return the versions of a distribution that are admitted; None if it is not required."""
        own = [
            each.specifier for each in self.requirements if canonicalize_name(each.name) in PACKED_WITH[distribution]
        ]
        return functools.reduce(SpecifierSet.__and__, own) if own else None


@dataclass(frozen=True)
class Verdict:
    """What became of one name; without a class it is no server, and `note` says why."""

    name: str
    kind: str = ""
    distribution: str = ""
    release: Version | None = None
    era: Era | None = None
    note: str = ""

    @property
    def label(self) -> str:
        """The row of the table it belongs to."""
        numbers = f" {self.release.major}" if self.release else ""
        api = {"MCPServer": "", "FastMCP": ", FastMCP" if self.distribution == "mcp" else "", "Server": ", low-level"}
        return self.distribution + numbers + api[self.kind.rpartition(".")[2]]

    @property
    def was_taken(self) -> bool:
        """Whether errata took it when it had no adapters for older versions."""
        return self.era is not None and int(self.era.major) >= TAKEN_BEFORE[self.distribution]


# --- Deciding -------------------------------------------------------------------------------------------------------


def judge(name: str) -> Verdict:
    """Decide whether `install` takes the newest release of a server."""
    try:
        archive = find_newest(name)
        source = read_source(archive)
    except (OSError, LookupError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        return Verdict(name, note=f"not read: {type(error).__name__}")
    required = [distribution for distribution in PACKED_WITH if source.admits(distribution) is not None]
    if not required:
        return Verdict(name, note="requires no SDK")
    imports = {found for tree in source.files.values() for found in list_imports(tree)}
    uses_decorators = any(map(decorates_handlers, source.files.values()))
    for homes, noun, kind in SERVERS:
        classes = {each for each in imports if each.noun == noun and is_below(each.module, homes)}
        if classes and (distribution := kind.partition(".")[0]) in required:
            majors = {1} if kind == LOW_LEVEL and uses_decorators else {1, 2, 3, 4}
            if release := choose_release(distribution, source, imports, classes, majors):
                return Verdict(name, kind, distribution, release, find_era(kind, release))
    return Verdict(name, note="uses no server class that an SDK it admits has")


def choose_release(
    distribution: str, source: Source, imports: set[Import], classes: set[Import], majors: set[int]
) -> Version | None:
    """Return the newest release that is admitted and has what is imported; else the newest that has one of the classes."""
    needed = {each for each in imports if not each.is_optional and is_below(each.module, (distribution,))}
    newest = {release.major: release for release in reversed(list(list_admitted(distribution, source)))}
    for wanted in (
        needed,
        set[Import](),
    ):  # What is gone from the newest of a major version may be in the one admitted.
        for major, release in sorted(newest.items(), reverse=True):
            modules = read_sdk(distribution, major)
            has_all = all(offers(modules, each) for each in wanted)
            if major in majors and has_all and any(offers(modules, each) for each in classes):
                return release
    return None


def list_admitted(distribution: str, source: Source) -> Iterator[Version]:
    """Yield the releases of an SDK that a server's requirements admit, the newest first."""
    admitted, other = source.admits(distribution), source.admits("mcp" if distribution == "fastmcp" else "fastmcp")
    for release in list_releases(distribution):
        if admitted is None or release not in admitted:
            continue
        if other is None or fits(distribution, release.major, other):
            yield release


def fits(distribution: str, major: int, other: SpecifierSet) -> bool:
    """Return whether the other SDK, which is required as well, has a release for the same major version of mcp."""
    if distribution == "fastmcp":
        return any(MCP_MAJOR.get(major, 1) == each.major for each in other.filter(list_releases("mcp")))
    return any(MCP_MAJOR.get(each.major, 1) == major for each in other.filter(list_releases("fastmcp")))


def find_era(kind: str, release: Version | None) -> Era | None:
    """Return the era of errata's adapters that a release is in."""
    eras = sorted(ERAS[kind], key=lambda era: Version(era.oldest), reverse=True)
    return next(
        (era for era in eras if release and int(era.major) == release.major and release >= Version(era.oldest)), None
    )


# --- Reading syntax -------------------------------------------------------------------------------------------------


def list_imports(tree: ast.Module) -> Iterator[Import]:
    """Yield what is imported from an SDK."""
    optional = {id(each) for node in ast.walk(tree) if isinstance(node, ast.Try) for each in ast.walk(node)}
    aliases = dict[str, str]()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(), names=names, level=0):
                module = node.module or ""
                used = names if is_below(module, PACKED_WITH) else []
                yield from (Import(module, alias.name, id(node) in optional) for alias in used)
            case ast.Import(names=names):
                used = [alias for alias in names if is_below(alias.name, PACKED_WITH)]
                aliases |= {alias.asname or alias.name: alias.name for alias in used}
                yield from (Import(alias.name, "", id(node) in optional) for alias in used)
            case _:
                pass
    for node in ast.walk(tree):  # `import mcp.server as server`, and later `server.Server`.
        if isinstance(node, ast.Attribute) and is_server(node.attr) and ast.unparse(node.value) in aliases:
            yield Import(aliases[ast.unparse(node.value)], node.attr, id(node) in optional)


def is_server(noun: str) -> bool:
    return any(noun == each for _, each, _ in SERVERS)


def is_below(module: str, homes: Iterable[str]) -> bool:
    return any(module == home or module.startswith(f"{home}.") for home in homes)


def decorates_handlers(tree: ast.Module) -> bool:
    """Return whether handlers are registered with `@server.call_tool()`, which the low-level server of mcp 1 alone has."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    calls = (each.func for node in functions for each in node.decorator_list if isinstance(each, ast.Call))
    return any(isinstance(each, ast.Attribute) and each.attr in DECORATORS for each in calls)


def offers(modules: dict[str, set[str]], wanted: Import) -> bool:
    """Return whether an SDK has what is imported; "*" stands for any name."""
    names = modules.get(wanted.module, set[str]())
    is_submodule = f"{wanted.module}.{wanted.noun}" in modules
    return is_submodule or (wanted.module in modules and (wanted.noun in names | {"", "*"} or "*" in names))


@functools.cache
def read_sdk(distribution: str, major: int) -> dict[str, set[str]]:
    """Return the names in each module of the newest release of an SDK's major version."""
    modules = dict[str, set[str]]()
    for part in PACKED_WITH[distribution]:
        if releases := [each for each in list_releases(part) if each.major == major]:
            files = read_source(find_newest(part, releases[0])).files
            modules |= {name_of(path): list_names(tree) for path, tree in files.items() if not refuses(tree)}
    return modules


def name_of(path: str) -> str:
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def refuses(tree: ast.Module) -> bool:
    """Return whether a module is there only to say that it is no more."""
    return any(isinstance(node, ast.Raise) for node in tree.body)


def list_names(tree: ast.Module) -> set[str]:
    """Return every name that is bound in a module; one that is loaded when it is asked for is bound in a function."""
    names = set[str]()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Constant(value=str(name)):
                names.add(name)
            case ast.alias(name=name, asname=asname):
                names.add(asname or name)
            case _:
                pass
    return names


# --- Reading archives -----------------------------------------------------------------------------------------------


@functools.cache
def list_archives(name: str) -> list[Archive]:
    page = f"{choose_index().rstrip('/')}/{canonicalize_name(name)}/"
    links = Links(page)
    links.feed(read(page).decode())
    return links.archives


choose_index = functools.cache(choose_index_url)


@functools.cache
def list_releases(name: str) -> list[Version]:
    """Return the final releases of a distribution, the newest first."""
    versions = {archive.version for archive in list_archives(name)}
    return sorted((each for each in versions if each and not each.is_prerelease), reverse=True)


def find_newest(name: str, version: Version | None = None) -> Archive:
    """Return the wheel of a version, or of the newest; the sdist if there is no wheel."""
    wanted = version or next(iter(list_releases(name)), None)
    archives = [archive for archive in list_archives(name) if wanted and archive.version == wanted]
    if not archives:
        raise LookupError("no final release")
    return min(archives, key=lambda archive: (archive.is_sdist, archive.name))


def read_source(archive: Archive) -> Source:
    """Fetch an archive, unless it is there, and return its requirements and its syntax."""
    kept = KEPT / archive.name
    if not kept.exists():
        half = kept.with_name(f".{kept.name}")
        half.write_bytes(check_digest(read(archive.url), archive))
        half.rename(kept)
    return parse_source(dict(list_texts(kept, is_sdist=archive.is_sdist)))


def list_texts(packed: Path, *, is_sdist: bool) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files that are read; in an sdist, all is in one folder."""
    if packed.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(packed) as archive:
            for each in archive.infolist():
                if is_read(each.filename) and each.file_size < LARGEST_FILE:
                    yield each.filename.partition("/")[2] if is_sdist else each.filename, archive.read(each)
    else:
        with tarfile.open(packed) as archive:
            for member in archive:
                content = archive.extractfile(member) if is_read(member.name) and member.size < LARGEST_FILE else None
                if content:
                    yield member.name.partition("/")[2], content.read()


def is_read(path: str) -> bool:
    name = path.rpartition("/")[2]
    inner = path.split("/")[1:-1]
    return name in {"METADATA", "PKG-INFO", "pyproject.toml"} or (
        name.endswith(".py") and NOT_SHIPPED.isdisjoint(inner)
    )


def parse_source(texts: dict[str, bytes]) -> Source:
    source = Source([each for line in list_requirements(texts) if (each := parse_requirement(line))])
    for path, text in texts.items():
        if path.endswith(".py"):
            try:
                source.files[path] = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError):
                continue
    return source


def list_requirements(texts: dict[str, bytes]) -> list[str]:
    """Return what a release requires: by its metadata, or by its project file where an sdist's metadata do not tell."""
    for path, text in sorted(texts.items(), key=lambda item: item[0].count("/")):
        if path.endswith((".dist-info/METADATA", "PKG-INFO")):
            lines: list[str] = HeaderParser().parsestr(text.decode(errors="replace")).get_all("Requires-Dist", [])
            if lines:
                return lines
    match tomllib.loads(texts.get("pyproject.toml", b"").decode()):
        case {"project": {"dependencies": [*lines]}}:
            return list(map(str, lines))
        case _:
            return []


def parse_requirement(line: str) -> Requirement | None:
    """Return a requirement that everybody gets; None for one of an extra or of another system."""
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return None
    context = {"extra": "", "python_version": PYTHON, "python_full_version": f"{PYTHON}.0"}
    return requirement if requirement.marker is None or requirement.marker.evaluate(context) else None


# --- Reporting ------------------------------------------------------------------------------------------------------


def list_known() -> Sequence[str]:
    """Return the servers that other scripts name."""
    table = tomllib.loads((HERE / "published_servers.toml").read_text(encoding="utf-8"))
    names = [*(name for group in GROUPS.values() for name in group), *(row["name"] for row in table["server"])]
    return sorted(set(map(canonicalize_name, names)))


def draw_names(number: int, known: Iterable[str]) -> Sequence[str]:
    """Return so many names of the index that have the word "mcp" in them, as if at random."""
    listed = re.findall(r'href="[^"]*?([^"/]+)/"', read(f"{choose_index().rstrip('/')}/").decode())
    names = {name for each in listed if "mcp" in (name := canonicalize_name(each)).split("-")}
    return sorted(names - set(known), key=lambda name: hashlib.sha256(name.encode()).digest())[:number]


def print_table(title: str, verdicts: list[Verdict]) -> None:
    servers = [each for each in verdicts if each.kind]
    print(f"\n{title}: {len(verdicts)} names, {len(servers)} servers.\n")
    print("| era | servers | taken before | taken now |\n|---|--:|--:|--:|")
    for label in sorted({each.label for each in servers}):
        print_row(label, [each for each in servers if each.label == label])
    print_row("all", servers)
    for note, number in Counter(each.note for each in verdicts if each.note).most_common():
        print(f"Not counted, {note}: {number}.")


def print_row(label: str, servers: list[Verdict]) -> None:
    counts = sum(each.was_taken for each in servers), sum(each.era is not None for each in servers)
    cells = [f"{count} ({count / len(servers):.1%})" if label == "all" else str(count) for count in counts]
    print(f"| {label} | {len(servers)} | {' | '.join(cells)} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=400, help="how many names to draw (default: 400)")
    parser.add_argument("--each", action="store_true", help="print every name as well")
    given = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", SyntaxWarning)  # Of other people's strings.
    known = list_known()
    for title, names in {"Known": known, "At random": draw_names(given.random, known)}.items():
        with ThreadPoolExecutor(8) as pool:
            verdicts = list(pool.map(judge, names))
        for each in verdicts if given.each else ():
            print(each.name, each.label if each.kind else each.note, each.release, "taken" if each.era else "not taken")
        print_table(title, verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
