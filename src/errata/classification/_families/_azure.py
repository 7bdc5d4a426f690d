"""Microsoft's clouds: azure-core, what is built on it, and its predecessors."""

from errata.classification._answer import Classification, Otherwise, Rule, RuleResult, Table, first
from errata.classification._carried import by_status, classify_status, read_status
from errata.classification._families._connection import (
    NOT_SENT_IN_TIME,
    REDIRECTS,
    by_network_words,
    by_what_broke,
    held_at,
)
from errata.classification._reach import read_number, read_text
from errata.classification._verdicts import BUG, REFUSED
from errata.model import Code, Retry

_AGAIN = Retry.SAME_CALL

# fmt: off
# Where a service's code says something else than the status it comes with.
_BY_CODE: dict[str, Code | Classification] = {
    "AuthenticationFailed": Code.UNAUTHORIZED,               # 403
    "InvalidAuthenticationInfo": Code.UNAUTHORIZED,          # 400
    "NoAuthenticationInformation": Code.UNAUTHORIZED,
    "ExpiredAuthenticationToken": Code.UNAUTHORIZED,
    "InvalidAuthenticationToken": Code.UNAUTHORIZED,
    "ConditionNotMet": Code.CONFLICT,                        # 412
    "TargetConditionNotMet": Code.CONFLICT,
    "SourceConditionNotMet": Code.CONFLICT,
    "UpdateConditionNotSatisfied": Code.CONFLICT,
    "AppendPositionConditionNotMet": Code.CONFLICT,
    "LeaseIdMissing": Code.CONFLICT,
    "LeaseIdMismatchWithBlobOperation": Code.CONFLICT,
    "LeaseLost": Code.CONFLICT,
    "BlobBeingRehydrated": Classification(Code.CONFLICT, _AGAIN),
    "ContainerBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "QueueBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "TableBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "ShareBeingDeleted": Classification(Code.CONFLICT, _AGAIN),
    "AnotherOperationInProgress": Classification(Code.CONFLICT, _AGAIN),
    "OperationTimedOut": Code.TIMEOUT,                       # 500
    "ServerBusy": Code.SERVICE_UNAVAILABLE,
    "QuotaExceeded": Classification(Code.RATE_LIMITED, Retry.NEVER),  # 409
    "SubscriptionNotFound": Code.CONFIGURATION_ERROR,
    "FeatureVersionMismatch": Code.CONFIGURATION_ERROR,
}
# fmt: on
_PRECONDITION, _RETRY_WITH = 412, 449


def _code(error: BaseException) -> RuleResult:
    """The service's error code, where it says more than the status."""
    word = read_text(error, "error_code") or read_text(error, "error", "code") or read_text(error, "code") or ""
    meant = _BY_CODE.get(word)
    if meant is None:
        return None
    answer = meant if isinstance(meant, Classification) else Classification(meant)
    status = read_status(error)
    wait = None if status is None else classify_status(status, error).retry_after_ms
    return answer._replace(http_status=status, retry_after_ms=wait)


def _status(error: BaseException) -> RuleResult:
    """The HTTP status it carries; 412 is somebody else's change, 449 asks to do it again."""
    status = read_status(error)
    if status == _PRECONDITION:
        return Classification(Code.CONFLICT, http_status=status)
    return Classification(Code.CONFLICT, _AGAIN, status) if status == _RETRY_WITH else by_status(error)


def _as(code: Code) -> Rule:
    """Make a rule for a class whose kind is known, whatever the status it came with."""

    def read(error: BaseException) -> RuleResult:
        return Classification(code, http_status=read_number(error, "status_code"))

    read.__doc__ = f"{code}, with the HTTP status it came with"
    return read


_RESPONSE = first(_code, _status, Code.UPSTREAM_ERROR)
_REQUEST = first(by_what_broke, by_network_words, REFUSED)
_ANSWER = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)

