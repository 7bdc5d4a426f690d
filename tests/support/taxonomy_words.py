"""The fifteen words of the dialect `taxonomy`, and what its table says to do about each."""

RECOVERY_MAP = {
    "RATE_LIMITED": ["wait_and_retry", "use_cached_data"],
    "CIRCUIT_OPEN": ["use_fallback_service", "check_service_status"],
    "TIMEOUT": ["retry_with_timeout", "reduce_request_scope"],
    "VALIDATION_FAILED": ["check_input_format", "get_schema_info"],
    "NOT_FOUND": ["verify_resource_id", "list_available_resources"],
    "UNAUTHORIZED": ["refresh_token", "reauthenticate"],
    "FORBIDDEN": ["check_permissions", "escalate_to_human"],
    "INVALID_INPUT": ["check_input_format", "get_schema_info"],
    "INTERNAL_ERROR": ["retry_once", "contact_support"],
    "SERVICE_UNAVAILABLE": ["wait_and_retry", "use_fallback"],
    "DEPENDENCY_FAILED": ["use_fallback_service", "retry_later"],
    "BUSINESS_RULE_VIOLATION": ["review_business_rules", "escalate_to_human"],
    "INSUFFICIENT_BALANCE": ["check_balance", "add_funds"],
    "DUPLICATE_OPERATION": ["get_existing_result", "skip_operation"],
    "OPERATION_NOT_ALLOWED": ["check_permissions", "escalate_to_human"],
}
