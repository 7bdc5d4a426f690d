"""What error messages and class names mean, as phrases; the first row that fits wins.

Three tables, in this order: our sharper rows, 003's provider table, 003's common table. The sharper rows take back
what 003's order gets wrong and add what it misses; each group says why it is where it is. 003's words stand in
003's order, but match where they mean something: as whole words (`ENOTFOUND` is not in `FileNotFoundError`, and an
invalidated cache is not `invalid`). How a phrase is written is told in `_matcher.py`.
"""

from typing import NamedTuple

from errata._taxonomy import Code, Retry


class Pattern(NamedTuple):
    """One row: what it means if one of the phrases is there."""

    code: Code | None
    """None: what the HTTP status in the phrase stands for."""
    phrases: tuple[str, ...]
    retry: Retry | None = None
    retry_after_ms: int | None = None


_C = Code
_SAME, _NEVER = Retry.SAME_CALL, Retry.NEVER

# fmt: off
SHARPER = (
    # A crash quotes names of the program, and any word can be a name: nothing else in such a text counts.
    Pattern(_C.INTERNAL_ERROR, (
        "assertion failed", "assertionerror", "before initialization", "cannot destructure", "cannot read properties",
        "cannot read property", "index out of bounds", "is not a constructor", "is not a function", "is not defined",
        "is not iterable", "list index out of range", "maximum call stack", "maximum recursion", "nil pointer",
        "non exhaustive", "null pointer", "nullpointerexception", "object has no attribute", "panic", "panicked",
        "segmentation fault", "stack overflow", "unhandled exception", "unreachable code",
    )),
    # A limit on calls names what was limited, often with words of the rows below ("unauthorized clients").
    Pattern(_C.RATE_LIMITED, (
        "api limit", "enhance your calm", "exceeded … quota", "exceeds … quota", "flood wait", "insufficient quota",
        "limit reached", "over quota", "quota exceeded", "quota exhausted", "quota reached", "rate exceeded",
        "rate limit", "rate limited", "rate limiting", "rate limits", "ratelimit", "ratelimited",
        "request limit exceeded", "request rate", "requests per day", "requests per minute", "requests per second",
        "resource exhausted", "resource has been exhausted", "slow down", "slowdown", "throttle", "throttled",
        "throttling", "tokens per minute", "too many attempts", "too many calls", "too many login attempts",
        "too many requests", "toomanyrequests", "usage limit",
    )),
    # A key that is not accepted arrives as 400, 401 and 403, and in texts that say "invalid".
    Pattern(_C.UNAUTHORIZED, (
        "access denied for user", "account inactive", "api key expired", "api key has expired", "api key is invalid",
        "api key is not valid", "api key not found", "api key not valid", "api key was not found", "auth error",
        "auth failed", "auth required", "authentication error", "authentication failed", "authentication failure",
        "authentication is required", "authentication required", "authentication unsuccessful", "bad api key",
        "bad credentials", "bad token", "cannot authenticate", "could not authenticate", "credentials are invalid",
        "credentials expired", "credentials have expired", "expired token", "expiredtoken", "failed to authenticate",
        "incorrect api key", "incorrect credentials", "incorrect password", "invalid access token", "invalid api key",
        "invalid apikey", "invalid auth", "invalid authentication", "invalid bearer token", "invalid client",
        "invalid credential", "invalid credentials", "invalid grant", "invalid jwt", "invalid login", "invalid oauth",
        "invalid password", "invalid refresh token", "invalid session", "invalid signature", "invalid user credentials",
        "invalid username", "invalid x api key", "jwt invalid", "jwt malformed", "log in again", "login failed",
        "login required", "logon failed", "missing authentication", "missing authorization header",
        "missing bearer token", "must be logged in", "must log in", "must sign in", "no auth token", "noauth",
        "not authed", "not authenticated", "not logged in", "password authentication failed", "please log in",
        "please login", "please sign in", "requires authentication", "session expired", "session has expired",
        "session is invalid", "sign in again", "signature does not match", "signature expired", "signature has expired",
        "signature verification failed", "signaturedoesnotmatch", "token expired", "token has been revoked",
        "token has expired", "token is expired", "token is invalid", "token is not valid", "token revoked",
        "token was revoked", "unable to authenticate", "unauthenticated", "unknown api key", "wrong api key",
        "wrong credentials", "wrong password", "wrongpass",
    )),
    # The server's own settings. "is not set" would otherwise be validation, a missing variable NOT_FOUND.
    Pattern(_C.CONFIGURATION_ERROR, (
        "api key is missing", "api key is not set", "api key is required", "api key not provided", "api key not set",
        "api key required", "bad configuration", "cannot find module", "config error", "config file not found",
        "configuration error", "configuration file not found", "configuration is missing", "could not find credentials",
        "could not resolve credentials", "credentials not found", "credentials were not found",
        "default credentials … not found", "env var … missing", "env var … not set", "environment variable … missing",
        "environment variable … must", "environment variable … not found", "environment variable … not set",
        "environment variable … required", "environment variables … not set", "improperly configured",
        "invalid configuration", "is misconfigured", "misconfiguration", "misconfigured", "missing api key",
        "missing configuration", "missing credentials", "missing env", "missing environment variable",
        "missing environment variables", "missing required environment variable",
        "missing required environment variables", "must set … environment variable", "no api key", "no credentials",
        "no module named", "no such module", "not configured", "set the … environment variable",
        "setting the … environment variable", "unable to locate credentials",
    )),
    # TLS: repeating will not mend a certificate.
    Pattern(_C.NETWORK_ERROR, (
        "altnames", "bad certificate", "cert authority invalid", "certificate error", "certificate expired",
        "certificate has expired", "certificate is not trusted", "certificate is not valid",
        "certificate is not yet valid", "certificate is valid for", "certificate not trusted", "certificate required",
        "certificate signed by unknown authority", "certificate unknown", "certificate verification failed",
        "certificate verify failed", "depth zero self signed cert", "hostname does not match", "hostname doesn't match",
        "hostname mismatch", "self signed certificate", "selfsigned certificate", "ssl error", "ssl handshake",
        "sslerror", "sslv3 alert", "tls error", "tls handshake", "unable to get issuer certificate",
        "unable to get local issuer certificate", "unknown ca", "unsupported protocol version",
        "verify the first certificate", "wrong version number",
    ), _NEVER),
    # The name server is asked to try again; then, a name that nobody has.
    Pattern(_C.NETWORK_ERROR, (
        "dns timeout", "eai again", "server misbehaving", "servfail", "temporary failure in name resolution",
    ), _SAME),
    Pattern(_C.NETWORK_ERROR, (
        "could not resolve host", "could not resolve hostname", "could not translate host name",
        "couldn't resolve host", "eai noname", "enotfound", "failed to resolve", "getaddrinfo", "getaddrinfo failed",
        "host not found", "hostname not found", "name not resolved", "name or service not known", "name resolution",
        "no address associated with hostname", "no such host", "nodename nor servname", "nxdomain", "unknown host",
        "unknownhostexception",
    ), _NEVER),
    # Nobody took the call, so it was not processed.
    Pattern(_C.NETWORK_ERROR, (
        "actively refused", "all connection attempts failed", "can't connect to", "cannot connect to",
        "cannot connect to host", "cannot connect to server", "cannot connect to the docker daemon",
        "connect call failed", "connection attempts failed", "connection refused", "connectionrefused",
        "connectionrefusederror", "could not connect to", "could not connect to server", "couldn't connect to server",
        "econnrefused", "ehostdown", "ehostunreach", "enetdown", "enetunreach", "err connection refused",
        "failed to connect to", "failed to establish a new connection", "host is down", "host is unreachable",
        "host unreachable", "network is down", "network is unreachable", "network unreachable", "no brokers available",
        "no connection could be made", "no connection established", "no route to host", "no servers available",
        "unable to connect to", "upstream connect error",
    ), _SAME),
    # It broke on the way, and nobody knows what the other side did.
    Pattern(_C.NETWORK_ERROR, (
        "broken pipe", "brokenpipeerror", "connection aborted", "connection broken", "connection closed",
        "connection dropped", "connection error", "connection failed", "connection failure", "connection interrupted",
        "connection is closed", "connection lost", "connection reset", "connection terminated",
        "connection was aborted", "connection was closed", "connection was terminated", "connectionerror",
        "connectionreset", "connectionreseterror", "econnaborted", "econnreset", "enetreset",
        "eof occurred in violation", "epipe", "failed to fetch", "fetch failed", "incomplete chunked",
        "incomplete message", "incomplete read", "incompleteread", "lost connection", "network error",
        "network failure", "network request failed", "other side closed", "payload is not completed",
        "peer closed connection", "premature close", "premature end", "remote end closed", "remotedisconnected",
        "reset by peer", "server closed the connection", "server closed … connection", "server disconnected",
        "server has gone away", "socket closed", "socket disconnected", "socket error", "socket hang up",
        "stream closed", "stream was reset", "transport error", "unexpected end of stream", "unexpected eof",
        "websocket … closed",
    )),
    # A failure that the text itself calls temporary, or a store that is full.
    Pattern(_C.SERVICE_UNAVAILABLE, (
        "at capacity", "cannot allocate memory", "clusterdown", "connection slots", "currently loading",
        "currently unavailable", "disk full", "disk is full", "down for maintenance", "election in progress", "emfile",
        "enfile", "enomem", "enospc", "is loading the dataset", "is not ready", "is shutting down", "is starting up",
        "is still loading", "is unavailable", "leader election", "loading redis", "maintenance mode", "masterdown",
        "max retries exceeded", "max retries per request", "maximum retries", "maxretriesperrequest",
        "model is loading", "no available connection", "no healthy upstream", "no leader", "no space left",
        "not leader", "not ready yet", "oom command not allowed", "out of memory", "over capacity", "over loaded",
        "overloaded", "pool exhausted", "pool is exhausted", "pool is full", "pool timeout", "readonly you can't write",
        "scheduled maintenance", "server busy", "server is busy", "server is unavailable", "server too busy",
        "server unavailable", "service is unavailable", "service unavailable", "services are unavailable",
        "serviceunavailable", "system is busy", "temporarily down", "temporarily unavailable",
        "the database system is shutting down", "the database system is starting up", "too many clients",
        "too many connections", "too many open files", "tryagain", "unavailable", "under maintenance",
    )),
    # A status that is said to be one decides more exactly than any word around it: "405 Method Not Allowed", "503 … /permissions".
    Pattern(None, (
        "answered:{status}", "code:{status}", "error code:{status}", "error:{status}", "got:{status}",
        "http code:{status}", "http error:{status}", "http response code:{status}", "http response status:{status}",
        "http status code:{status}", "http status:{status}", "http:{status}", "httperror:{status}", "received:{status}",
        "responded with:{status}", "response code:{status}", "response status code:{status}",
        "response status:{status}", "returned a:{status}", "returned an http:{status}", "returned code:{status}",
        "returned:{status}", "returns:{status}", "status code was:{status}", "status code:{status}",
        "status is:{status}", "status of:{status}", "status:{status}", "statuscode:{status}", "with code:{status}",
        "{status}:bad gateway", "{status}:bad request", "{status}:client error", "{status}:conflict",
        "{status}:content too large", "{status}:error", "{status}:forbidden", "{status}:gateway time out",
        "{status}:gateway timeout", "{status}:gone", "{status}:internal error", "{status}:internal server error",
        "{status}:locked", "{status}:message", "{status}:method not allowed", "{status}:not acceptable",
        "{status}:not found", "{status}:not implemented", "{status}:payload too large", "{status}:payment required",
        "{status}:permission", "{status}:precondition failed", "{status}:quota", "{status}:request entity too large",
        "{status}:request timeout", "{status}:resource", "{status}:response", "{status}:server error",
        "{status}:service temporarily unavailable", "{status}:service unavailable", "{status}:too many requests",
        "{status}:unauthorized", "{status}:unprocessable", "{status}:unsupported media type",
    )),
    # What gRPC calls its statuses, and what they stand for.
    Pattern(_C.CONFLICT, ("failed precondition",)),
    Pattern(_C.CONFLICT, (
        "10 aborted", "could not acquire lock", "could not obtain lock", "could not serialize access",
        "database is locked", "database table is locked", "deadlock", "deadlock detected", "deadlocked",
        "device or resource busy", "ebusy", "lock not available", "lock timeout", "lock wait timeout", "resource busy",
        "resource is busy", "serialization anomaly", "serialization failure", "transaction conflict",
        "transaction contention", "transaction was aborted", "write conflict", "writeconflict",
    ), _SAME),
    Pattern(_C.TIMEOUT, (
        "canceling statement due to statement timeout", "connect timeout", "connection timeout", "deadline exceeded",
        "deadline was exceeded", "esockettimedout", "etimedout", "exceeded … timeout", "gateway timeout",
        "no response from", "no response within", "not respond in time", "query timeout", "read timeout",
        "request timeout", "statement timeout", "statement was canceled due to", "time out", "timed out", "timedout",
        "timeout after", "timeout error", "timeout exceeded", "timeout expired", "timeout of", "timeout reached",
        "timeout waiting", "timeout while", "timeouterror", "timeoutexception", "took too long",
    )),
    Pattern(_C.CANCELLED, (
        "1 cancelled", "canceled by", "cancelled by", "cancelled error", "client closed request", "context canceled",
        "context cancelled", "operation canceled", "operation cancelled", "request canceled", "request cancelled",
        "user canceled", "user cancelled", "was canceled", "was cancelled",
    )),
    # A text that cannot be read in its format. "Unexpected token" and "malformed" are not about credentials.
    Pattern(_C.SERIALIZATION_ERROR, (
        "cannot decode", "cannot deserialize", "cannot parse response", "cannot serialize", "checksum mismatch",
        "circular reference", "circular structure", "codec can't decode", "codec can't encode", "corrupt", "corrupted",
        "could not decode", "could not deserialize", "could not parse response", "decode error", "decode json",
        "decoding error", "decoding json", "deserialization", "encode error", "encoding error",
        "expecting property name", "expecting value", "extra data", "failed to decode", "failed to deserialize",
        "failed to parse", "failed to serialize", "incorrect padding", "invalid json", "invalid utf 8", "invalid xml",
        "invalid yaml", "is not valid json", "json decode", "json decoding", "json parse", "json parsing",
        "jsondecodeerror", "malformed json", "malformed xml", "malformed yaml", "not a gzip", "not a valid json",
        "not a zip", "not json serializable", "not serializable", "not valid json", "not well formed", "parse error",
        "parse json", "parseerror", "parsing error", "parsing json", "serialization error", "syntax error in json",
        "trailing comma", "unable to parse response", "unclosed token", "unexpected content type",
        "unexpected end of data", "unexpected end of file", "unexpected end of input", "unexpected end of json",
        "unexpected mimetype", "unexpected token", "unmarshal", "unserializable", "unterminated string",
    )),
    # It says that somebody may not.
    Pattern(_C.FORBIDDEN, (
        "access denied", "access forbidden", "access is denied", "access to … denied", "accessdenied", "admin only",
        "blocked by policy", "cors", "do not have access", "do not have permission", "do not have the required",
        "does not have access", "does not have permission", "does not have … permission", "does not have … permissions",
        "doesn't have permission", "don't have access", "don't have permission", "eacces", "eperm", "erofs",
        "for admins only", "insufficient access", "insufficient permission", "insufficient permissions",
        "insufficient privilege", "insufficient privileges", "insufficient rights", "insufficient scope",
        "insufficient scopes", "ip not allowed", "is forbidden", "is not permitted", "lacks permission", "lacks role",
        "lacks the permission", "missing permission", "missing permissions", "missing scope", "missing scopes",
        "must be a member", "must be admin", "must be an admin", "must be an administrator", "must be an owner",
        "must be owner of", "must be superuser", "must be the owner", "no permission", "not a member",
        "not allowed for user", "not allowed to", "not an admin", "not authorized to", "not have sufficient",
        "not in allowlist", "not permitted", "not the owner", "not whitelisted", "only administrators", "only admins",
        "only owner", "only owners", "only the owner", "operation not permitted", "operationnotpermitted",
        "permission denied", "permission was denied", "permissiondenied", "permissionerror", "permissions denied",
        "policy violation", "read only file system", "requires admin", "requires permission", "requires permissions",
        "requires … permission", "requires … role", "requires … scope", "row level security", "unauthorizedoperation",
    )),
    # Money.
    Pattern(_C.INSUFFICIENT_BALANCE, (
        "billing hard limit", "card declined", "card was declined", "credit balance is too low", "insufficient balance",
        "insufficient credit", "insufficient credits", "insufficient funds", "no credits", "not enough balance",
        "not enough credits", "out of credits", "payment required", "spending limit",
    )),
    # The thing is not there. It stands before the rows on bad values: "Invalid id: no such user" is about the user.
    Pattern(_C.GONE, (
        "has been deleted", "has been purged", "has been removed", "no longer available", "no longer exists",
        "was deleted", "was removed",
    )),
    Pattern(_C.CONFLICT, (
        "already exist", "already exists", "already in use", "already registered", "already taken", "alreadyexists",
        "being used by", "concurrent modification", "concurrent update", "conflicting", "duplicate entry",
        "duplicate key", "duplicate value", "eexist", "etag mismatch", "has been modified", "in use by",
        "integrity error", "is already", "is not empty", "merge conflict", "modified by another", "optimistic lock",
        "optimistic locking", "out of date", "precondition failed", "resource in use", "stale data", "stale object",
        "still in use", "unique constraint", "unique violation", "uniqueconstraint", "uniqueviolation",
        "version conflict", "version mismatch", "was modified",
    )),
    Pattern(_C.NOT_FOUND, (
        "0 records", "0 results", "0 rows", "can not find", "can't be found", "can't find", "cannot find",
        "cannot locate", "could not find", "could not locate", "couldn't find", "did not exist", "didn't exist",
        "do not exist", "does not exist", "doesn't exist", "doesnotexist", "don't exist", "enoent", "failed to find",
        "is missing from", "is not found", "lookup failed for", "matched 0", "no document", "no entry", "no item",
        "no match", "no matches", "no matching", "no object", "no record", "no records", "no result", "no results",
        "no row was found", "no rows", "no such", "no such file", "non existent", "nonexistent", "not be found",
        "not exist", "not found", "not in the database", "notfound", "returned no data", "unable to find",
        "unable to locate", "unknown account", "unknown branch", "unknown channel", "unknown city",
        "unknown collection", "unknown customer", "unknown database", "unknown document", "unknown entity",
        "unknown file", "unknown id", "unknown index", "unknown issue", "unknown item", "unknown location",
        "unknown model", "unknown namespace", "unknown object", "unknown order", "unknown page", "unknown product",
        "unknown project", "unknown prompt", "unknown record", "unknown repository", "unknown resource",
        "unknown revision", "unknown symbol", "unknown table", "unknown ticket", "unknown tool", "unknown user",
        "unrecognized id", "was not found", "were not found",
    )),
    # The value is refused; the text says which rule it broke.
    Pattern(_C.NOT_IMPLEMENTED, (
        "does not support", "doesn't support", "enosys", "enotsup", "eopnotsupp", "is unsupported", "isn't supported",
        "not implemented", "not supported", "not yet implemented", "notimplementederror", "notsupported",
        "unimplemented", "unsupported operation",
    )),
    Pattern(_C.METHOD_NOT_FOUND, ("no such method", "unknown method")),
    Pattern(_C.MISSING_REQUIRED_FIELD, (
        "can't be blank", "can't be empty", "cannot be blank", "cannot be empty", "cannot be null", "field is required",
        "field required", "is a required property", "is required", "may not be null", "missing arg", "missing argument",
        "missing field", "missing input", "missing mandatory", "missing param", "missing parameter", "missing property",
        "missing required", "missing value", "must be provided", "must be specified", "must be supplied",
        "must not be empty", "must not be null", "must provide", "must specify", "no value provided",
        "not null constraint", "required argument", "required field", "required parameter", "should not be empty",
    )),
    Pattern(_C.VALIDATION_FAILED, (
        "are invalid", "bad argument", "bad value", "cast to … failed", "check constraint", "constraint violation",
        "context length", "contextlength", "did not match", "does not match pattern", "doesn't match pattern",
        "exceed … limit", "exceeded maximum", "exceeded the maximum", "exceeds maximum", "exceeds the",
        "exceeds … limit", "exceeds … maximum", "expected a", "expected an", "expected one of", "expected type",
        "failed validation", "greater than maximum", "illegal argument", "illegalargumentexception", "input should be",
        "invalid argument", "invalid arguments", "invalid date", "invalid email", "invalid enum", "invalid format",
        "invalid id", "invalid input", "invalid parameter", "invalid parameters", "invalid type", "invalid url",
        "invalid uuid", "invalid value", "invalid values", "is invalid", "is negative", "is not a valid",
        "is not of type", "is not one of", "is not valid under", "less than minimum", "maximum context", "must be a",
        "must be after", "must be an", "must be at least", "must be at most", "must be before", "must be between",
        "must be greater", "must be in", "must be in the", "must be larger", "must be less", "must be non negative",
        "must be of type", "must be one of", "must be positive", "must be smaller", "must be unique", "must be valid",
        "must consist of", "must contain", "must end with", "must have", "must match", "must not contain",
        "must not exceed", "must start with", "mutually exclusive", "not a valid", "not within", "out of bounds",
        "out of range", "outofrange", "should be a", "should be an", "should be one of", "too big", "too high",
        "too large", "too long", "too low", "too many characters", "too short", "too small",
        "unexpected keyword argument", "unexpected value", "unknown argument", "unknown field", "unknown option",
        "unknown parameter", "unrecognized argument", "unrecognized arguments", "unrecognized field",
        "unrecognized key", "unsupported value", "validation error", "validation errors", "validation failed",
        "validationerror", "violates", "wrong type", "wrongtype",
    )),
    Pattern(_C.INVALID_REQUEST, (
        "bad request", "badrequest", "method not allowed", "not acceptable", "unsupported media type",
    )),
    # Somebody else's service failed, and says little more.
    Pattern(_C.UPSTREAM_ERROR, (
        "backend error", "backend failed", "bad response", "bad status", "dependency failed", "empty body",
        "empty reply", "empty response", "failed dependency", "internal server error", "internal service error",
        "internalservererror", "invalid http", "invalid response", "malformed response", "protocol error",
        "server error", "unexpected http status", "unexpected response", "unexpected status", "upstream error",
        "upstream failed", "upstream failure", "upstream request failed",
    )),
    Pattern(_C.DATABASE_ERROR, (
        "data error", "database error", "database failure", "file is not a database", "interface error",
        "malformed database", "operational error", "programming error", "query failed", "sql error", "sqlerror",
        "sqlstate",
    )),
)

