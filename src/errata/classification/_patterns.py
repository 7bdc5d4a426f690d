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
        "cannot read property", "cannot read properties", "is not a function", "is not a constructor", "cannot destructure",
        "is not iterable", "is not defined", "maximum call stack", "maximum recursion", "stack overflow", "nil pointer",
        "null pointer", "nullpointerexception", "segmentation fault", "assertion failed", "assertionerror", "object has no attribute",
        "list index out of range", "index out of bounds", "before initialization", "unreachable code",
        "non exhaustive", "panic", "panicked", "unhandled exception",
    )),
    # A limit on calls names what was limited, often with words of the rows below ("unauthorized clients").
    Pattern(_C.RATE_LIMITED, (
        "too many requests", "toomanyrequests", "too many calls", "too many attempts", "too many login attempts", "rate limit", "rate limits",
        "rate limited", "rate limiting", "ratelimit", "ratelimited", "rate exceeded", "request rate", "request limit exceeded", "throttled", "throttling",
        "throttle", "slow down", "slowdown", "quota exceeded", "quota exhausted", "quota reached", "over quota",
        "exceeded … quota", "exceeds … quota", "insufficient quota", "resource exhausted", "resource has been exhausted", "flood wait",
        "requests per minute", "requests per second", "requests per day", "tokens per minute", "limit reached", "api limit", "usage limit",
        "enhance your calm",
    )),
    # A key that is not accepted arrives as 400, 401 and 403, and in texts that say "invalid".
    Pattern(_C.UNAUTHORIZED, (
        "api key not valid", "api key is not valid", "api key is invalid", "api key expired", "api key has expired", "api key not found",
        "api key was not found", "invalid api key", "invalid apikey", "invalid x api key", "incorrect api key", "invalid authentication",
        "wrong api key", "bad api key", "unknown api key", "bad credentials", "invalid credentials", "invalid credential", "incorrect credentials",
        "wrong credentials", "credentials expired", "credentials have expired", "credentials are invalid", "invalid login", "invalid username",
        "invalid user credentials", "invalid password", "incorrect password", "wrong password", "wrongpass", "password authentication failed",
        "authentication failed", "authentication failure", "authentication error", "authentication required", "authentication is required",
        "requires authentication", "authentication unsuccessful",
        "auth failed", "auth error", "auth required", "failed to authenticate", "could not authenticate", "cannot authenticate", "unable to authenticate",
        "not authenticated", "not authed", "noauth", "invalid auth", "account inactive", "login failed", "login required",
        "logon failed", "not logged in", "log in again", "sign in again", "please log in", "please login", "please sign in", "must be logged in", "must log in",
        "must sign in", "session expired", "session has expired", "session is invalid", "token expired", "token has expired", "token is expired",
        "token was revoked", "token revoked", "token has been revoked", "token is invalid", "token is not valid", "expired token",
        "expiredtoken", "bad token", "invalid access token", "invalid bearer token", "invalid refresh token", "invalid session",
        "invalid oauth", "invalid grant", "invalid client", "invalid signature", "signature expired", "signature does not match", "signaturedoesnotmatch",
        "signature has expired", "signature verification failed", "invalid jwt", "jwt invalid", "jwt malformed", "missing bearer token",
        "no auth token", "missing authorization header", "missing authentication", "access denied for user", "unauthenticated",
    )),
    # The server's own settings. "is not set" would otherwise be validation, a missing variable NOT_FOUND.
    Pattern(_C.CONFIGURATION_ERROR, (
        "environment variable … not set", "environment variable … not found", "environment variable … missing", "environment variable … required",
        "environment variable … must", "environment variables … not set", "env var … not set", "env var … missing",
        "missing environment variable", "missing environment variables", "missing required environment variable", "missing required environment variables",
        "missing env", "set the … environment variable", "setting the … environment variable", "must set … environment variable", "not configured", "is misconfigured", "misconfigured", "misconfiguration",
        "improperly configured", "configuration error", "configuration is missing", "missing configuration", "invalid configuration", "bad configuration",
        "config error", "config file not found", "configuration file not found", "api key is missing",
        "missing api key", "no api key", "api key not set", "api key is not set", "api key not provided", "api key is required", "api key required",
        "missing credentials", "no credentials", "unable to locate credentials", "could not find credentials", "could not resolve credentials",
        "default credentials … not found", "credentials were not found", "credentials not found", "no such module", "no module named", "cannot find module",
    )),
    # TLS: repeating will not mend a certificate.
    Pattern(_C.NETWORK_ERROR, (
        "certificate verify failed", "certificate verification failed", "certificate has expired", "certificate is not yet valid", "certificate expired", "certificate required",
        "self signed certificate", "selfsigned certificate", "verify the first certificate", "unable to get local issuer certificate", "unable to get issuer certificate",
        "certificate is not trusted", "certificate not trusted", "certificate signed by unknown authority", "certificate is not valid", "certificate is valid for", "unknown ca",
        "certificate unknown", "bad certificate", "cert authority invalid", "hostname mismatch", "hostname doesn't match", "hostname does not match", "altnames",
        "ssl handshake", "tls handshake", "sslv3 alert", "wrong version number", "unsupported protocol version", "depth zero self signed cert", "sslerror", "ssl error", "tls error", "certificate error",
    ), _NEVER),
    # The name server is asked to try again; then, a name that nobody has.
    Pattern(_C.NETWORK_ERROR, ("eai again", "temporary failure in name resolution", "server misbehaving", "dns timeout", "servfail"), _SAME),
    Pattern(_C.NETWORK_ERROR, (
        "enotfound", "eai noname", "getaddrinfo", "getaddrinfo failed", "name or service not known", "nodename nor servname", "no such host", "could not resolve host",
        "could not resolve hostname", "couldn't resolve host", "failed to resolve", "name resolution", "name not resolved", "no address associated with hostname", "unknown host", "unknownhostexception", "nxdomain",
        "could not translate host name", "hostname not found", "host not found",
    ), _NEVER),
    # Nobody took the call, so it was not processed.
    Pattern(_C.NETWORK_ERROR, (
        "econnrefused", "connection refused", "connectionrefused", "connectionrefusederror", "actively refused", "connect call failed", "no route to host", "ehostunreach", "enetunreach", "ehostdown", "enetdown",
        "network is unreachable", "network unreachable", "host unreachable", "host is unreachable", "network is down", "host is down", "failed to establish a new connection",
        "cannot connect to host", "cannot connect to server", "could not connect to server", "couldn't connect to server", "can't connect to", "could not connect to", "cannot connect to",
        "cannot connect to the docker daemon", "failed to connect to", "unable to connect to", "no servers available", "no brokers available",
        "upstream connect error", "err connection refused", "all connection attempts failed", "connection attempts failed", "no connection established", "no connection could be made",
    ), _SAME),
    # It broke on the way, and nobody knows what the other side did.
    Pattern(_C.NETWORK_ERROR, (
        "econnreset", "connection reset", "connectionreset", "connectionreseterror", "reset by peer", "econnaborted", "connection aborted", "connection was aborted", "epipe", "broken pipe", "brokenpipeerror", "connection closed",
        "connection was closed", "connection is closed", "connection lost", "lost connection", "connection dropped", "connection terminated",
        "connection was terminated", "connection failure", "connection failed", "connection broken", "connection error", "connectionerror", "connection interrupted", "socket hang up", "socket closed", "socket error", "socket disconnected",
        "other side closed", "server disconnected", "server closed the connection", "server closed … connection", "server has gone away", "remote end closed", "remotedisconnected", "peer closed connection",
        "premature close", "premature end", "unexpected eof", "unexpected end of stream", "stream closed", "fetch failed", "failed to fetch", "network error", "network request failed", "network failure", "payload is not completed",
        "incomplete read", "incompleteread", "incomplete message", "incomplete chunked", "websocket … closed", "eof occurred in violation", "stream was reset", "enetreset", "transport error",
    )),
    # A failure that the text itself calls temporary, or a store that is full.
    Pattern(_C.SERVICE_UNAVAILABLE, (
        "oom command not allowed", "is loading the dataset", "loading redis", "clusterdown", "masterdown", "readonly you can't write", "tryagain", "overloaded", "over capacity", "at capacity", "over loaded",
        "temporarily unavailable", "service unavailable", "service is unavailable", "services are unavailable", "server unavailable", "server is unavailable", "currently unavailable", "temporarily down", "serviceunavailable",
        "is unavailable", "unavailable", "down for maintenance", "under maintenance", "maintenance mode", "scheduled maintenance", "too many connections", "too many clients", "connection slots",
        "pool exhausted", "pool is exhausted", "pool timeout", "pool is full", "no available connection", "server is busy", "server busy", "server too busy", "system is busy", "max retries per request",
        "max retries exceeded", "maxretriesperrequest", "maximum retries", "the database system is starting up", "the database system is shutting down",
        "is starting up", "is shutting down", "not ready yet", "is not ready", "is still loading", "currently loading", "model is loading", "no healthy upstream", "no leader", "not leader", "leader election", "election in progress", "emfile", "enfile", "too many open files",
        "enospc", "no space left", "disk full", "disk is full", "out of memory", "cannot allocate memory", "enomem",
    )),
    # A status that is said to be one decides more exactly than any word around it: "405 Method Not Allowed", "503 … /permissions".
    Pattern(None, (
        "http:{status}", "http error:{status}", "http status:{status}", "http status code:{status}", "http code:{status}", "http response code:{status}", "http response status:{status}", "status:{status}", "status code:{status}", "statuscode:{status}",
        "status code was:{status}", "status of:{status}", "status is:{status}", "error code:{status}", "error:{status}", "response code:{status}", "response status:{status}", "response status code:{status}", "with code:{status}", "returned code:{status}", "code:{status}", "httperror:{status}", "responded with:{status}", "answered:{status}", "returned a:{status}", "returned an http:{status}", "returns:{status}", "returned:{status}", "got:{status}", "received:{status}",
        "{status}:bad request", "{status}:unauthorized", "{status}:payment required", "{status}:forbidden", "{status}:not found", "{status}:method not allowed", "{status}:not acceptable", "{status}:request timeout", "{status}:conflict",
        "{status}:gone", "{status}:precondition failed", "{status}:payload too large", "{status}:request entity too large", "{status}:content too large", "{status}:unsupported media type", "{status}:unprocessable", "{status}:locked", "{status}:too many requests",
        "{status}:internal server error", "{status}:internal error", "{status}:not implemented", "{status}:bad gateway", "{status}:service unavailable", "{status}:service temporarily unavailable", "{status}:gateway timeout", "{status}:gateway time out",
        "{status}:client error", "{status}:server error", "{status}:message", "{status}:error", "{status}:quota", "{status}:response", "{status}:resource", "{status}:permission",
    )),
    # What gRPC calls its statuses, and what they stand for.
    Pattern(_C.CONFLICT, ("failed precondition",)),
    Pattern(_C.CONFLICT, (
        "10 aborted", "deadlock", "deadlocked", "deadlock detected", "could not serialize access", "serialization failure", "serialization anomaly", "lock wait timeout", "lock timeout", "lock not available", "could not obtain lock", "could not acquire lock", "database is locked", "database table is locked", "write conflict", "writeconflict", "transaction contention", "transaction conflict", "transaction was aborted", "resource is busy", "resource busy", "device or resource busy", "ebusy",
    ), _SAME),
    Pattern(_C.TIMEOUT, ("deadline exceeded", "deadline was exceeded", "etimedout", "esockettimedout", "timed out", "timedout", "time out", "timeout expired", "timeout exceeded", "exceeded … timeout", "timeout error", "timeouterror", "timeoutexception", "connect timeout", "connection timeout", "read timeout", "request timeout", "gateway timeout", "timeout waiting", "timeout while", "timeout after", "timeout of", "timeout reached", "statement timeout", "query timeout", "took too long", "not respond in time", "no response within", "no response from", "statement was canceled due to", "canceling statement due to statement timeout")),
    Pattern(_C.CANCELLED, ("context canceled", "context cancelled", "cancelled by", "canceled by", "was cancelled", "was canceled", "1 cancelled", "request cancelled", "request canceled", "operation cancelled", "operation canceled", "user cancelled", "user canceled", "cancelled error", "client closed request")),
    # A text that cannot be read in its format. "Unexpected token" and "malformed" are not about credentials.
    Pattern(_C.SERIALIZATION_ERROR, (
        "unexpected token", "unexpected end of json", "unexpected end of input", "unexpected end of data", "unexpected end of file", "is not valid json", "not valid json", "not a valid json", "invalid json", "malformed json", "malformed xml", "malformed yaml", "json parse", "json parsing", "json decode", "json decoding", "jsondecodeerror", "decode json", "parse json", "decoding json", "parsing json", "unmarshal", "expecting value", "expecting property name", "extra data", "unterminated string", "trailing comma", "parse error", "parseerror", "parsing error", "syntax error in json", "failed to parse", "unable to parse response", "could not parse response", "cannot parse response", "failed to decode", "could not decode", "cannot decode", "failed to deserialize", "cannot deserialize", "could not deserialize", "deserialization", "failed to serialize", "cannot serialize", "not json serializable", "not serializable", "unserializable", "serialization error", "unexpected mimetype", "unexpected content type", "codec can't decode", "codec can't encode", "invalid utf 8", "invalid xml", "invalid yaml", "not well formed", "unclosed token", "incorrect padding", "not a gzip", "not a zip", "corrupt", "corrupted", "checksum mismatch", "circular structure", "circular reference", "decode error", "encode error", "decoding error", "encoding error",
    )),
    # It says that somebody may not.
    Pattern(_C.FORBIDDEN, (
        "eacces", "eperm", "permission denied", "permissions denied", "permission was denied", "permissiondenied", "permissionerror", "operation not permitted", "operationnotpermitted", "not permitted", "is not permitted", "access is denied", "access denied", "accessdenied", "access forbidden", "access to … denied", "is forbidden", "missing scope", "missing scopes", "insufficient scope", "insufficient scopes", "insufficient permission", "insufficient permissions", "insufficient privilege", "insufficient privileges", "insufficient access", "insufficient rights", "missing permission", "missing permissions", "lacks permission", "lacks the permission", "lacks role", "no permission", "do not have permission", "don't have permission", "does not have permission", "doesn't have permission", "do not have access", "don't have access", "does not have access", "do not have the required", "does not have … permission", "does not have … permissions", "not have sufficient", "requires permission", "requires permissions", "requires … permission", "requires … scope", "requires … role", "requires admin", "must be an owner", "must be owner of", "must be the owner", "must be an admin", "must be an administrator", "must be a member", "must be admin", "must be superuser", "only owner", "only the owner", "only owners", "only admins", "only administrators", "not the owner", "not an admin", "not a member", "not allowed to", "not allowed for user", "not authorized to", "row level security", "policy violation", "blocked by policy", "not in allowlist", "not whitelisted", "read only file system", "erofs", "admin only", "for admins only", "unauthorizedoperation", "ip not allowed", "cors",
    )),
    # Money.
    Pattern(_C.INSUFFICIENT_BALANCE, ("insufficient funds", "insufficient balance", "insufficient credit", "insufficient credits", "not enough credits", "not enough balance", "out of credits", "no credits", "credit balance is too low", "payment required", "billing hard limit", "card was declined", "card declined", "spending limit")),
    # The thing is not there. It stands before the rows on bad values: "Invalid id: no such user" is about the user.
    Pattern(_C.GONE, ("has been deleted", "was deleted", "has been removed", "was removed", "no longer exists", "no longer available", "has been purged")),
    Pattern(_C.CONFLICT, (
        "already exists", "already exist", "alreadyexists", "eexist", "already in use", "already taken", "already registered", "is already", "duplicate key", "duplicate entry", "duplicate value", "unique constraint", "unique violation", "uniqueviolation", "uniqueconstraint", "has been modified", "was modified", "modified by another", "concurrent modification", "concurrent update", "optimistic lock", "optimistic locking", "version mismatch", "version conflict", "etag mismatch", "precondition failed", "stale object", "stale data", "out of date", "conflicting", "merge conflict", "integrity error", "is not empty", "resource in use", "still in use", "in use by", "being used by",
    )),
    Pattern(_C.NOT_FOUND, (
        "does not exist", "doesn't exist", "do not exist", "don't exist", "didn't exist", "did not exist", "not exist", "doesnotexist", "nonexistent", "non existent", "not be found", "was not found", "were not found", "is not found", "notfound", "not found", "enoent", "no such file", "no such", "could not find", "couldn't find", "can not find", "cannot find", "can't find", "can't be found", "unable to find", "failed to find", "unable to locate", "could not locate", "cannot locate", "no match", "no matches", "no matching", "no results", "no result", "no records", "no record", "no rows", "no row was found", "no entry", "no item", "no object", "no document", "matched 0", "0 results", "0 records", "0 rows", "returned no data", "unknown project", "unknown user", "unknown tool", "unknown resource", "unknown prompt", "unknown channel", "unknown model", "unknown table", "unknown database", "unknown id", "unknown record", "unknown file", "unknown repository", "unknown branch", "unknown object", "unknown entity", "unknown account", "unknown customer", "unknown order", "unknown product", "unknown item", "unknown symbol", "unknown document", "unknown page", "unknown ticket", "unknown issue", "unknown collection", "unknown index", "unknown namespace", "unknown revision", "unknown city", "unknown location", "unrecognized id", "lookup failed for", "is missing from", "not in the database",
    )),
    # The value is refused; the text says which rule it broke.
    Pattern(_C.NOT_IMPLEMENTED, ("not implemented", "unimplemented", "not yet implemented", "not supported", "is unsupported", "isn't supported", "unsupported operation", "does not support", "doesn't support", "notimplementederror", "notsupported", "enosys", "eopnotsupp", "enotsup")),
    Pattern(_C.METHOD_NOT_FOUND, ("unknown method", "no such method")),
    Pattern(_C.MISSING_REQUIRED_FIELD, ("missing required", "missing mandatory", "missing parameter", "missing argument", "missing field", "missing input", "missing value", "missing param", "missing arg", "missing property", "field required", "field is required", "is a required property", "required parameter", "required argument", "required field", "is required", "must be provided", "must be specified", "must provide", "must specify", "must be supplied", "cannot be blank", "can't be blank", "cannot be empty", "can't be empty", "must not be empty", "should not be empty", "cannot be null", "must not be null", "may not be null", "not null constraint", "no value provided")),
    Pattern(_C.VALIDATION_FAILED, (
        "validation error", "validation errors", "validationerror", "validation failed", "failed validation", "is not of type", "is not one of", "is not a valid", "is not valid under", "not a valid", "input should be", "should be a", "should be an", "should be one of", "must be between", "must be a", "must be an", "must be at least", "must be at most", "must be one of", "must be positive", "must be non negative", "must be greater", "must be less", "must be larger", "must be smaller", "must be in", "must be of type", "must be valid", "must be before", "must be after", "must be unique", "must be in the", "must contain", "must not contain", "must start with", "must end with", "must match", "must have", "must consist of", "must not exceed", "does not match pattern", "doesn't match pattern", "did not match", "expected a", "expected an", "expected one of", "expected type", "cast to … failed", "is invalid", "are invalid", "invalid value", "invalid values", "invalid argument", "invalid arguments", "invalid parameter", "invalid parameters", "invalid input", "invalid format", "invalid type", "invalid date", "invalid email", "invalid id", "invalid url", "invalid uuid", "invalid enum", "unsupported value", "unexpected value", "unexpected keyword argument", "unknown parameter", "unknown field", "unknown argument", "unknown option", "unrecognized field", "unrecognized argument", "unrecognized arguments", "unrecognized key", "exceeds the", "exceeds maximum", "exceeds … maximum", "exceeds … limit", "exceed … limit", "exceeded maximum", "exceeded the maximum", "out of range", "outofrange", "out of bounds", "too long", "too short", "too large", "too small", "too big", "too high", "too low", "too many characters", "context length", "contextlength", "maximum context", "check constraint", "constraint violation", "violates", "bad value", "bad argument", "illegal argument", "illegalargumentexception", "not within", "greater than maximum", "less than minimum", "is negative", "wrongtype", "wrong type", "mutually exclusive",
    )),
    Pattern(_C.INVALID_REQUEST, ("method not allowed", "unsupported media type", "not acceptable", "bad request", "badrequest")),
    # Somebody else's service failed, and says little more.
    Pattern(_C.UPSTREAM_ERROR, ("internal server error", "internalservererror", "internal service error", "empty body", "empty response", "empty reply", "upstream error", "upstream failed", "upstream failure", "upstream request failed", "server error", "backend error", "backend failed", "bad response", "unexpected response", "invalid response", "malformed response", "unexpected status", "unexpected http status", "bad status", "invalid http", "protocol error", "dependency failed", "failed dependency")),
    Pattern(_C.DATABASE_ERROR, ("database error", "database failure", "sql error", "sqlerror", "sqlstate", "query failed", "file is not a database", "malformed database", "programming error", "operational error", "interface error", "data error")),
)

