"""Fetch the sources of published Python MCP servers, for reading and for linting; nothing of them is run or imported.

    python scripts/wild_servers.py                      # both groups into .wild/dev and .wild/heldout
    python scripts/wild_servers.py --group dev --into D # one group into D/dev

They come, by name and version, from the index pip is set up to use. What is there already is left alone, so a second
run costs nothing. `pip download` is no way to do this: it builds each sdist to learn its metadata, which runs it.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version
from pip._internal.models.index import PyPI

HERE = Path(__file__).resolve().parent
TIMEOUT_SECONDS = 60

DEV: Final = {  # Read while the rules are written.
    "alpaca-mcp-server": "2.4.0",
    "arxiv-mcp-server": "0.8.2",
    "awslabs.aws-documentation-mcp-server": "1.2.3",
    "awslabs.cloudwatch-mcp-server": "0.3.1",
    "awslabs.dynamodb-mcp-server": "2.1.8",
    "awslabs.eks-mcp-server": "0.2.1",
    "browser-use": "0.13.14",
    "cratedb-mcp": "0.1.2",
    "duckduckgo-mcp-server": "0.7.0",
    "elevenlabs-mcp": "0.12.2",
    "gmail-mcp": "0.1.3",
    "hass-mcp": "0.6.1",
    "ida-pro-mcp": "1.4.0",
    "keboola-mcp-server": "1.105.1",
    "kubectl-mcp-server": "2.0.0",
    "mcp-atlassian": "0.23.1",
    "mcp-clickhouse": "0.7.0",
    "mcp-gitlab": "0.21.2",
    "mcp-google-sheets": "0.6.3",
    "mcp-kubernetes-server": "0.1.12",
    "mcp-neo4j-cypher": "0.6.0",
    "mcp-pdf": "2026.9.22",
    "mcp-selenium": "1.0.2",
    "mcp-server-apache-airflow": "0.2.10",
    "mcp-server-git": "2026.10.19",
    "mcp-server-qdrant": "0.8.1",
    "mcp-server-sqlite": "2025.4.25",
    "mcp-server-time": "2026.10.19",
    "mcp-shell-server": "1.1.14",
    "mcp-tavily": "0.1.10",
    "mcp-yahoo-finance": "0.2.0",
    "meilisearch-mcp": "0.7.0",
    "mysql-mcp-server": "0.4.4",
    "netbox-mcp": "0.2.1",
    "office-word-mcp-server": "1.1.11",
    "opengenes-mcp": "0.2.0",
    "paper-search-mcp": "0.1.4",
    "prometheus-mcp-server": "1.6.2",
    "redis-mcp-server": "0.5.1",
    "slack-mcp-server": "0.2.1",
    "tradingview-mcp-server": "0.8.1",
    "wikipedia-mcp": "2.0.1",
    "workspace-mcp": "2.2.1",
    "zotero-mcp-server": "0.15.1",
}
HELD_OUT: Final = {  # Read by nobody before the rules are done: the precision is measured here.
    "awslabs.ecs-mcp-server": "0.1.37",
    "awslabs.iam-mcp-server": "1.1.2",
    "awslabs.valkey-mcp-server": "1.1.1",
    "chroma-mcp": "0.2.6",
    "couchbase-mcp-server": "1.0.1.post1",
    "gget-mcp": "0.3.1",
    "k8s-mcp-server": "0.1.0",
    "kagimcp": "1.0.2",
    "logfire-mcp": "0.9.0",
    "mcp-email-server": "1.13.3",
    "mcp-hubspot": "0.1.0",
    "mcp-jira": "0.0.2",
    "mcp-obsidian": "0.2.3",
    "mcp-playwright": "0.1.1",
    "mcp-server-docker": "0.3.0",
    "mcp-server-fetch": "2026.10.24",
    "mcp-server-odoo": "0.9.0",
    "mcp-server-sentry": "2025.1.14",
    "mcp-simple-arxiv": "0.6.0",
    "mcp-snowflake-server": "0.4.0",
    "mcp-weather-server": "0.6.1",
    "mlflow-mcp": "0.4.1",
    "mssql-mcp-server": "1.0.0",
    "notion-mcp": "0.2.2",
    "opensearch-mcp-server-py": "0.12.0",
    "pagerduty-mcp": "1.1.0",
    "playwright-mcp": "0.1.0",
    "polygon-mcp": "0.1.0",
    "postgres-mcp": "0.3.0",
    "proxmox-mcp": "0.1.0",
    "pyghidra-mcp": "0.2.7",
    "python-gitlab-mcp": "1.0.0",
    "semantic-scholar-mcp": "0.4.0",
    "slack-mcp": "0.2.0",
    "snowflake-labs-mcp": "1.4.2",
    "todoist-mcp": "0.4.0",
    "trello-mcp": "1.6.0",
    "yfmcp": "0.14.0",
}
GROUPS: Final = {"dev": DEV, "heldout": HELD_OUT}


@dataclass(frozen=True, slots=True)
class Archive:
    """One file the index offers."""

    name: str
    url: str
    sha256: str | None

    @property
    def is_sdist(self) -> bool:
        """Whether this is source as its author packed it."""
        return not self.name.endswith(".whl")

    @property
    def version(self) -> Version | None:
        """The version in the file's name, or None for what is neither an sdist nor a wheel."""
        try:
            return parse_sdist_filename(self.name)[1] if self.is_sdist else parse_wheel_filename(self.name)[1]
        except (InvalidSdistFilename, InvalidWheelFilename):
            return None