PROVIDERS = (
    Pattern(_C.RATE_LIMITED, (
        "throttling exception", "throttlingexception", "too many requests exception", "toomanyrequestsexception",
    )),
    Pattern(_C.FORBIDDEN, (
        "access denied", "accessdenied", "accessdeniedexception", "unauthorized operation", "unauthorizedoperation",
    )),
    Pattern(_C.NOT_FOUND, ("resource not found exception", "resourcenotfoundexception")),
    Pattern(None, ("status code {status}",)),
    Pattern(_C.NETWORK_ERROR, ("connection refused", "econnrefused"), _SAME),
    Pattern(_C.TIMEOUT, ("connection timeout", "etimedout")),
    Pattern(_C.CONFLICT, ("duplicate key", "unique constraint")),
    Pattern(_C.VALIDATION_FAILED, ("foreign key constraint",)),
    Pattern(_C.UNAUTHORIZED, ("jwt expired",)),
    Pattern(_C.FORBIDDEN, ("row level security",)),
    Pattern(_C.RATE_LIMITED, ("insufficient quota", "quota exceeded")),
    Pattern(_C.NOT_FOUND, ("model not found",)),
    Pattern(_C.VALIDATION_FAILED, ("context length exceeded",)),
    Pattern(_C.NETWORK_ERROR, ("dns", "enotfound"), _NEVER),
    Pattern(_C.NETWORK_ERROR, ("connection reset", "econnreset")),
)