PROVIDERS = (
    Pattern(_C.RATE_LIMITED, ("throttling exception", "throttlingexception", "too many requests exception", "toomanyrequestsexception")),
    Pattern(_C.FORBIDDEN, ("access denied", "accessdenied", "accessdeniedexception", "unauthorized operation", "unauthorizedoperation")),
    Pattern(_C.NOT_FOUND, ("resource not found exception", "resourcenotfoundexception")),
    Pattern(None, ("status code {status}",)),
    Pattern(_C.NETWORK_ERROR, ("econnrefused", "connection refused"), _SAME),
    Pattern(_C.TIMEOUT, ("etimedout", "connection timeout")),
    Pattern(_C.CONFLICT, ("unique constraint", "duplicate key")),
    Pattern(_C.VALIDATION_FAILED, ("foreign key constraint",)),
    Pattern(_C.UNAUTHORIZED, ("jwt expired",)),
    Pattern(_C.FORBIDDEN, ("row level security",)),
    Pattern(_C.RATE_LIMITED, ("insufficient quota", "quota exceeded")),
    Pattern(_C.NOT_FOUND, ("model not found",)),
    Pattern(_C.VALIDATION_FAILED, ("context length exceeded",)),
    Pattern(_C.NETWORK_ERROR, ("enotfound", "dns"), _NEVER),
    Pattern(_C.NETWORK_ERROR, ("econnreset", "connection reset")),
)

