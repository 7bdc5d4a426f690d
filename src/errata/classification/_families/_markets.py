"""Markets and money: exchanges, brokers, banks, payment providers."""

from errata.classification._answer import Classification, Otherwise, Table, first
from errata.classification._families._connection import by_what_broke
from errata.classification._families._replies import Words, by_reply
from errata.model import Code, Retry

_by_status = by_reply(said_at=())

# fmt: off
_BINANCE: Words = {
    "-1002": Code.UNAUTHORIZED, "-2014": Code.UNAUTHORIZED, "-2015": Code.UNAUTHORIZED, "-1022": Code.UNAUTHORIZED,
    "-1003": Code.RATE_LIMITED, "-1015": Code.RATE_LIMITED, "-1034": Code.RATE_LIMITED,
    "-1006": Code.UPSTREAM_ERROR, "-1007": Code.TIMEOUT, "-1001": Code.SERVICE_UNAVAILABLE, "-1008": Code.SERVICE_UNAVAILABLE,
    "-1102": Code.MISSING_REQUIRED_FIELD, "-1105": Code.MISSING_REQUIRED_FIELD,
    "-1121": Code.NOT_FOUND, "-2011": Code.NOT_FOUND, "-2013": Code.NOT_FOUND,
    "-2018": Code.INSUFFICIENT_BALANCE, "-2019": Code.INSUFFICIENT_BALANCE, "-3041": Code.INSUFFICIENT_BALANCE,
    "-2010": Code.BUSINESS_RULE_VIOLATION,  # The order was rejected.
}
_PLAID: Words = {
    "invalid_access_token": Code.UNAUTHORIZED,
    "invalid_api_keys": Code.UNAUTHORIZED,
    "item_login_required": Code.UNAUTHORIZED,
    "item_not_found": Code.NOT_FOUND,
    "missing_fields": Code.MISSING_REQUIRED_FIELD,
    "product_not_ready": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "institution_down": Code.SERVICE_UNAVAILABLE,
    "institution_not_responding": Code.SERVICE_UNAVAILABLE,
    "internal_server_error": Code.UPSTREAM_ERROR,
    "planned_maintenance": Code.SERVICE_UNAVAILABLE,
    "rate_limit_exceeded": Code.RATE_LIMITED,
}

