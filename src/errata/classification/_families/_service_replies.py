"""The words and numbers that services have for their failures. What is not here is read as words in general are."""

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from errata.classification._carried import classify_status, read_status
from errata.classification._exception_rules import Classification, Reader
from errata.classification._foreign import peek, read_number, read_text
from errata.model import Code, Retry

FieldPath: TypeAlias = tuple[str, ...]
Vocabulary: TypeAlias = Mapping[str, Code | Classification]

_VAGUE = (None, 400)
_FOR_LEGAL_REASONS = 451
_LONGEST_BODY = 50_000
_NO_MESSAGE = ("<", "{")  # A page, or data that nobody took apart
_NO_WORDS: Vocabulary = {}
_BODY = (("body", "error", "message"), ("body", "message"), ("body", "detail"), ("body", "error"))


def by_reply(  # noqa: PLR0913 - each says where one part of the reply is.
    words: Vocabulary = _NO_WORDS,
    *,
    always: Vocabulary = _NO_WORDS,
    word_at: tuple[FieldPath, ...] = (),
    text_at: tuple[FieldPath, ...] = _BODY,
    status_at: tuple[FieldPath, ...] = (),
    again: frozenset[int] = frozenset(),
) -> Reader:
    """Make a rule of a service's words, and of where its SDK puts word, message and status.

    The statuses in `again` are those that the SDK itself repeats.
    """

    def read(error: BaseException) -> Classification | None:
        status = next((at for path in status_at if (at := read_number(error, *path))), None) or read_status(error)
        reply = _Reply(error, _parse_body(error))
        spoken = [word.lower() for path in word_at if (word := reply.word(path))]
        meaning = _find_meaning(always, spoken) or (_find_meaning(words, spoken) if status in _VAGUE else None)
        known = _with_status(meaning, status, error)
        if known is None:
            return None
        if meaning is None and status in again:
            known = known._replace(retry=Retry.SAME_CALL)
        return known._replace(text=known.text or reply.message(text_at))

    read.__doc__ = "The status and the words of the service's reply"
    return read


def by_code_and_reply(code: Code, retry: Retry | None = None, *, text_at: tuple[FieldPath, ...] = _BODY) -> Reader:
    """Make a rule for a class that says it all: this code, with the status and the message of the reply."""

    def read(error: BaseException) -> Classification:
        return Classification(code, retry, read_status(error), text=_Reply(error, _parse_body(error)).message(text_at))

    read.__doc__ = f"{code}, {retry}" if retry else str(code)
    return read


class _Reply(NamedTuple):
    error: BaseException
    body: object

    def word(self, path: FieldPath) -> str | None:
        subject, path = self._start(path)
        number = read_number(subject, *path)
        return read_text(subject, *path) if number is None else str(number)

    def message(self, paths: tuple[FieldPath, ...]) -> str | None:
        texts = (read_text(subject, *path) or "" for subject, path in map(self._start, paths))
        return next((text for text in texts if text and not text.lstrip().startswith(_NO_MESSAGE)), None)

    def _start(self, path: FieldPath) -> tuple[object, FieldPath]:
        return (self.body, path[1:]) if path[0] == "body" else (self.error, path)


def _parse_body(error: BaseException) -> object:
    """Read the body, also where it is still JSON text."""
    body = read_text(error, "body")
    if body is None or not body.startswith("{") or len(body) > _LONGEST_BODY:
        return peek(error, "body")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _find_meaning(words: Vocabulary, spoken: list[str]) -> Classification | None:
    meaning = next((words[word] for word in spoken if word in words), None)
    return Classification(meaning) if isinstance(meaning, Code) else meaning


def _with_status(meaning: Classification | None, status: int | None, error: BaseException) -> Classification | None:
    if meaning is not None:
        return meaning._replace(http_status=status)
    if status is None:
        return None
    known = classify_status(status, error)
    return known._replace(code=Code.FORBIDDEN) if status == _FOR_LEGAL_REASONS else known


_AGAIN = Retry.SAME_CALL

