"""What error messages and class names mean, as phrases; the first row that fits wins.

Three tables, in this order: our sharper rows, then the two tables that the json-rpc dialect comes with, one of providers
and one of common words. The sharper rows take back what the order of those gets wrong and add what they miss; each group
says why it is where it is. The dialect's words stand in their own order, but match where they mean something: as whole
words, or with an `s` (`ENOTFOUND` is not in `FileNotFoundError`, and an invalidated cache is not `invalid`). `_matcher.py`
says how a phrase is written.
"""

from collections.abc import Iterator
from typing import NamedTuple

from errata.classification._error_codes import BY_NAME
from errata.classification._exception_rules import Classification
from errata.model import Code, Recovery, Retry


class Pattern(NamedTuple):
    """One row: what it means if one of the phrases is there."""

    code: Code | None
    """None: what the HTTP status in the phrase stands for."""
    phrases: tuple[str, ...]
    retry: Retry | None = None
    retry_after_ms: int | None = None
    recovery: Recovery | None = None


_C = Code
_SAME, _HARMLESS, _NEVER = Retry.SAME_CALL, Retry.IF_HARMLESS, Retry.NEVER


def _by_errno() -> Iterator[Pattern]:
    """Spell the operating system's error names: Node.js and others begin their messages with them."""
    for meaning in dict.fromkeys(BY_NAME.values()):
        known = meaning if isinstance(meaning, Classification) else Classification(meaning)
        names = tuple(name.lower() for name, each in BY_NAME.items() if each == meaning)
        yield Pattern(known.code, names, known.retry)


