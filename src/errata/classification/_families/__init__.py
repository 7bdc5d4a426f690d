"""What is known of the exceptions of libraries, family by family: plain rows in a text file, readers in a module."""

from errata.classification._exception_rules import Table
from errata.classification._families import (
    _aws,
    _document_stores,
    _formats,
    _google,
    _http_clients,
    _infrastructure,
    _language_models,
    _mcp_sdks,
    _messaging,
    _other_clouds,
    _processes,
    _pydantic,
    _python,
    _remote_hosts,
    _rows,
    _security,
    _sql_drivers,
    _sql_servers,
    _tasks,
    _validation,
    _web_services,
)

GENERAL = _python.GENERAL
PEP249 = _sql_drivers.PEP249
by_arguments, by_fields, by_rules = _pydantic.by_arguments, _pydantic.by_fields, _validation.by_rules


def _join(family: str, *readers: Table) -> Table:
    """Return the table of a family: its rows that read something, and the plain ones of its text file."""
    table = _rows.read_rows(family)
    for each in readers:
        table.update(each)
    return table


FAMILIES: dict[str, Table] = {
    "Python": _python.TABLE,
    "HTTP clients": _join("http_clients", _http_clients.TABLE),
    "AWS": _join("aws", _aws.TABLE),
    "Google and gRPC": _join("google", _google.TABLE),
    "Azure and other clouds": _join("other_clouds", _other_clouds.TABLE),
    "programs, tasks and retries": _join("tasks", _processes.TABLE, _tasks.TABLE),
    "MCP": _join("mcp_sdks", _mcp_sdks.TABLE),
    "language models": _join("language_models", _language_models.TABLE),
    "web services": _join("web_services", _web_services.TABLE),
    "validation": _join("validation", _validation.TABLE),
    "formats": _join("formats", _formats.TABLE),
    "computing": _join("computing", _formats.COMPUTING),
    "security": _join("security", _security.TABLE),
    "databases": _join("databases", _sql_drivers.TABLE, _sql_servers.TABLE, _document_stores.TABLE),
    "infrastructure": _join("infrastructure", _infrastructure.TABLE, _messaging.TABLE, _remote_hosts.TABLE),
}
"""The tables by the name of their family."""