COMMON = (
    # `not.*logged.*in` is "not logged in" above: three words in one line are no login ("could not be logged … in worker 3").
    Pattern(_C.UNAUTHORIZED, (
        "expired token", "invalid token", "not authorised", "not authorized", "unauthenticated", "unauthorised",
        "unauthorized",
    )),
    # `permission` alone is a noun ("the permission matrix is empty"), and so is `permissions` in a path.
    Pattern(_C.FORBIDDEN, ("access … denied", "forbidden", "not … allowed", "permission error")),
    Pattern(_C.NOT_FOUND, ("couldn't find", "doesn't exist", "no such", "not found")),
    Pattern(_C.VALIDATION_FAILED, (
        "bad request", "invalid", "malformed", "missing arg", "missing field", "missing input", "missing param",
        "missing required", "missing value", "validation", "wrong format",
    )),
    Pattern(_C.CONFLICT, ("already exists", "conflict", "duplicate", "unique constraint")),
    Pattern(_C.RATE_LIMITED, ("rate limit", "throttled", "too many requests")),
    Pattern(_C.TIMEOUT, ("deadline exceeded", "timed out", "timeout")),
    # 003 calls a cancelled call a timeout; here that has a code of its own, and 003's dialect says -32004 for it.
    Pattern(_C.TIMEOUT, ("abort", "aborted")),
    Pattern(_C.CANCELLED, ("canceled", "cancelled")),
    Pattern(_C.SERVICE_UNAVAILABLE, ("bad gateway", "gateway timeout", "service unavailable")),
    Pattern(_C.UPSTREAM_ERROR, ("upstream error",)),
    Pattern(_C.VALIDATION_FAILED, ("schema validation", "zod", "zod error", "zoderror")),
)
# fmt: on

ROWS = (*SHARPER, *PROVIDERS, *COMMON)