# fmt: off
SHARPER = (
    # A crash quotes names of the program, and any word can be a name: nothing else in such a text counts.
    Pattern(_C.INTERNAL_ERROR, (
        "assertion failed", "assertionerror", "before initialization", "body is unusable", "cannot destructure", "cannot invoke",
        "can't multiply sequence", "cannot read properties", "cannot read property", "class cast exception", "index out of bounds", "is not a constructor",
        "is not a function", "is not defined", "is not iterable", "list index out of range", "maximum call stack",
        "maximum recursion", "nil pointer", "non exhaustive", "not callable", "not subscriptable", "null pointer",
        "null reference exception", "nullpointerexception", "has no attribute", "object reference not set", "of null", "of undefined",
        "option:unwrap", "outside the bounds of the array", "panic", "panicked", "result:unwrap",
        "segmentation fault", "stack overflow", "undefined is not", "undefined method", "unhandled exception",
        "unreachable code", "unsupported operand",
    )),
    # JavaScript's names for a value that is refused; the json-rpc dialect reads the name of a class before any text.
    Pattern(_C.VALIDATION_FAILED, ("range error", "rangeerror", "uri error", "urierror")),
    # A file of the server's own that is not there: which cluster it talks to, with which profile.
    Pattern(_C.CONFIGURATION_ERROR, (
        "cluster unreachable … does not exist", "cluster unreachable … no such file", "config profile", "kube:config … no such file", "kube:config … not exist",
        "kube:config … not found", "kubeconfig … does not exist", "kubeconfig … missing", "kubeconfig … no such file",
        "kubeconfig … not found", "kubeconfig … not set", "invalid kube config", "invalid kubeconfig", "load kubeconfig",
        "loading kubeconfig", "no configuration has been provided",
    )),
    # A program that the server starts and that is not there.
    Pattern(_C.CONFIGURATION_ERROR, ("spawn … enoent",)),
    *_by_errno(),
    # What the caller wrote in a language of its own: it has to be written anew, whoever stumbled over it.
    Pattern(_C.VALIDATION_FAILED, (
        # Regular expressions and globs.
        "bad character range", "bad escape", "error parsing glob", "error parsing regexp", "glob … unclosed",
        "invalid capture group", "invalid escape sequence", "invalid glob", "invalid group", "invalid regex",
        "invalid regexp", "invalid regular expression", "lookbehind", "look behind", "missing closing",
        "multiple repeat", "nothing to repeat", "out of order in character class", "quantifier … nothing",
        "regex error", "regex parse error", "regular expression … error", "repetition operator", "unbalanced bracket",
        "unbalanced parenthesis", "unclosed alternate", "unclosed bracket", "unclosed character class", "unclosed group",
        "unmatched bracket", "unmatched parenthesis", "unterminated character", "unterminated group",
        "unterminated regular expression", "unterminated subpattern",
        # CSV.
        "csv parse error", "csv parsing error", "parse csv", "parsing csv", "error tokenizing data", "extraneous quote", "in non quoted field",
        "invalid closing quote", "invalid csv", "invalid opening quote", "invalid record length", "malformed csv",
        "quote not closed", "quoted field unterminated", "wrong number of fields",
        # YAML.
        "bad indentation", "cannot start any token", "could not find expected", "did not find expected",
        "duplicated mapping key", "flow collection … must be", "implicit map keys", "mapping values are not allowed",
        "nested mappings are not allowed", "undefined alias", "unidentified alias", "while parsing a", "while scanning",
        "invalid yaml", "malformed yaml", "yaml error", "yaml exception", "yaml parse error", "yaml parsing error", "yamlexception",
        # GraphQL.
        "bad user input", "graphql parse failed", "cannot query field", "cannot spread fragment", "expected name … found", "graphql validation",
        "must have a selection", "must not have a selection", "of required type", "unknown directive", "unknown fragment",
        "variable … never used", "variable … not defined",
        # Arithmetic.
        "complex infinity", "dimension mismatch", "divide by zero", "divided by zero", "dividing by zero",
        "division by 0", "division by zero", "incompatible units", "log of zero", "logarithm of", "math domain error",
        "matrix is singular", "modulo by zero", "negative factorial", "singular matrix", "square root of",
        "undefined function", "undefined symbol", "undefined variable", "unexpected end of expression",
        "unexpected operator", "unit mismatch", "units do not match", "expected:char",
        "unexpected part",
    )),
    # An answer that a client puts into the name of its exception: `TransportError(503, …)`.
    Pattern(None, (
        "api error:{status}", "connection error:{status}", "network error:{status}", "request error:{status}",
        "transport error:{status}",
    )),
    # What only another address mends; a guard says so, and no certificate or name server.
    Pattern(_C.FORBIDDEN, (
        "blocked address", "blocked domain", "blocked host", "blocked url", "internal address", "internal ip",
        "internal network", "localhost … blocked", "localhost … not allowed", "loopback address", "reserved address", "private address",
        "private host", "private ip", "private network", "private url", "ssrf", "url … blocked",
    )),
    # SMTP's replies, as the reader of results spells them. Those that begin with a 4 ask for another attempt, later.
    Pattern(_C.UNAUTHORIZED, ("smtp 530", "smtp 534", "smtp 535", "smtp 538")),
    Pattern(_C.FORBIDDEN, ("smtp 550 7", "smtp 551 7", "smtp 553 7", "smtp 554 7")),
    Pattern(_C.NOT_FOUND, ("smtp 550", "smtp 551")),
    Pattern(_C.INVALID_FORMAT, ("smtp 553",)),
    Pattern(_C.SERVICE_UNAVAILABLE, ("smtp 421", "smtp 450", "smtp 451", "smtp 452"), _HARMLESS),
    Pattern(_C.SERVICE_UNAVAILABLE, ("smtp 552",), _NEVER),
    Pattern(_C.UPSTREAM_ERROR, ("smtp 554", "smtp 555"), _NEVER),
    # A quota that only money mends; the json-rpc dialect calls it a rate limit.
    Pattern(_C.RATE_LIMITED, ("billing details", "insufficient quota", "plan and billing"), _NEVER),
    # A limit on calls names them, also where it advertises a larger one; any other limit of a plan is no matter of time.
    Pattern(_C.RATE_LIMITED, (
        "calls per hour", "calls per minute", "calls per second", "limit … resets", "limit … retry after", "limit … retry in",
        "limit … try again at", "limit … try again in", "limit … will reset", "rate limit", "requests per day", "requests per hour", "requests per minute",
        "requests per second", "tokens per minute", "too many requests",
    )),
    Pattern(_C.INSUFFICIENT_BALANCE, (
        "limit … free plan", "limit … upgrade to", "limit … upgrade your", "maximum … free plan", "maximum … upgrade to", "maximum … upgrade your",
        "plan limit", "quota … upgrade to", "quota … upgrade your", "storage limit", "storage quota", "usage limit",
    )),
    # Somebody has to set up how this is paid for.
    Pattern(_C.CONFIGURATION_ERROR, (
        "billing account", "billing disabled", "billing has not been enabled", "billing is disabled",
        "billing is not enabled", "billing not enabled", "billing to be enabled", "enable billing", "enabled billing",
    ), _NEVER),
    # A limit on calls names what was limited, often with words of the rows below ("unauthorized clients").
    Pattern(_C.RATE_LIMITED, (
        "api limit", "burst limit", "enhance your calm",
        "exceeded … quota", "exceeds … quota", "flood wait", "limit exceeded exception", "limit reached",
        "maximum number of requests", "maximum number of … reached", "over quota", "quota exceeded", "quota exhausted",
        "quota reached", "number of … requests exceeds", "rate exceeded", "rate has been exceeded", "rate limited", "rate limiting",
        "ratelimit", "ratelimited", "request limit exceeded", "limited number of … requests", "request rate", "frequency limit", "resource exhausted", "resource has been exhausted", "slow down", "slowdown", "throttle",
        "throttled", "throttling", "throughput … exceeded", "too many attempts", "too many calls",
        "too many login attempts", "too many messages", "too many queries", "toomanyrequests",
    )),
    # A session in which data is kept is no login.
    Pattern(_C.NOT_FOUND, (
        "browser session", "data session", "database session", "debug session", "dataframe session", "game session",
        "invalid session id", "kernel session", "no active session", "no data loaded", "notebook session", "shell session",
        "session … does not exist", "session … not found", "terminal session", "unknown session",
    )),
    # A key that is not accepted arrives as 400, 401 and 403, and in texts that say "invalid".
    Pattern(_C.UNAUTHORIZED, (
        "access denied for user", "account inactive", "api key expired", "api key has expired", "api key is invalid",
        "api key is not valid", "api key not found", "api key not valid", "api key validation", "api key was not found",
        "api key … rejected", "aren't logged in", "aren't signed in", "auth error", "auth failed", "auth required",
        "authenticate again", "authentication error", "authentication failed", "authentication failure",
        "authentication is required", "authentication methods available", "authentication methods failed",
        "authentication required", "authentication unsuccessful", "authorization header", "authorization required",
        "bad api key", "bad credentials", "bad password", "bad token", "cannot authenticate", "could not authenticate",
        "could not validate credentials", "credential validation", "credentials are invalid",
        "credentials could not be", "credentials expired", "credentials have expired", "credentials rejected",
        "credentials validation", "credentials were rejected", "key is not registered", "expired access token", "rejected … key", "expired api key",
        "expired credential", "expired jwt", "expired session", "expired token", "expiredtoken",
        "failed to authenticate", "failed to validate token", "failed to verify token", "incorrect api key",
        "incorrect credentials", "incorrect password", "invalid access token", "invalid api key", "invalid apikey",
        "invalid auth", "invalid authentication", "invalid authorization", "invalid bearer token", "invalid client",
        "invalid credential", "invalid grant", "invalid id token", "invalid jwe", "invalid jwt", "invalid login",
        "invalid oauth", "invalid password", "invalid refresh token", "invalid session", "invalid signature",
        "invalid user credentials", "invalid username", "invalid x api key", "is encrypted", "isn't logged in",
        "isn't signed in", "jwt could not be validated", "jwt could not be verified", "jwt expired", "jwt has expired",
        "jwt invalid", "jwt is expired", "jwt is invalid", "jwt is not valid", "jwt malformed", "jwt validation",
        "jwt verification", "log in again", "login failed", "login required", "logon failed", "malformed authorization",
        "malformed jwt", "malformed token", "missing authentication", "missing authorization", "missing bearer token",
        "missing jwt", "missing token", "must be logged in", "must log in", "must sign in", "no auth token",
        "no authorization", "no supported authentication methods", "no token provided", "noauth", "not authed",
        "not authenticated", "not currently logged in", "not logged in", "not signed in", "not yet logged in",
        "password is incorrect", "password is wrong", "password required", "password wrong",
        "permission denied:publickey", "please log in", "please login", "please sign in", "provide an api key",
        "provide … access token", "provide … credentials", "provided an api key", "re authenticate", "reauthenticate",
        "reauthorize", "requires an api key", "requires api key", "requires authentication", "requires … authorization",
        "revoked credential", "revoked token", "security token", "session expired", "session has expired",
        "session is invalid", "session validation", "sign in again", "signature does not match", "signature expired",
        "signature has expired", "signature validation", "signature verification failed", "signaturedoesnotmatch",
        "token could not be validated", "token could not be verified", "token expired", "token has been revoked",
        "token has expired", "token is expired", "token is invalid", "token is malformed", "token is not valid",
        "token malformed", "token missing", "token not found", "token rejected", "token revoked", "token validation",
        "token verification", "token was rejected", "token was revoked", "unable to authenticate", "unauthenticated",
        "unauthorized access", "unauthorized client", "unauthorized user", "unknown api key", "unrecognized client",
        "user name or password", "username or password", "wrong api key", "wrong credentials", "wrong password",
        "wrongpass",
    )),
    # Not "is not set".
    Pattern(_C.CONFLICT, ("cannot set lock", "could not set lock", "unable to set lock"), _SAME),
    Pattern(_C.BUSINESS_RULE_VIOLATION, ("insufficient inventory", "insufficient stock", "not enough stock", "not in stock", "out of stock")),
    # The server's own settings. "is not set" would otherwise be validation, a missing variable NOT_FOUND.
    Pattern(_C.CONFIGURATION_ERROR, (
        "api key must be", "missing … credentials", "no … api key", "no … api token", "executable could not be found", "not found in path", "session not created", "on the current path", "api key is missing", "api key is required", "api key not provided", "api key required", "bad configuration",
        "browsers install", "cannot find module", "command not found", "config error", "config file not found",
        "configuration error", "configuration file not found", "configuration is missing",
        "connection string … not valid", "could not find browser", "could not find chrome", "could not find chromium",
        "could not find credentials", "could not load credentials", "could not load the default credentials",
        "could not resolve credentials", "credentials not found", "credentials were not found",
        "default credentials … not found", "env var … missing", "environment variable … missing",
        "environment variable … must", "environment variable … not found", "environment variable … required",
        "executable does not exist", "executable doesn't exist", "executable not found", "improperly configured",
        "invalid configuration", "invalid connection string", "license key", "misconfiguration", "misconfigured",
        "missing api key", "missing config", "missing configuration", "missing credentials", "missing env",
        "missing environment variable", "missing required configuration", "missing required environment variable",
        "missing secret", "missing settings", "must be installed", "must be running", "must set … environment variable",
        "needs to be installed", "needs to be running", "no api key", "no configuration", "no credentials",
        "no default credentials", "no module named", "no such module", "not been configured", "not configured",
        "not installed", "not set", "secret is required", "set the … environment variable",
        "setting the … environment variable", "token is required", "unable to locate credentials", "url is required",
    )),
    # Rust's reqwest says why behind the address.
    Pattern(_C.TIMEOUT, ("error sending request … timed out", "error sending request … timeout")),
    # A handshake that took too long is no bad certificate.
    Pattern(_C.TIMEOUT, ("handshake … timed out", "handshake … timeout"), _SAME),
    # What is written in some language ends too soon, and not a connection.
    Pattern(_C.VALIDATION_FAILED, (
        "expecting … eof", "extraneous input", "mismatched input", "no viable alternative", "parse error … eof",
        "syntax error … eof", "unexpected eof while parsing", "unexpected eof … expected", "unexpected eof … expecting",
        "unexpected eof … line",
    )),
    # What is refused before anybody is asked.
    Pattern(_C.VALIDATION_FAILED, (
        "contains illegal character", "contains invalid character", "data too long", "data truncated", "deserialize parameters",
        "only lowercase", "only … characters", "set confirm", "unsupported database", "unsupported … scheme", "unsupported … url",
    )),
    # A file that is not what its name says.
    Pattern(_C.SERIALIZATION_ERROR, ("could not find eocd", "invalid zip", "not a pdf", "not an ole2", "zip archive", "zip error")),
    # A state that does not lead there.
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "claimed by", "direct transition", "enough approvals", "invalid transition", "is not active", "no active timer",
        "no changes between", "no operations to", "not in progress", "nothing to redo", "nothing to undo",
        "status transition", "transition from",
    )),
    # Who could not parse an argument has nothing wrong with its own data.
    Pattern(_C.VALIDATION_FAILED, (
        "argument … not valid json", "input is not valid json", "invalid argument … parse", "invalid json in argument",
        "invalid json input", "invalid json string", "invalid parameter … parse", "parameter … not valid json",
        "query is not valid json", "variables are invalid",
    )),
    # TLS: repeating will not mend a certificate.
    Pattern(_C.NETWORK_ERROR, (
        "altnames", "bad certificate", "cert authority invalid", "certificate error", "certificate expired",
        "certificate has expired", "certificate is expired", "certificate is not trusted", "certificate is not valid",
        "certificate is not yet valid", "certificate is valid for", "certificate not trusted", "certificate required",
        "certificate revoked", "certificate signed by unknown authority", "certificate unknown",
        "certificate verification failed", "certificate verify failed", "certification path",
        "depth zero self signed cert", "hostname does not match", "hostname doesn't match", "hostname mismatch",
        "http response to https client", "invalid certificate", "invalid peer certificate", "self signed certificate",
        "selfsigned certificate", "ssl connection could not be established", "ssl error", "ssl handshake",
        "ssl required", "ssl routines", "sslerror", "sslv3 alert", "tls error", "tls handshake", "tlsv1 alert",
        "unable to get issuer certificate", "unable to get local issuer certificate", "unknown ca",
        "unsupported protocol version", "verify the first certificate", "wrong version number",
    ), _NEVER),
    Pattern(_C.NOT_FOUND, ("failed to resolve … ref",)),  # Git's.
    # The name server is asked to try again; then, a name that nobody has.
    Pattern(_C.NETWORK_ERROR, (
        "dns timeout", "eai again", "server misbehaving", "servfail", "temporary failure in name resolution",
    ), _SAME),
    Pattern(_C.NETWORK_ERROR, (
        "could not resolve host", "could not resolve hostname", "could not translate host name",
        "couldn't resolve host", "eai noname", "enotfound", "failed to resolve", "getaddrinfo", "host not found",
        "hostname not found", "name not resolved", "name or service not known", "name resolution",
        "no address associated with hostname", "no such host", "nodename nor servname", "nxdomain", "unknown host",
        "unknownhostexception",
    ), _NEVER),
    # Envoy says both in one sentence; only the reason tells whether the other side had the call.
    Pattern(_C.NETWORK_ERROR, ("delayed connect error", "reset reason … connection failure"), _SAME),
    Pattern(_C.NETWORK_ERROR, ("connect error or disconnect:reset",)),
    # Nobody took the call, so it was not processed.
    Pattern(_C.NETWORK_ERROR, (
        "actively refused", "address unreachable", "connect call failed", "connect error", "connection attempts failed",
        "connection refused", "connection … was refused", "connectionrefused", "connectionrefusederror",
        "couldn't connect to server", "failed to establish a new connection", "host is down", "host is unreachable",
        "host unreachable", "internet connection appears", "internet disconnected", "network is down",
        "network is unreachable", "network unreachable", "no brokers available", "no connection could be made",
        "no connection established", "no route to host", "no servers available", "refused to connect",
        "server … was refused", "transport failure",
    ), _SAME),
    # It broke on the way, and nobody knows what the other side did.
    Pattern(_C.NETWORK_ERROR, (
        "auto reconnect", "autoreconnect", "broken pipe", "brokenpipeerror", "closed unexpectedly", "connection aborted", "connection broken",
        "connection dropped", "connection error", "connection failed", "connection failure", "connection interrupted",
        "connection terminated", "connection was aborted", "connection was terminated", "connection … closed",
        "connection … lost", "connection … reset", "connectionerror", "connectionreset", "connectionreseterror",
        "disconnected from", "error sending request", "eof occurred in violation", "err empty response", "goaway", "hung up",
        "incomplete chunked", "incomplete message", "incomplete read", "incompleteread", "lost connection",
        "network error", "network failure", "network request failed", "other side closed", "payload is not completed",
        "peer closed connection", "premature close", "premature end", "received rst stream", "remote end closed",
        "remotedisconnected", "reset by peer", "server closed … connection", "server disconnected",
        "server has gone away", "socket closed", "socket disconnected", "socket error", "socket hang up",
        "stream disconnected", "stream closed", "stream ended unexpectedly", "stream terminated", "stream was reset", "transport error",
        "transport is closing", "unexpected end of stream", "unexpected eof", "unexpectedly closed",
        "websocket … closed",
    )),
    Pattern(_C.FORBIDDEN, ("for legal reasons",)),
    # The json-rpc dialect calls every `status code 5xx` a failure of the service. Where nothing else says what is missing, 501 is no more.
    Pattern(_C.NOT_IMPLEMENTED, ("status code 501 … not implemented", "status code 501 … not supported")),
    Pattern(_C.UPSTREAM_ERROR, ("status code 501",), _NEVER),
    Pattern(_C.UPSTREAM_ERROR, ("status code 5xx",)),
    # A status that is said to be one decides more exactly than any word around it: "405 Method Not Allowed", "503 … /permissions".
    Pattern(None, (
        "answered:{status}", "code:{status}", "error:{status}", "failed request:{status}", "failed with:{status}",
        "got:{status}", "http:{status}", "httperror:{status}", "received:{status}", "request failed:{status}",         "responded with:{status}", "response:{status}", "returned a:{status}", "returned:{status}", "returns:{status}",
        "status code was:{status}", "status is:{status}", "status of:{status}", "status:{status}",
        "statuscode:{status}", "{status}:bad gateway", "{status}:bad request", "{status}:client error",
        "{status}:conflict", "{status}:content too large", "{status}:error", "{status}:forbidden",
        "{status}:gateway time out", "{status}:gateway timeout", "{status}:gone", "{status}:internal error",
        "{status}:internal server error", "{status}:locked", "{status}:message", "{status}:method not allowed",
        "{status}:not acceptable", "{status}:not found", "{status}:not implemented", "{status}:payload too large",
        "{status}:payment required", "{status}:permission", "{status}:precondition failed", "{status}:quota",
        "{status}:request entity too large", "{status}:request timeout", "{status}:resource", "{status}:response",
        "{status}:server error", "{status}:service temporarily unavailable", "{status}:service unavailable",
        "{status}:status code", "{status}:unauthorized", "{status}:unprocessable", "{status}:unsupported media type",
    )),
    # Who may not see a thing is answered as if it did not exist, mostly because a name is wrong.
    Pattern(_C.NOT_FOUND, (
        "exist … or access is", "exist … or is not accessible", "exist … or you aren't", "exist … or you are not", "exist … or you do not have",
        "exist … or you don't have", "exist … or you lack", "found … or access is", "found … or is not accessible", "found … or you aren't",
        "found … or you are not", "found … or you do not have", "found … or you don't have", "found … or you lack",
        "have access … or … not exist", "have permission … or … not exist", "resolve … or you do not have", "resolve … or you don't have",
    )),
    # No argument of a tool chooses the method.
    Pattern(_C.OPERATION_NOT_ALLOWED, ("method … not allowed", "method not allowed")),
    # Who may not is not mended by other arguments, whatever else the text says of them: the json-rpc dialect looks for these words first.
    Pattern(_C.FORBIDDEN, ("not authorised to", "not authorized to", "unauthorized operation", "unauthorizedoperation")),
    Pattern(_C.UNAUTHORIZED, ("not authorised", "not authorized", "unauthorised", "unauthorized")),
    # A setting: whoever runs the server decided it.
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "as read only", "as readonly", "is read only", "is readonly", "read only mode", "read only server",
        "read only violation", "readonly mode", "readonly violation",
    )),
    # A store that is full stays full, and may have taken a part.
    Pattern(_C.SERVICE_UNAVAILABLE, ("disk full", "disk is full", "insufficient storage", "no space left"), _NEVER),
    # What is missing here for good, and not for now.
    Pattern(_C.NOT_IMPLEMENTED, (
        "unavailable for this", "unavailable on this", "unavailable on … connection", "unavailable on … server",
        "unavailable on … version", "unavailable over", "unavailable with", "unavailable without",
    )),
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "unavailable during", "unavailable in this", "unavailable in … mode", "unavailable until", "unavailable while",
    )),
    # A failure that the text itself calls temporary.
    Pattern(_C.SERVICE_UNAVAILABLE, (
        "connection not available", "connection is not available", "at capacity", "backend is not available", "being restarted", "bootstrapping", "cannot allocate memory",
        "capacity exceeded", "currently unable to handle", "waiting to start", "cluster is not available", "clusterdown", "cold start", "connection slots",
        "currently loading", "database is not available", "down for maintenance",
        "election in progress", "failover", "heavy load", "high demand", "high load", "host is not available",
        "insufficient capacity", "insufficient memory", "insufficient resources",
        "is currently down", "is loading the dataset", "is not ready", "is offline", "is starting up",
        "is still loading", "leader election", "loading redis", "maintenance mode", "masterdown",
        "max retries exceeded", "max retries per request", "maximum retries", "maxretriesperrequest",
        "model is loading", "no available", "no capacity", "no healthy upstream", "no leader",
        "no workers", "not available at the moment", "not available right now", "not available yet",
        "not currently available", "not enough memory", "not leader", "not ready yet", "not yet available",
        "oom command not allowed", "out of memory", "over capacity", "over loaded", "overloaded", "pool exhausted",
        "pool is exhausted", "pool is full", "pool timeout", "queue full", "queue is full", "readonly you can't write",
        "rejected execution", "scheduled maintenance", "server busy", "server is busy", "server is down",
        "server is not available", "server not available", "server too busy", "service is down",
        "service is not available", "service not available", "serviceunavailable", "shutdown in progress",
        "shutting down", "system is busy", "temporarily down", "too many clients", "too many connections",
        "too many open files", "tryagain", "unavailable", "under maintenance", "unreachable", "warming up",
    )),
    Pattern(_C.CONFLICT, ("failed precondition",)),  # gRPC's word; not what Azure and HTTP call one.
    Pattern(_C.CONFLICT, (
        "10 aborted", "a lock on", "another git process", "another process is", "another transaction",
        "another update is in progress", "conflicting lock", "could not acquire lock", "could not obtain exclusive",
        "could not obtain lock", "could not serialize access", "database is locked", "database table is locked",
        "deadlock", "deadlocked", "exclusive access", "failed to acquire lock", "held by another",
        "in progress by another", "is locked by", "lock is held", "lock not acquired", "lock not available",
        "lock on file", "lock the repository", "lock timeout", "lock wait timeout", "lock … file exists",
        "locked by another", "optimistic concurrency", "please retry transaction", "resource busy", "resource is busy",
        "retry the transaction", "serialization anomaly", "serialization failure", "snapshot isolation",
        "transaction conflict", "transaction contention", "transaction was aborted", "unable to acquire lock",
        "unable to obtain lock", "write conflict", "writeconflict",
    ), _SAME),
    Pattern(_C.TIMEOUT, (
        "connect timeout", "connection timeout", "deadline exceeded", "deadline was exceeded", "did not appear within", "esockettimedout",
        "exceeded … timeout", "gateway timeout", "did not answer within", "did not respond", "no answer within", "no reply from", "no reply within", "no response from", "no response within", "not respond in time",
        "query timeout", "read timeout", "request timeout", "statement timeout", "statement was canceled due to",
        "time out", "timed out", "timedout", "timeout after", "timeout error", "timeout exceeded", "timeout expired",
        "timeout of", "timeout reached", "timeout waiting", "timeout while", "timeouterror", "timeoutexception",
        "took too long",
    )),
    # What a state excludes is no cancellation: "cannot be cancelled".
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "can not be deleted", "can't be cancelled", "can't be deleted", "can't be modified", "cannot be canceled",
        "cannot be cancelled", "cannot be changed", "cannot be deleted", "cannot be edited", "cannot be modified",
        "cannot be refunded", "cannot be undone", "cannot be updated", "illegal state", "illegalstateexception",
        "in its current state", "in the current state", "in this state", "invalid state", "not allowed in",
        "not allowed while", "wrong state",
    )),
    Pattern(_C.CIRCUIT_OPEN, (
        "circuit breaker error", "circuit breaker is open", "circuit breaker open", "circuit breaker tripped",
        "circuit is open", "circuit open", "circuitbreaker",
    )),
    Pattern(_C.CANCELLED, (
        "1 cancelled", "canceled by", "cancelled by", "cancelled error", "client closed request", "context canceled",
        "context cancelled", "declined by user", "denied by user", "did not confirm", "not confirmed",
        "operation canceled", "operation cancelled", "rejected by user", "request canceled", "request cancelled",
        "user canceled", "user cancelled", "user declined", "user denied", "user refused", "user rejected",
        "was canceled", "was cancelled",
    )),
    # A text that cannot be read in its format. "Unexpected token" and "malformed" are not about credentials.
    Pattern(_C.SERIALIZATION_ERROR, (
        "after top level value", "cannot decode", "cannot deserialize", "cannot parse response", "cannot serialize",
        "checksum mismatch", "circular reference", "circular structure", "codec can't decode", "codec can't encode",
        "corrupt", "corrupted", "could not decode", "could not deserialize", "could not parse response",
        "data format error", "decode error", "decode json", "decoding error", "decoding json", "deserialization",
        "encode error", "encoding error", "expected value at", "expecting property name", "expecting value",
        "extra data", "failed to decode", "failed to deserialize", "failed to parse", "failed to serialize",
        "in json at", "incorrect padding", "invalid character", "invalid json", "invalid utf 8", "invalid xml",
        "json decode", "json decoding", "json parse", "json parsing", "jsondecodeerror",
        "looking for beginning of value", "malformed json", "malformed xml", "not a gzip",
        "not a valid json", "is not json", "not a zip", "not json serializable", "not serializable", "no element found:line", "non json", "not valid json",
        "not well formed", "parse json", "parsing json",
        "serialization error", "syntax error in json", "trailing comma", "unable to parse response", "unclosed token",
        "unexpected content type", "unexpected end of data", "unexpected end of file", "unexpected end of input",
        "unexpected end of json", "unexpected mimetype", "unmarshal", "unserializable", "unterminated string",
    )),
    # It says that somebody may not.
    Pattern(_C.FORBIDDEN, (
        "cannot access this", "cannot view this", "safety system", "you cannot access", "you cannot view", "access denied", "access is denied", "access restricted", "access to … denied", "accessdenied",
        "account disabled", "account has been suspended", "account is disabled", "account is suspended",
        "account suspended", "admin only", "blacklist", "blacklisted", "blocked because", "blocked by",
        "blocked command", "command denied", "blocked for", "blocked operation", "blocked operator", "blocklist", "blocklisted",
        "blocks requests", "contains blocked", "contains forbidden", "content policy", "cors", "csrf", "dangerous",
        "deny list", "denylist", "disallowed", "disallows", "do not have access", "do not have the required",
        "do not own", "does not have access", "does not own", "doesn't have … permission", "don't have access",
        "don't have … permission", "don't own", "escapes the", "for admins only", "has been banned", "has been blocked",
        "inadequate permission", "incorrect permission", "insufficient access", "insufficient authentication scopes",
        "insufficient authorization", "insufficient privilege", "insufficient rights", "insufficient scope",
        "insufficient … permission", "ip not allowed", "is banned", "is blocked", "is protected", "is restricted",
        "lack … permission", "lacking … permission", "lacks role", "lacks … permission", "licence expired",
        "licence has expired", "license expired", "license has expired", "missing permission",
        "missing required permission", "missing scope", "required scope", "missing the … permission", "must be a member", "must be admin",
        "must be an admin", "must be an administrator", "must be an owner", "must be owner of", "must be superuser",
        "must be the owner", "need permission", "need the … permission", "need … permission to", "needs permission",
        "needs the … permission", "needs … permission to", "no access", "no permission", "not a member",
        "not a public address", "not accessible", "not allowed for user", "not allowed to", "not an admin",
        "not available in this region", "not available in your", "not available on your plan", "not enough permission",
        "not enough privileges", "not enough rights", "not entitled", "not granted", "not have sufficient",
        "not have … permission", "not in allowlist", "not in channel", "not permitted", "not the owner",
        "not writable", "not writeable", "not whitelisted", "only administrators", "only admins", "only owner", "only the owner", "operation blocked",
        "operationnotpermitted", "outside allowed", "outside of allowed", "outside of permitted",
        "outside of the allowed", "outside the allowed", "outside the permitted", "path traversal",
        "permission check failed", "permission denied", "permission error", "permission failure", "permission from",
        "permission has been revoked", "permission insufficient", "permission is insufficient", "permission is missing",
        "permission is needed", "permission is required", "permission issue", "permission missing", "permission needed",
        "permission problem", "permission refused", "permission rejected", "permission required", "permission revoked",
        "permission to … denied", "permission violation", "permission was denied", "permission … is required",
        "permissiondenied", "permissionerror", "permissions are insufficient", "permissions are missing",
        "permissions are required", "permissions check failed", "permissions denied", "permissions insufficient",
        "permissions missing", "permissions needed", "permissions required", "permissions were denied",
        "permissions … are required", "policy violation", "privilege required", "privileges required",
        "read only database", "read only file system", "read only transaction", "readonly database", "refused to",
        "refuses to", "refusing to", "request denied", "requires a paid", "requires a subscription", "requires admin",
        "requires permissions", "requires subscription", "requires … permission", "requires … plan", "requires … role",
        "requires … scope", "requires … subscription", "restricted access", "restricted action", "row level security",
        "security violation", "subscription expired", "subscription has expired", "subscription required",
        "trial expired", "trial has expired", "upgrade your plan", "user is disabled", "was blocked",
        "without permission", "without the permission", "write blocked", "wrong permission", "your permission",
    )),
    # What is refused in an argument, and not to somebody.
    Pattern(_C.VALIDATION_FAILED, (
        "additional properties … forbidden", "extra … forbidden", "forbidden character", "forbidden field",
        "forbidden key", "forbidden parameter", "forbidden property", "forbidden value", "forbidden word",
    )),
    Pattern(_C.FORBIDDEN, ("forbidden",)),
    # Money.
    Pattern(_C.INSUFFICIENT_BALANCE, (
        "billing hard limit", "card declined", "card was declined", "credit balance is too low", "insufficient balance",
        "insufficient credit", "insufficient funds", "no credits", "not enough balance", "not enough credits",
        "out of credits", "payment required", "spending limit",
    )),
    # The thing is not there. It stands before the rows on bad values: "Invalid id: no such user" is about the user.
    Pattern(_C.GONE, (
        "has been deleted", "has been purged", "has been removed", "is gone", "no longer available", "no longer exists",
        "resource deleted", "resource gone", "session closed", "session terminated", "was deleted", "was purged", "was removed",
    )),
    Pattern(_C.CONFLICT, (
        "already been", "already completed", "already exist", "already has", "already in progress", "already in use",
        "already owned", "already pinned", "already reacted", "already refunded", "already registered",
        "already running", "already started", "already taken", "alreadyexists", "being used by", "circular dependency",
        "concurrent modification", "concurrent update", "conditional check failed", "conditional request failed",
        "conflicting", "document update conflict", "duplicate entry", "duplicate key", "duplicate value",
        "etag mismatch", "file exists", "foreign key", "has been modified", "changed since", "in use by",
        "integrity error", "is already", "is not empty", "key in use", "local changes", "merge conflict",
        "modified by another", "name taken", "no changes made", "non fast forward", "not mergeable", "not modified",
        "not the latest", "nothing to commit", "optimistic lock", "optimistic locking", "out of date",
        "precondition failed", "referenced by", "resource in use", "revision mismatch", "sha does not match",
        "stale data", "stale object", "still in use", "still referenced", "uncommitted changes", "unique constraint",
        "unique violation", "uniqueconstraint", "uniqueviolation", "version conflict", "version mismatch",
        "was changed", "was modified", "was updated by", "would be overwritten",
    )),
    Pattern(_C.METHOD_NOT_FOUND, ("no such method", "unknown method")),
    # A kind of thing, an option or a notation, and no thing.
    Pattern(_C.VALIDATION_FAILED, (
        "unknown account type", "unknown content type", "unknown data type", "unknown document type", "unknown entity type", "unknown escape",
        "unknown event type", "unknown file type", "unknown flag", "unknown index type", "unknown issue type", "unknown item type",
        "unknown link type", "unknown message type", "unknown node type", "unknown object type", "unknown order type",
        "unknown record type", "unknown resource type", "unknown shorthand flag", "unknown switch", "unknown user type",
    )),
    Pattern(_C.NOT_FOUND, (
        "0 records", "0 results", "0 rows", "can not find", "can't be found", "can't find", "cannot find",
        "cannot locate", "could not be located", "could not find", "could not locate", "could not resolve to an",
        "could not resolve … to a", "couldn't find", "did not match any", "did not resolve", "didn't exist", "document missing",
        "does not resolve", "doesn't exist", "doesnotexist", "don't exist", "failed to find", "is missing from",
        "is unknown", "isn't found", "lookup failed for", "matched 0", "never existed", "no data for", "no document",
        "no entry", "no item", "no match", "no matches", "no matching", "no object", "no pending", "no record",
        "no result", "no rows", "no such", "no … by that name", "no … by the name", "no … are available", "doesn't have a resource", "does not have a resource", "has no column", "no … exists", "no … found",
        "no … with given", "no … with id", "no … with idx", "no … with index", "no … with key", "no … with name",
        "no … with ref", "no … with that", "no … with uuid", "non existent", "nonexistent", "not a git repository",
        "not a known", "not be found", "not exist", "not found", "not in the database", "not known", "not listed",
        "not present in", "not recognised", "not recognized", "notfound", "nothing found", "nothing matched",
        "nothing matches", "resource missing", "returned no data", "invalid column name", "invalid object name", "unable to find", "unable to locate",
        "unknown account", "unknown branch", "unknown channel", "unknown city", "unknown cluster", "unknown collection",
        "unknown column", "unknown command", "unknown instance",
        "unknown connection", "unknown customer", "unknown database", "unknown document", "unknown entity",
        "unknown file", "unknown id", "unknown index", "unknown issue", "unknown item", "unknown link",
        "unknown location", "unknown model", "unknown namespace", "unknown object", "unknown order", "unknown page",
        "unknown partition", "unknown product", "unknown project", "unknown prompt", "unknown queue", "unknown record",
        "unknown reference", "unknown repository", "unknown resource", "unknown revision",
        "unknown symbol", "unknown table", "unknown ticket", "unknown tool", "unknown topic", "unknown user",
        "unrecognised", "unrecognized id", "wasn't found", "weren't found", "zero results",
    )),
    # The value is refused; the text says which rule it broke.
    Pattern(_C.NOT_IMPLEMENTED, (
        "can't support", "cannot support", "do not accept", "do not support", "does not accept", "does not handle",
        "does not support", "doesn't support", "don't support", "is unsupported", "isn't supported",
        "method deprecated", "not implemented", "not supported", "not yet implemented", "notimplementederror",
        "notsupported", "unimplemented", "unsupported operation",
    )),
    Pattern(_C.VALIDATION_FAILED, (
        "additional properties", "additional property", "additionalproperties", "ambiguous", "are invalid",
        "argument missing", "argument required", "arguments missing", "arguments required", "at least one",
        "bad argument", "bad format", "bad value", "but got", "can not exceed", "can only contain", "can't be blank",
        "can't be empty", "cannot be blank", "cannot be empty", "cannot be in the past", "cannot be null",
        "cannot be used together", "cannot be used with", "cannot combine", "cannot contain", "cannot exceed",
        "cannot provide both", "cannot set both", "cannot specify", "cannot start with", "cannot use both",
        "cast to … failed", "check constraint", "constraint violation", "context length", "contextlength",
        "did not match", "does not match pattern", "doesn't match pattern", "duplicate field", "exceed … limit",
        "exceeded maximum", "exceeded the maximum", "exceeds the", "exceeds … limit", "exceeds … maximum", "expected a",
        "expected an", "expected one of", "expected range", "expected type", "expected … but", "expected … got",
        "expected … received", "failed validation", "field missing", "field required", "greater than maximum",
        "has to be", "illegal argument", "illegal character", "illegal value", "illegalargumentexception",
        "in the future", "incompatible type", "incorrect format", "input should be", "invalid argument", "invalid date",
        "invalid email", "invalid enum", "invalid format", "invalid id", "invalid input", "invalid number of",
        "invalid parameter", "invalid syntax", "invalid type", "invalid url", "invalid uuid", "invalid value",
        "is a directory", "is a required property", "is invalid", "is not absolute", "is not of type", "is not one of",
        "is not valid under", "is required", "less than minimum", "maximum context", "maximum of", "may contain only",
        "may not be", "may not exceed", "may only contain", "mismatched", "missing arg", "missing argument",
        "missing field", "missing from arguments", "missing in arguments", "missing in request", "missing input",
        "missing mandatory", "missing param", "missing … parameter", "missing property", "missing required",
        "missing value", "must be a", "must be absolute", "must be after", "must be an", "must be at least",
        "must be at most", "must be before", "must be between", "must be greater", "must be in", "must be larger",
        "must be less", "must be non negative", "must be of type", "must be one of", "must be positive",
        "must be provided", "must be relative", "must be smaller", "must be specified", "must be supplied",
        "must be unique", "must be valid", "must consist of", "must contain", "must end with", "must have",
        "must match", "must not be", "must not contain", "must not exceed", "must not have", "must provide",
        "must specify", "must start with", "mutually exclusive", "need to be", "needs to be", "no more than",
        "are required", "no … given", "does not match any", "doesn't match any", "larger than", "no … provided", "no … selected", "no … specified", "no … supplied", "non numeric", "not a directory",
        "not a file", "not a number", "not a string", "not a valid", "not allowed here", "not an integer", "not both",
        "not in a correct format", "not in list of", "not in range", "not in the allowed", "not in the range",
        "not null constraint", "not specified in", "not within", "one of the following", "only alphanumeric",
        "only letters", "only one of", "only … are accepted", "only … are supported", "out of bounds", "out of range",
        "outofrange", "parameter missing", "parameter required", "parameters missing", "parameters required",
        "parsing exception", "passing both", "provide either", "provide one of", "providing both", "required argument",
        "required field", "required parameter", "setting both", "should be a", "should be an", "should be between",
        "should be defined", "should be greater", "should be less", "should be one of", "should have required",
        "should match", "should not be", "should not exceed", "specify either", "specify one of", "specifying both",
        "too big", "too few arguments", "too high", "too large", "too long", "too low", "too many arguments",
        "too many characters", "too short", "too small", "type mismatch", "undeclared argument", "undeclared parameter",
        "unexpected argument", "unexpected character", "unexpected field", "unexpected identifier",
        "unexpected keyword argument", "unexpected parameter", "unexpected type", "unexpected value",
        "unexpected … operator", "unknown action", "unknown argument", "unknown currency", "unknown encoding",
        "unknown field", "unknown format", "unknown function", "unknown identifier", "undefined identifier", "unknown key", "unknown language", "unknown mode",
        "unknown operation", "unknown option", "unknown parameter", "unknown stage", "unknown time zone",
        "unknown timezone", "unknown type", "unknown unit", "unknown variant", "unknown … operator",
        "unknown … supported", "unprocessable", "unrecognized", "unsupported file", "unsupported format",
        "unsupported protocol", "unsupported type", "unsupported uri",
        "unsupported value", "using both", "validation error", "validation failed", "validationerror", "violates",
        "wrong format", "wrong number of", "wrong type", "wrongtype",
    )),
    Pattern(_C.INVALID_REQUEST, ("not acceptable", "request refused", "unsupported media type")),
    Pattern(_C.VALIDATION_FAILED, ("bad request", "badrequest")),
    # Somebody else's service failed, and says little more.
    Pattern(_C.UPSTREAM_ERROR, (
        "backend error", "backend failed", "bad response", "bad status", "bad upstream", "dependency failed",
        "empty body", "empty reply", "empty response", "error from upstream", "failed dependency",
        "internal service error", "internalservererror", "invalid … response", "invalid response", "malformed response",
        "protocol error", "responded with an error", "server error", "something went wrong on our end",
        "too many redirects", "unexpected error on the server", "unexpected http status", "unexpected response",
        "unexpected status", "upstream error", "upstream failed", "upstream failure", "upstream request failed",
        "upstream service",
    )),
    # What only says that it may pass.
    Pattern(_C.SERVICE_UNAVAILABLE, (
        "please try again", "retry later", "temporarily", "temporary error", "temporary failure", "temporary problem",
        "transient error", "transient failure", "try again in", "try again later",
    ), _HARMLESS),
    # That no connection came about says less than why.
    Pattern(_C.NETWORK_ERROR, (
        "can't connect to", "can't reach", "cannot connect", "cannot establish … connection", "cannot reach",
        "could not connect", "could not establish … connection", "could not reach", "failed to connect",
        "failed to establish … connection", "failed to reach", "unable to connect", "unable to establish … connection",
        "unable to reach",
    ), _SAME),
    # What only says that some connection is to blame. A status beside "failed to fetch" says more than these.
    Pattern(_C.NETWORK_ERROR, (
        "connection issue", "connection problem", "connectivity", "failed to fetch", "fetch failed",
        "no active connection", "no connection to", "not connected", "read error", "with our connection",
    )),
    # Only some things may be done, or something has to be done before.
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "must be connected", "must connect", "must first", "need to connect", "only available", "only supported",
        "only valid", "only … allowed", "only … permitted", "tool first",
    )),
    Pattern(_C.DATABASE_ERROR, (
        "data error", "database error", "database failure", "disk image is malformed", "error in your sql",
        "file is not a database", "incomplete input", "incorrect syntax near", "interface error", "malformed database",
        "operational error", "programming error", "sql error", "sql logic error", "sql syntax", "sqlerror", "sqlstate",
        "syntax error at", "syntax error near",
    )),
    Pattern(_C.INITIALIZATION_FAILED, ("not fully initialized", "not been initialized", "not initialized", "uninitialized")),
    # What says that something does not fit, and not what.
    Pattern(_C.VALIDATION_FAILED, (
        "are identical", "cannot parse", "empty file", "is no file", "no columns to parse", "not in document", "compilation error", "could not convert", "could not parse", "does not match",
        "exceeds", "not enough arguments", "not unique", "one statement", "syntax error", "syntaxerror",
        "unable to parse", "unbalanced", "unexpected token", "unsupported",
    )),
    # What could not be read says less than why, and what it was.
    Pattern(_C.SERIALIZATION_ERROR, ("parse error", "parseerror", "parsing error")),
    Pattern(_C.NETWORK_ERROR, ("eof", "eoferror")),
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "are disabled", "is archived", "is disabled", "not running", "operation cannot be completed",
    )),
    # Not for now, or it would say so.
    Pattern(_C.NOT_IMPLEMENTED, ("aren't available", "isn't available", "not available")),
)