COMMON = (
    # `not.*logged.*in` is "not logged in" above: three words in one line are no login ("could not be logged … in worker 3").
    Pattern(_C.UNAUTHORIZED, ("unauthorized", "unauthorised", "unauthenticated", "not authorized", "not authorised", "invalid token", "expired token")),
    # `permission` alone is a noun ("the permission matrix is empty"), and so is `permissions` in a path.
    Pattern(_C.FORBIDDEN, ("forbidden", "access … denied", "not … allowed", "permission error")),
    Pattern(_C.NOT_FOUND, ("not found", "no such", "doesn't exist", "couldn't find")),
    Pattern(_C.VALIDATION_FAILED, (
        "invalid", "validation", "malformed", "bad request", "wrong format", "missing required", "missing param", "missing field", "missing input", "missing value", "missing arg",
    )),
    Pattern(_C.CONFLICT, ("conflict", "already exists", "duplicate", "unique constraint")),
    Pattern(_C.RATE_LIMITED, ("rate limit", "too many requests", "throttled")),
    Pattern(_C.TIMEOUT, ("timeout", "timed out", "deadline exceeded")),
    # 003 calls a cancelled call a timeout; here that has a code of its own, and 003's dialect says -32004 for it.
    Pattern(_C.TIMEOUT, ("abort", "aborted")),
    Pattern(_C.CANCELLED, ("cancelled", "canceled")),
    Pattern(_C.SERVICE_UNAVAILABLE, ("service unavailable", "bad gateway", "gateway timeout")),
    Pattern(_C.UPSTREAM_ERROR, ("upstream error",)),
    Pattern(_C.VALIDATION_FAILED, ("zod", "zoderror", "zod error", "schema validation")),
)
# fmt: on

ROWS = (*SHARPER, *PROVIDERS, *COMMON)