TABLE: Table = {
    # Nothing was placed where an exchange says NetworkError, except that a time-out leaves it open.
    "ccxt.base.errors.AccountNotEnabled": Code.FORBIDDEN,
    "ccxt.base.errors.AccountSuspended": Code.FORBIDDEN,
    "ccxt.base.errors.AddressPending": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "ccxt.base.errors.ArgumentsRequired": Code.MISSING_REQUIRED_FIELD,
    "ccxt.base.errors.AuthenticationError": Code.UNAUTHORIZED,
    "ccxt.base.errors.BadRequest": Code.INVALID_PARAMS,
    "ccxt.base.errors.BadResponse": Code.UPSTREAM_ERROR,
    "ccxt.base.errors.BadSymbol": Code.NOT_FOUND,
    "ccxt.base.errors.BaseError": Otherwise(Code.UPSTREAM_ERROR),
    "ccxt.base.errors.CancelPending": Code.CONFLICT,
    "ccxt.base.errors.ChecksumError": Code.UPSTREAM_ERROR,
    "ccxt.base.errors.ContractUnavailable": Code.OPERATION_NOT_ALLOWED,
    "ccxt.base.errors.DDoSProtection": Code.RATE_LIMITED,
    "ccxt.base.errors.DuplicateOrderId": Code.DUPLICATE_OPERATION,
    "ccxt.base.errors.ExchangeClosedByUser": Code.CANCELLED,
    "ccxt.base.errors.ExchangeNotAvailable": Code.SERVICE_UNAVAILABLE,
    "ccxt.base.errors.InsufficientFunds": Code.INSUFFICIENT_BALANCE,
    "ccxt.base.errors.InvalidAddress": Code.INVALID_PARAMS,
    "ccxt.base.errors.InvalidNonce": Classification(Code.CONFLICT, Retry.SAME_CALL),
    "ccxt.base.errors.InvalidOrder": Code.VALIDATION_FAILED,
    "ccxt.base.errors.InvalidProxySettings": Code.CONFIGURATION_ERROR,
    "ccxt.base.errors.ManualInteractionNeeded": Code.OPERATION_NOT_ALLOWED,
    "ccxt.base.errors.MarginModeAlreadySet": Code.DUPLICATE_OPERATION,
    "ccxt.base.errors.MarketClosed": Code.OPERATION_NOT_ALLOWED,
    "ccxt.base.errors.NetworkError": first(by_what_broke, Code.NETWORK_ERROR),
    "ccxt.base.errors.NoChange": Code.DUPLICATE_OPERATION,
    "ccxt.base.errors.NotSupported": Code.NOT_IMPLEMENTED,
    "ccxt.base.errors.NullResponse": Code.UPSTREAM_ERROR,
    "ccxt.base.errors.OnMaintenance": Code.SERVICE_UNAVAILABLE,
    "ccxt.base.errors.OperationRejected": Code.OPERATION_NOT_ALLOWED,
    "ccxt.base.errors.OrderImmediatelyFillable": Code.BUSINESS_RULE_VIOLATION,
    "ccxt.base.errors.OrderNotCached": Code.NOT_FOUND,
    "ccxt.base.errors.OrderNotFillable": Code.BUSINESS_RULE_VIOLATION,
    "ccxt.base.errors.OrderNotFound": Code.NOT_FOUND,
    "ccxt.base.errors.PermissionDenied": Code.FORBIDDEN,
    "ccxt.base.errors.RateLimitExceeded": Code.RATE_LIMITED,
    "ccxt.base.errors.RequestTimeout": Code.TIMEOUT,
    "ccxt.base.errors.RestrictedLocation": Code.FORBIDDEN,
    "alpaca.common.exceptions.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "alpaca.common.exceptions.RetryException": Code.SERVICE_UNAVAILABLE,
    "alpaca_trade_api.rest.APIError": first(_by_status, Code.UPSTREAM_ERROR),
    "binance.exceptions.BinanceAPIException": first(by_reply(_BINANCE, word_at=(("code",),), said_at=(("message",),)), Code.UPSTREAM_ERROR),
    "binance.exceptions.BinanceOrderException": Code.VALIDATION_FAILED,
    "binance.exceptions.BinanceRequestException": Code.SERIALIZATION_ERROR,
    "yfinance.exceptions.YFDataException": Otherwise(Code.UPSTREAM_ERROR),
    "yfinance.exceptions.YFInvalidPeriodError": Code.INVALID_PARAMS,
    "yfinance.exceptions.YFNotImplementedError": Code.NOT_IMPLEMENTED,
    "yfinance.exceptions.YFRateLimitError": Code.RATE_LIMITED,
    "yfinance.exceptions.YFTickerMissingError": Code.NOT_FOUND,

    "Adyen.exceptions.AdyenAPIAuthenticationError": Code.UNAUTHORIZED,
    "Adyen.exceptions.AdyenAPICommunicationError": first(_by_status, Code.NETWORK_ERROR),
    "Adyen.exceptions.AdyenAPIInvalidPermission": Code.FORBIDDEN,
    "Adyen.exceptions.AdyenAPIUnprocessableEntity": Code.VALIDATION_FAILED,
    "Adyen.exceptions.AdyenAPIValidationError": Code.VALIDATION_FAILED,
    "Adyen.exceptions.AdyenInvalidRequestError": Code.INVALID_REQUEST,
    "braintree.exceptions.authentication_error.AuthenticationError": Code.UNAUTHORIZED,
    "braintree.exceptions.authorization_error.AuthorizationError": Code.FORBIDDEN,
    "braintree.exceptions.configuration_error.ConfigurationError": Code.CONFIGURATION_ERROR,
    "braintree.exceptions.invalid_signature_error.InvalidSignatureError": Code.UNAUTHORIZED,
    "braintree.exceptions.not_found_error.NotFoundError": Code.NOT_FOUND,
    "braintree.exceptions.server_error.ServerError": Code.UPSTREAM_ERROR,
    "braintree.exceptions.too_many_requests_error.TooManyRequestsError": Code.RATE_LIMITED,
    "braintree.exceptions.upgrade_required_error.UpgradeRequiredError": Code.CONFIGURATION_ERROR,
    "paypalrestsdk.exceptions.ConnectionError": first(_by_status, by_what_broke, Code.NETWORK_ERROR),  # The base of them all
    "paypalrestsdk.exceptions.MissingConfig": Code.CONFIGURATION_ERROR,
    "paypalrestsdk.exceptions.MissingParam": Code.MISSING_REQUIRED_FIELD,
    "plaid.exceptions.ApiException": first(by_reply(_PLAID, always=_PLAID, word_at=(("body", "error_code"),), said_at=(("body", "error_message"), ("reason",))), Code.UPSTREAM_ERROR),
    "razorpay.errors.BadRequestError": Code.INVALID_PARAMS,
    "razorpay.errors.GatewayError": Code.UPSTREAM_ERROR,
    "razorpay.errors.ServerError": Code.UPSTREAM_ERROR,
    "razorpay.errors.SignatureVerificationError": Code.UNAUTHORIZED,
}
# fmt: on