# fmt: off
STRIPE: Vocabulary = {
    # Codes of a request.
    "account_closed": Code.GONE,
    "account_invalid": Code.FORBIDDEN,
    "amount_too_large": Code.VALIDATION_FAILED,
    "amount_too_small": Code.VALIDATION_FAILED,
    "api_key_expired": Code.UNAUTHORIZED,
    "balance_insufficient": Code.INSUFFICIENT_BALANCE,
    "bank_account_exists": Code.CONFLICT,
    "charge_already_captured": Code.DUPLICATE_OPERATION,
    "charge_already_refunded": Code.DUPLICATE_OPERATION,
    "charge_expired_for_capture": Code.OPERATION_NOT_ALLOWED,
    "coupon_expired": Code.GONE,
    "email_invalid": Code.INVALID_FORMAT,
    "idempotency_error": Code.CONFLICT,
    "idempotency_key_in_use": Classification(Code.CONFLICT, _AGAIN),
    "insufficient_funds": Code.INSUFFICIENT_BALANCE,
    "livemode_mismatch": Code.CONFIGURATION_ERROR,
    "lock_timeout": Classification(Code.CONFLICT, _AGAIN),
    "parameter_invalid_empty": Code.MISSING_REQUIRED_FIELD,
    "parameter_missing": Code.MISSING_REQUIRED_FIELD,
    "payment_intent_unexpected_state": Code.OPERATION_NOT_ALLOWED,
    "platform_api_key_expired": Code.UNAUTHORIZED,
    "rate_limit": Code.RATE_LIMITED,
    "resource_already_exists": Code.CONFLICT,
    "resource_missing": Code.NOT_FOUND,
    "secret_key_required": Code.CONFIGURATION_ERROR,
    "testmode_charges_only": Code.OPERATION_NOT_ALLOWED,
    # Why a card was declined. What is not here is the bank's decision, and it gives no reason.
    "approve_with_id": Classification(Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    "authentication_required": Code.UNAUTHORIZED,
    "card_velocity_exceeded": Code.INSUFFICIENT_BALANCE,
    "duplicate_transaction": Code.DUPLICATE_OPERATION,
    "expired_card": Code.VALIDATION_FAILED,
    "incorrect_address": Code.VALIDATION_FAILED,
    "incorrect_cvc": Code.VALIDATION_FAILED,
    "incorrect_number": Code.VALIDATION_FAILED,
    "incorrect_pin": Code.VALIDATION_FAILED,
    "incorrect_zip": Code.VALIDATION_FAILED,
    "invalid_amount": Code.VALIDATION_FAILED,
    "invalid_cvc": Code.VALIDATION_FAILED,
    "invalid_expiry_month": Code.VALIDATION_FAILED,
    "invalid_expiry_year": Code.VALIDATION_FAILED,
    "invalid_number": Code.VALIDATION_FAILED,
    "issuer_not_available": Code.SERVICE_UNAVAILABLE,
    "processing_error": Classification(Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    "reenter_transaction": Classification(Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    "try_again_later": Classification(Code.UPSTREAM_ERROR, Retry.IF_HARMLESS),
    "withdrawal_count_limit_exceeded": Code.INSUFFICIENT_BALANCE,
}

SLACK: Vocabulary = {
    "access_denied": Code.FORBIDDEN,
    "accesslimited": Code.FORBIDDEN,
    "account_inactive": Code.UNAUTHORIZED,
    "already_archived": Code.DUPLICATE_OPERATION,
    "already_in_channel": Code.DUPLICATE_OPERATION,
    "already_pinned": Code.DUPLICATE_OPERATION,
    "already_reacted": Code.DUPLICATE_OPERATION,
    "cant_archive_general": Code.OPERATION_NOT_ALLOWED,
    "cant_delete_file": Code.FORBIDDEN,
    "cant_delete_message": Code.FORBIDDEN,
    "cant_invite": Code.OPERATION_NOT_ALLOWED,
    "cant_invite_self": Code.OPERATION_NOT_ALLOWED,
    "cant_kick_self": Code.OPERATION_NOT_ALLOWED,
    "cant_update_message": Code.FORBIDDEN,
    "channel_is_archived": Code.OPERATION_NOT_ALLOWED,
    "channel_not_found": Code.NOT_FOUND,
    "deprecated_endpoint": Code.GONE,
    "duplicate_channel_not_found": Code.NOT_FOUND,
    "edit_window_closed": Code.OPERATION_NOT_ALLOWED,
    "ekm_access_denied": Code.FORBIDDEN,
    "enterprise_is_restricted": Code.FORBIDDEN,
    "fatal_error": Code.UPSTREAM_ERROR,
    "file_deleted": Code.GONE,
    "file_not_found": Code.NOT_FOUND,
    "internal_error": Code.UPSTREAM_ERROR,
    "invalid_arg_name": Code.INVALID_PARAMS,
    "invalid_arguments": Code.INVALID_PARAMS,
    "invalid_array_arg": Code.INVALID_PARAMS,
    "invalid_auth": Code.UNAUTHORIZED,
    "invalid_blocks": Code.INVALID_PARAMS,
    "invalid_blocks_format": Code.INVALID_PARAMS,
    "invalid_charset": Code.INVALID_REQUEST,
    "invalid_cursor": Code.INVALID_PARAMS,
    "invalid_form_data": Code.INVALID_REQUEST,
    "invalid_json": Code.INVALID_REQUEST,
    "invalid_name": Code.INVALID_PARAMS,
    "invalid_post_type": Code.INVALID_REQUEST,
    "invalid_ts_latest": Code.INVALID_PARAMS,
    "is_archived": Code.OPERATION_NOT_ALLOWED,
    "json_not_object": Code.INVALID_REQUEST,
    "limit_required": Code.MISSING_REQUIRED_FIELD,
    "message_limit_exceeded": Code.RATE_LIMITED,
    "message_not_found": Code.NOT_FOUND,
    "metadata_too_large": Code.VALIDATION_FAILED,
    "method_deprecated": Code.GONE,
    "method_not_supported_for_channel_type": Code.OPERATION_NOT_ALLOWED,
    "missing_charset": Code.INVALID_REQUEST,
    "missing_post_type": Code.INVALID_REQUEST,
    "missing_scope": Code.FORBIDDEN,
    "msg_blocks_too_long": Code.VALIDATION_FAILED,
    "msg_too_long": Code.VALIDATION_FAILED,
    "name_taken": Code.CONFLICT,
    "no_item_specified": Code.MISSING_REQUIRED_FIELD,
    "no_permission": Code.FORBIDDEN,
    "no_reaction": Code.NOT_FOUND,
    "no_text": Code.MISSING_REQUIRED_FIELD,
    "no_user": Code.MISSING_REQUIRED_FIELD,
    "not_allowed_token_type": Code.FORBIDDEN,
    "not_authed": Code.UNAUTHORIZED,
    "not_authorized": Code.FORBIDDEN,
    "not_in_channel": Code.OPERATION_NOT_ALLOWED,
    "org_login_required": Code.UNAUTHORIZED,
    "posting_to_general_channel_denied": Code.FORBIDDEN,
    "rate_limited": Code.RATE_LIMITED,
    "ratelimited": Code.RATE_LIMITED,
    "request_timeout": Code.TIMEOUT,
    "restricted_action": Code.FORBIDDEN,
    "restricted_action_non_threadable_channel": Code.FORBIDDEN,
    "restricted_action_read_only_channel": Code.FORBIDDEN,
    "restricted_action_thread_locked": Code.FORBIDDEN,
    "service_unavailable": Code.SERVICE_UNAVAILABLE,
    "storage_limit_reached": Code.INSUFFICIENT_BALANCE,
    "team_access_not_granted": Code.FORBIDDEN,
    "team_added_to_org": Code.SERVICE_UNAVAILABLE,  # While the workspace is moved
    "team_not_found": Code.NOT_FOUND,
    "thread_not_found": Code.NOT_FOUND,
    "time_in_past": Code.VALIDATION_FAILED,
    "time_too_far": Code.VALIDATION_FAILED,
    "token_expired": Code.UNAUTHORIZED,
    "token_revoked": Code.UNAUTHORIZED,
    "too_many_attachments": Code.VALIDATION_FAILED,
    "too_many_contact_cards": Code.VALIDATION_FAILED,
    "two_factor_setup_required": Code.UNAUTHORIZED,
    "unknown_method": Code.NOT_IMPLEMENTED,
    "user_disabled": Code.OPERATION_NOT_ALLOWED,
    "user_is_bot": Code.OPERATION_NOT_ALLOWED,
    "user_is_restricted": Code.FORBIDDEN,
    "user_not_found": Code.NOT_FOUND,
    "user_not_visible": Code.NOT_FOUND,
    "users_not_found": Code.NOT_FOUND,
}

NOTION: Vocabulary = {
    "invalid_json": Code.PARSE_ERROR,
    "invalid_request": Code.INVALID_REQUEST,
    "invalid_request_url": Code.INVALID_REQUEST,
    "missing_version": Code.CONFIGURATION_ERROR,
    "validation_error": Code.VALIDATION_FAILED,
}

TWILIO: Vocabulary = {
    "20003": Code.UNAUTHORIZED,
    "20008": Code.FORBIDDEN,                # A test credential may not do this.
    "20404": Code.NOT_FOUND,
    "20429": Code.RATE_LIMITED,
    "21211": Code.INVALID_PARAMS,           # Not a phone number
    "21217": Code.INVALID_PARAMS,
    "21408": Code.FORBIDDEN,                # Not enabled for the region
    "21604": Code.MISSING_REQUIRED_FIELD,   # To
    "21602": Code.MISSING_REQUIRED_FIELD,   # Body
    "21603": Code.MISSING_REQUIRED_FIELD,   # From
    "21606": Code.VALIDATION_FAILED,        # Not a number of ours
    "21608": Code.FORBIDDEN,                # A trial account sends to verified numbers only.
    "21610": Code.BUSINESS_RULE_VIOLATION,  # The recipient replied STOP.
    "21611": Code.RATE_LIMITED,             # The queue of the number is full.
    "21614": Code.VALIDATION_FAILED,        # Not a mobile number
    "21617": Code.VALIDATION_FAILED,        # Too long
    "30001": Code.RATE_LIMITED,
    "30002": Code.FORBIDDEN,                # The account is suspended.
    "63038": Code.RATE_LIMITED,             # So many messages a day
}

GOOGLE_MAPS: Vocabulary = {
    "invalid_request": Code.INVALID_PARAMS,
    "max_elements_exceeded": Code.VALIDATION_FAILED,
    "max_waypoints_exceeded": Code.VALIDATION_FAILED,
    "not_found": Code.NOT_FOUND,
    "over_daily_limit": Classification(Code.RATE_LIMITED, Retry.NEVER),
    "over_query_limit": Code.RATE_LIMITED,
    "request_denied": Code.FORBIDDEN,
    "unknown_error": Code.UPSTREAM_ERROR,
    "zero_results": Code.NOT_FOUND,
}

POSTGREST: Vocabulary = {
    "PGRST000": Code.SERVICE_UNAVAILABLE,  # No connection to the database
    "PGRST001": Code.SERVICE_UNAVAILABLE,
    "PGRST002": Code.SERVICE_UNAVAILABLE,
    "PGRST003": Code.TIMEOUT,              # No free connection in time
    "PGRST100": Code.INVALID_PARAMS,
    "PGRST102": Code.INVALID_REQUEST,
    "PGRST116": Code.NOT_FOUND,            # Not exactly one row
    "PGRST200": Code.NOT_FOUND,            # No such relation between tables
    "PGRST202": Code.NOT_FOUND,            # No such function
    "PGRST204": Code.INVALID_PARAMS,       # No such column
    "PGRST205": Code.NOT_FOUND,            # No such table
    "PGRST301": Code.UNAUTHORIZED,
    "PGRST302": Code.UNAUTHORIZED,
    "PGRST303": Code.UNAUTHORIZED,
}

SALESFORCE: Vocabulary = {
    "DUPLICATE_VALUE": Code.CONFLICT,
    "DUPLICATES_DETECTED": Code.CONFLICT,
    "ENTITY_IS_DELETED": Code.GONE,
    "FIELD_CUSTOM_VALIDATION_EXCEPTION": Code.VALIDATION_FAILED,
    "INSUFFICIENT_ACCESS_OR_READONLY": Code.FORBIDDEN,
    "INVALID_SESSION_ID": Code.UNAUTHORIZED,
    "NOT_FOUND": Code.NOT_FOUND,
    "REQUEST_LIMIT_EXCEEDED": Code.RATE_LIMITED,
    "REQUIRED_FIELD_MISSING": Code.MISSING_REQUIRED_FIELD,
    "SERVER_UNAVAILABLE": Code.SERVICE_UNAVAILABLE,
    "STORAGE_LIMIT_EXCEEDED": Code.INSUFFICIENT_BALANCE,
    "UNABLE_TO_LOCK_ROW": Classification(Code.CONFLICT, _AGAIN),
}
# fmt: on
