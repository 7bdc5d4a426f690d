"""What the tools of the examples tell a client about themselves before they are called."""

from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False)
MAKES = ToolAnnotations(read_only_hint=False, destructive_hint=False)  # Whether two of it do harm, its user knows.
CHANGES = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)
CHANGES_EACH_TIME = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)