# The two tables of the json-rpc dialect, unchanged; rows above say most of it more sharply, and decide first.
PROVIDERS = (
    Pattern(_C.RATE_LIMITED, (
        "throttling exception", "throttlingexception", "too many requests exception", "toomanyrequestsexception",
    )),
    Pattern(_C.FORBIDDEN, (
        "access denied", "accessdenied", "accessdeniedexception", "unauthorized operation", "unauthorizedoperation",
    )),
    Pattern(_C.NOT_FOUND, ("resource not found exception", "resourcenotfoundexception")),
    Pattern(None, ("status code {status}",)),
    Pattern(_C.NETWORK_ERROR, ("connection refused",), _SAME),
    Pattern(_C.TIMEOUT, ("connection timeout",)),
    Pattern(_C.CONFLICT, ("duplicate key", "unique constraint")),
    Pattern(_C.VALIDATION_FAILED, ("foreign key constraint",)),
    Pattern(_C.UNAUTHORIZED, ("jwt expired",)),
    Pattern(_C.FORBIDDEN, ("row level security",)),
    Pattern(_C.RATE_LIMITED, ("insufficient quota", "quota exceeded")),
    Pattern(_C.NOT_FOUND, ("model not found",)),
    Pattern(_C.VALIDATION_FAILED, ("context length exceeded",)),
    Pattern(_C.NETWORK_ERROR, ("dns", "enotfound"), _NEVER),
    Pattern(_C.NETWORK_ERROR, ("connection reset",)),
)