class Links(HTMLParser):
    """The archives on a project's page of a simple index (PEP 503)."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.archives: list[Archive] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the archive that a link leads to."""
        href = dict(attrs).get("href")
        if tag == "a" and href:
            url, fragment = urllib.parse.urldefrag(urllib.parse.urljoin(self.page, href))
            digest = urllib.parse.parse_qs(fragment).get("sha256", [None])[0]
            name = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
            self.archives.append(Archive(name, url, digest))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", choices=GROUPS, action="append", help="only this group (default: all)")
    parser.add_argument("--into", type=Path, default=HERE.parent / ".wild", help="where to (default: .wild)")
    given = parser.parse_args()
    index = choose_index_url()
    failed = [line for group in given.group or GROUPS for line in fetch_group(index, GROUPS[group], given.into / group)]
    for line in failed:
        print(line, file=sys.stderr)
    return 1 if failed else 0


def fetch_group(index: str, group: dict[str, str], into: Path) -> Iterator[str]:
    """Fetch the servers of a group, print what came, and yield a line for each that did not."""
    into.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(8) as pool:
        waiting = {name: pool.submit(fetch, index, name, version, into) for name, version in group.items()}
        for name, task in waiting.items():
            try:
                print(describe(name, task.result()))
            except (OSError, LookupError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
                yield f"FAILED {name}: {error}"


def describe(name: str, home: Path) -> str:
    """Return a line that says how many Python files came."""
    return f"{home.parent.name:8} {name:40} {sum(1 for _ in home.rglob('*.py')):5} Python files"


def fetch(index: str, name: str, version: str, into: Path) -> Path:
    """Unpack a server into a folder of its own, unless it is there, and return the folder."""
    home = into / f"{name}-{version}"
    if not home.exists():
        archive = find(index, name, Version(version))
        with tempfile.TemporaryDirectory(dir=into, prefix=".") as half:
            packed = Path(half, archive.name)
            packed.write_bytes(check_digest(read(archive.url), archive))
            unpack(packed, Path(half, "unpacked"))
            Path(half, "unpacked").rename(home)
    return home


def find(index: str, name: str, version: Version) -> Archive:
    """Return the sdist of a version; the wheel only if there is no sdist."""
    page = f"{index.rstrip('/')}/{canonicalize_name(name)}/"
    links = Links(page)
    links.feed(read(page).decode())
    archives = [archive for archive in links.archives if archive.version == version]
    if not archives:
        raise LookupError(f"the index has no version {version}")
    return max(archives, key=lambda archive: archive.is_sdist)


def check_digest(content: bytes, archive: Archive) -> bytes:
    """Return the content of an archive, if it has the digest the index gives."""
    if archive.sha256 and hashlib.sha256(content).hexdigest() != archive.sha256:
        raise ValueError(f"{archive.name} is not the file the index describes")
    return content


def unpack(packed: Path, into: Path) -> None:
    """Unpack without leaving `into`: neither kind of archive may name a path or a link outside it."""
    if packed.suffix in {".whl", ".zip"}:
        with zipfile.ZipFile(packed) as archive:
            archive.extractall(into)  # noqa: S202 - A ZipFile takes `..` and roots out of names itself.
    else:
        with tarfile.open(packed) as archive:
            archive.extractall(into, filter="data")


def read(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Accept": "text/html, */*;q=0.1"})  # noqa: S310 - The user's index.
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - As above.
        content: bytes = response.read()
    return content


def choose_index_url() -> str:
    """Return the index pip uses: from the environment, else from its configuration, else its own default."""
    return os.environ.get("PIP_INDEX_URL") or read_configured_index_url() or PyPI.simple_url


def read_configured_index_url() -> str | None:
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False)
    return configured.stdout.strip() or None


if __name__ == "__main__":
    raise SystemExit(main())