# fmt: off
_CORE: dict[str, Rule | Otherwise] = {
    "AzureError": Otherwise(_ANSWER),
    "HttpResponseError": _RESPONSE,
    "ODataV4Error": _RESPONSE,
    "ServiceRequestError": _REQUEST,                    # "No request was sent", by its documentation.
    "ServiceRequestTimeoutError": NOT_SENT_IN_TIME,
    "ServiceResponseError": _ANSWER,
    "ServiceResponseTimeoutError": Code.TIMEOUT,
    "ClientAuthenticationError": _as(Code.UNAUTHORIZED),  # Also with 400 and 403.
    "ResourceNotFoundError": _as(Code.NOT_FOUND),
    "ResourceExistsError": first(_code, _as(Code.CONFLICT)),
    "ResourceModifiedError": _as(Code.CONFLICT),
    "ResourceNotModifiedError": _as(Code.CONFLICT),
    "TooManyRedirectsError": REDIRECTS,
    "DecodeError": Code.SERIALIZATION_ERROR,
    "IncompleteReadError": Code.NETWORK_ERROR,
    "SerializationError": Code.SERIALIZATION_ERROR,
    "DeserializationError": Code.SERIALIZATION_ERROR,
    "StreamConsumedError": BUG,
    "StreamClosedError": BUG,
    "ResponseNotReadError": BUG,
}
TABLE: Table = {
    **{f"azure.core.exceptions.{name}": rule for name, rule in _CORE.items()},
    "azure.core.polling.base_polling.BadStatus": Code.UPSTREAM_ERROR,
    "azure.core.polling.base_polling.BadResponse": Code.UPSTREAM_ERROR,
    "azure.core.polling.base_polling.OperationFailed": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),
    "azure.identity.CredentialUnavailableError": Code.CONFIGURATION_ERROR,
    "azure.identity.AuthenticationRequiredError": Code.UNAUTHORIZED,
    "azure.storage.blob.PartialBatchErrorException": Classification(Code.UPSTREAM_ERROR, Retry.NEVER),  # Part of it was done.
    "azure.cosmos.exceptions.CosmosHttpResponseError": _RESPONSE,
    "azure.cosmos.exceptions.CosmosAccessConditionFailedError": _as(Code.CONFLICT),
    "azure.cosmos.exceptions.CosmosBatchOperationError": _RESPONSE,
    "azure.cosmos.exceptions.CosmosClientTimeoutError": Code.TIMEOUT,
    "azure.data.tables.TableTransactionError": _RESPONSE,
    "azure.data.tables.RequestTooLargeError": Code.VALIDATION_FAILED,
    "azure.appconfiguration.ResourceReadOnlyError": Code.FORBIDDEN,

    # Messaging.
    "azure.servicebus.exceptions.ServiceBusError": Otherwise(Code.UPSTREAM_ERROR),
    "azure.servicebus.exceptions.ServiceBusConnectionError": Code.NETWORK_ERROR,
    "azure.servicebus.exceptions.ServiceBusCommunicationError": Code.NETWORK_ERROR,
    "azure.servicebus.exceptions.ServiceBusAuthenticationError": Code.UNAUTHORIZED,
    "azure.servicebus.exceptions.ServiceBusAuthorizationError": Code.FORBIDDEN,
    "azure.servicebus.exceptions.ServiceBusServerBusyError": Code.SERVICE_UNAVAILABLE,
    "azure.servicebus.exceptions.ServiceBusQuotaExceededError": Classification(Code.RATE_LIMITED, Retry.NEVER),
    "azure.servicebus.exceptions.OperationTimeoutError": Code.TIMEOUT,
    "azure.servicebus.exceptions.MessagingEntityNotFoundError": Code.NOT_FOUND,
    "azure.servicebus.exceptions.MessagingEntityAlreadyExistsError": Code.CONFLICT,
    "azure.servicebus.exceptions.MessagingEntityDisabledError": Code.CONFLICT,
    "azure.servicebus.exceptions.MessageNotFoundError": Code.NOT_FOUND,
    "azure.servicebus.exceptions.MessageSizeExceededError": Code.VALIDATION_FAILED,
    "azure.servicebus.exceptions.MessageAlreadySettled": BUG,
    "azure.servicebus.exceptions.MessageLockLostError": Code.CONFLICT,
    "azure.servicebus.exceptions.SessionLockLostError": Code.CONFLICT,
    "azure.servicebus.exceptions.SessionCannotBeLockedError": Classification(Code.CONFLICT, _AGAIN),
    "azure.eventhub.exceptions.EventHubError": Otherwise(Code.UPSTREAM_ERROR),
    "azure.eventhub.exceptions.ConnectError": REFUSED,
    "azure.eventhub.exceptions.ConnectionLostError": Code.NETWORK_ERROR,
    "azure.eventhub.exceptions.AuthenticationError": Code.UNAUTHORIZED,
    "azure.eventhub.exceptions.EventDataSendError": Code.VALIDATION_FAILED,
    "azure.eventhub.exceptions.OperationTimeoutError": Code.TIMEOUT,
    "azure.eventhub.exceptions.OwnershipLostError": Code.CONFLICT,

    # Signing in.
    "msal.exceptions.MsalError": Code.UNAUTHORIZED,
    "msal.managed_identity.ManagedIdentityError": Code.CONFIGURATION_ERROR,
    "msal.oauth2cli.oauth2.BrowserInteractionTimeoutError": Code.TIMEOUT,
    "msal.oauth2cli.oidc.IdTokenError": Code.UNAUTHORIZED,
    "msal_extensions.filelock.LockError": Classification(Code.CONFLICT, _AGAIN),
    "adal.adal_error.AdalError": Code.UNAUTHORIZED,

    # Before azure-core.
    "msrest.exceptions.ClientException": Otherwise(first(held_at("inner_exception"), Code.UPSTREAM_ERROR)),
    "msrest.exceptions.HttpOperationError": _RESPONSE,
    "msrest.exceptions.ClientRequestError": first(held_at("inner_exception"), _ANSWER),
    "msrest.exceptions.AuthenticationError": Code.UNAUTHORIZED,
    "msrest.exceptions.TokenExpiredError": Code.UNAUTHORIZED,
    "msrest.exceptions.ValidationError": Code.INVALID_PARAMS,
    "msrest.exceptions.SerializationError": Code.SERIALIZATION_ERROR,
    "msrest.exceptions.DeserializationError": Code.SERIALIZATION_ERROR,
    "msrestazure.azure_exceptions.CloudError": _RESPONSE,
    "azure.common.AzureHttpError": _RESPONSE,
    "azure.common.AzureException": Otherwise(Code.UPSTREAM_ERROR),
}
# fmt: on