COMMON = (
    # Not `not.*logged.*in`: three words in one line are no login ("could not be logged … in worker 3").
    Pattern(_C.UNAUTHORIZED, (
        "expired token", "invalid token", "not authorised", "not authorized", "not … logged in", "unauthenticated",
        "unauthorised", "unauthorized",
    )),
    # `permission` alone is a noun ("the permission matrix is empty"), and so is `permissions` in a path.
    Pattern(_C.FORBIDDEN, (
        "access … denied", "due to permission", "forbidden", "not … allowed", "permission for", "permission on",
        "permission to", "permissions for", "permissions on", "permissions to",
    )),
    Pattern(_C.NOT_FOUND, ("couldn't find", "doesn't exist", "no such", "not found")),
    Pattern(_C.VALIDATION_FAILED, (
        "bad request", "invalid", "malformed", "missing arg", "missing field", "missing input", "missing param",
        "missing required", "missing value", "validation", "wrong format",
    )),
    Pattern(_C.CONFLICT, ("already exists", "conflict", "conflicted", "duplicate", "duplicated", "unique constraint")),
    Pattern(_C.RATE_LIMITED, ("rate limit", "throttled", "too many requests")),
    Pattern(_C.TIMEOUT, ("deadline exceeded", "timed out", "timeout")),
    # The json-rpc dialect calls a cancelled call a timeout (-32004); here it has a code of its own.
    Pattern(_C.TIMEOUT, ("abort", "aborted")),
    Pattern(_C.TIMEOUT, ("aborting",), _NEVER),  # A program that gives up: nothing says that time would help.
    Pattern(_C.CANCELLED, ("canceled", "cancelled")),
    Pattern(_C.SERVICE_UNAVAILABLE, ("bad gateway", "gateway timeout", "service unavailable")),
    Pattern(_C.UPSTREAM_ERROR, ("upstream error",)),
    Pattern(_C.VALIDATION_FAILED, ("schema validation", "zod", "zod error", "zoderror")),
)

