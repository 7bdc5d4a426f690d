"""ldap3: the result codes of LDAP are its classes, and the client has its own."""

from errata.classification._answer import Classification, Rule, Table, first
from errata.classification._families._connection import by_network_words, by_what_broke
from errata.classification._families._rewording import in_words
from errata.classification._reach import read_text
from errata.classification._verdicts import BUG, LOCKED, REFUSED, TLS, WAIT
from errata.model import Code

_CONNECTION = first(by_what_broke, by_network_words, Code.NETWORK_ERROR)

# fmt: off
_RESULTS: dict[Code | Classification, tuple[str, ...]] = {
    Code.UPSTREAM_ERROR: ("OperationsError", "ProtocolError", "Other", "LoopDetected", "Referral"),
    Code.TIMEOUT: ("TimeLimitExceeded",),
    Code.VALIDATION_FAILED: ("SizeLimitExceeded", "AdminLimitExceeded", "ConstraintViolation", "ObjectClassViolation", "NamingViolation"),
    Code.INVALID_PARAMS: ("InvalidAttributeSyntax", "InvalidDNSyntax", "UndefinedAttributeType", "InappropriateMatching", "LCUPInvalidData", "NotAllowedOnRDN", "ObjectClassModsProhibited"),
    Code.UNAUTHORIZED: ("InvalidCredentials", "StrongerAuthRequired", "InappropriateAuthentication", "AuthorizationDenied"),
    Code.FORBIDDEN: ("InsufficientAccessRights", "LCUPSecurityViolation"),
    Code.OPERATION_NOT_ALLOWED: ("UnwillingToPerform", "AffectMultipleDSAS", "CannotCancel", "TooLate"),
    Code.NOT_FOUND: ("NoSuchObject", "NoSuchAttribute", "NoSuchOperation", "AliasProblem", "AliasDereferencingProblem"),
    Code.CONFLICT: ("EntryAlreadyExists", "AttributeOrValueExists", "NotAllowedOnNotLeaf", "AssertionFailed"),
    LOCKED: ("ESyncRefreshRequired", "LCUPReloadRequired"),
    WAIT: ("Busy", "Unavailable", "LCUPResourcesExhausted"),
    Code.NOT_IMPLEMENTED: ("AuthMethodNotSupported", "UnavailableCriticalExtension", "LCUPUnsupportedScheme"),
    Code.CONFIGURATION_ERROR: ("ConfidentialityRequired",),
    Code.CANCELLED: ("Canceled",),
    Code.INTERNAL_ERROR: ("SASLBindInProgress",),
}
_CLIENT: dict[str, Rule] = {
    "Attribute": BUG, "Bind": Code.UNAUTHORIZED, "Certificate": TLS, "Change": Code.INVALID_PARAMS, "Communication": _CONNECTION, "Configuration": Code.CONFIGURATION_ERROR,
    "ConnectionIsReadOnly": Code.FORBIDDEN, "ConnectionPoolNameIsMandatory": Code.CONFIGURATION_ERROR, "ConnectionPoolNotStarted": BUG, "Control": Code.INVALID_PARAMS,
    "Cursor": BUG, "Extension": Code.INVALID_PARAMS, "Exception": Code.UPSTREAM_ERROR, "Info": Code.CONFIGURATION_ERROR, "InvalidDereferenceAliases": Code.INVALID_PARAMS, "InvalidDn": Code.INVALID_PARAMS,
    "InvalidFilter": Code.INVALID_PARAMS, "InvalidHashAlgorithm": Code.INVALID_PARAMS, "InvalidPort": Code.CONFIGURATION_ERROR, "InvalidScope": Code.INVALID_PARAMS, "InvalidServer": Code.CONFIGURATION_ERROR,
    "InvalidTlsSpecification": Code.CONFIGURATION_ERROR, "InvalidValue": Code.INVALID_PARAMS, "Key": BUG, "LDIF": Code.SERIALIZATION_ERROR, "MaximumRetries": _CONNECTION, "Metrics": BUG,
    "Object": Code.INVALID_PARAMS, "ObjectClass": Code.INVALID_PARAMS, "ObjectDereference": BUG, "PasswordIsMandatory": Code.CONFIGURATION_ERROR, "Referral": _CONNECTION,
    "ResponseTimeout": Code.TIMEOUT, "SASLBindInProgress": BUG, "SASLMechanismNotSupported": Code.NOT_IMPLEMENTED, "SASLPrep": Code.INVALID_PARAMS, "SSLNotSupported": Code.CONFIGURATION_ERROR,
    "Schema": Code.CONFIGURATION_ERROR, "ServerPool": Code.CONFIGURATION_ERROR, "ServerPoolExhausted": WAIT, "SessionTerminatedByServer": Code.NETWORK_ERROR, "SignatureVerificationFailed": TLS,
    "SocketClose": Code.NETWORK_ERROR, "SocketOpen": first(by_what_broke, by_network_words, REFUSED), "SocketReceive": _CONNECTION, "SocketSend": _CONNECTION, "StartTLS": TLS,
    "Transaction": Code.UPSTREAM_ERROR, "UnknownRequest": Code.UPSTREAM_ERROR, "UnknownResponse": Code.UPSTREAM_ERROR, "UserNameIsMandatory": Code.CONFIGURATION_ERROR, "UserNameNotAllowed": Code.CONFIGURATION_ERROR,
}
# fmt: on


def _server_words(error: BaseException) -> str | None:
    """Find the server's message; the exception's text adds the entry and the whole response."""
    return read_text(error, "message") or read_text(error, "description")


TABLE: Table = {
    **{
        f"ldap3.core.exceptions.LDAP{name}Result": in_words(_server_words, said)
        for said, names in _RESULTS.items()
        for name in names
    },
    "ldap3.core.exceptions.LDAPOperationResult": in_words(_server_words, Code.UPSTREAM_ERROR),
    "ldap3.core.exceptions.LDAPException": Code.UPSTREAM_ERROR,
    **{f"ldap3.core.exceptions.LDAP{name}Error": rule for name, rule in _CLIENT.items()},
}