# Words that say a little. They count for what a server answers where no phrase above has said more, and not for exceptions:
# a program's own message uses them for anything.
VAGUE = (
    Pattern(_C.CONFIGURATION_ERROR, (
        "additional dependencies", "additional dependency", "environment variable", "missing dependency", "npm install",
        "in configuration", "in the config", "pip install", "requires … dependencies", "requires … installed",
    )),
    Pattern(_C.UNAUTHORIZED, ("authenticate", "authentication", "login", "oauth")),
    Pattern(_C.FORBIDDEN, (
        "cannot access", "denied", "injection", "malicious", "may not", "outside … directory", "outside … root", "outside … sandbox",
        "outside … workspace", "prohibited", "security check", "security policy", "suspicious", "traversal", "unsafe", "untrusted",
    )),
    Pattern(_C.OPERATION_NOT_ALLOWED, (
        "before … can", "confirm:true", "confirmation required", "encrypted", "is closed", "may not be enabled",
        "isn't running", "not clickable", "not enabled", "not loaded", "not started", "not yet", "nothing to", "read only", "readonly", "requires confirmation",
        "refused", "requires … first", "was rejected",
    )),
    Pattern(_C.CONFLICT, ("already",)),
    Pattern(_C.NOT_FOUND, ("has no", "is not in", "no … called", "no … named", "none of", "there is no")),
    Pattern(_C.UPSTREAM_ERROR, (
        "api call failed", "api error", "api request failed", "api returned", "http error",
    ), _NEVER),  # What says so little licenses nothing.
    Pattern(_C.VALIDATION_FAILED, (
        "at most", "beyond the", "bulk cap", "cannot be", "cannot convert", "cannot interpret", "could not interpret",
        "could not resolve", "contains", "does not", "doesn't", "empty", "expected", "greater than", "illegal", "improper", "incorrect", "is after", "is before", "is not a",
        "is earlier than", "is later than", "is not an", "is outside", "less than", "limited to", "maximum", "minimum", "missing", "mismatch", "must", "neither … nor",
        "no deeper", "a directory", "not enough", "not invertible", "not valid", "cannot both", "need", "needs", "only applies", "only once", "only … are", "require", "required", "requires", "takes a", "takes an", "too few", "too many",
        "unclosed", "unexpected", "unparsable", "unparseable", "unterminated", "wrong",
    )),
)
# fmt: on

ROWS = (*SHARPER, *PROVIDERS, *COMMON)
