"""How a text begins that tells of a failure: without isError, only this makes one of it.

A log search that finds "ERROR", a page about errors and a count of failed jobs are successes. So a text counts only
if it *opens* as failures do, goes on with words and not with a number, and is no list, page or log.
"""

import re

from errata.classification._languages import in_english
from errata.reading._look_alikes import looks_alike_only

_MOST = 4_000
_MOST_LINES = 30
_URL = r"[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s'\"<>)\]}]{1,2000}(?<![.:,;])"  # It has colons, and is no sentence.

# fmt: off
_NOUNS = "handling|tracking|reporting|logging|checking|correcting|budgeting|monitoring|messaging|proofing|learning"
_DOING = (
    "access(?:ing)?|authenticat(?:e|ing)|call(?:ing)?|communicat(?:e|ing)|complet(?:e|ing)|connect(?:ing)?|contact(?:ing)?|convert(?:ing)?|creat(?:e|ing)|"
    "delet(?:e|ing)|download(?:ing)?|execut(?:e|ing)|fetch(?:ing)?|generat(?:e|ing)|get(?:ting)?|initializ(?:e|ing)|invok(?:e|ing)|list(?:ing)?|"
    "load(?:ing)?|modify(?:ing)?|navigat(?:e|ing)|open(?:ing)?|pars(?:e|ing)|perform(?:ing)?|process(?:ing)?|query(?:ing)?|quer(?:y|ying)|reach(?:ing)?|read(?:ing)?|"
    "resolv(?:e|ing)|retriev(?:e|ing)|run(?:ning)?|sav(?:e|ing)|search(?:ing)?|send(?:ing)?|set(?:ting)?|start(?:ing)?|updat(?:e|ing)|upload(?:ing)?|writ(?:e|ing)"
)
_DOING_TO_THINGS = (
    "add|apply|archive|assign|attach|cancel|clone|close|copy|deploy|edit|export|import|insert|install|join|merge|move|post|publish|"
    "register|remove|rename|restore|schedule|submit|validate|verify"
)
_OF_MACHINES = (
    "authenticate|connect|create|delete|download|execute|fetch|generate|get|initialize|invoke|list|load|parse|process|query|retrieve|save|send|"
    "update|upload|write"
)
_KINDS = (
    "API|Application|Argument|Authentication|Authorization|Client|Communication|Config(?:uration)?|Connection|Database(?: connection)?|Decoding|Execution|"
    "Fetch|HTTP|I/?O|Input(?: validation)?|Internal(?: server)?|JSON|MCP|Network|Parse|Parsing|Permission|Protocol|Query|Request|Runtime|SQL|Search|"
    "Server|Service|Socket|System|Timeout|Tool(?: execution)?|Unexpected|Unknown|Upstream|Validation|[A-Z][A-Za-z]{1,30} API"
)
_FAILING = "API (?:call|request)|Authentication|Command|Connection|Download|Execution|Fetch|Lookup|Operation|Query|Request|Search|Tool(?: call| execution)?|Upload"
_STOPPED = "[Rr]ejected|[Rr]efused|[Dd]enied|[Aa]borted|[Bb]locked"
_ARGUMENT = "[Pp]arameters?|[Aa]rguments?"
_WANTED = "(?:is|are) (?:required|missing|mandatory)|(?:is|are) required but (?:is |was |were |are )?(?:missing|not provided)|must be (?:provided|specified|set)"
_REFUSING = "Access denied|Authentication (?:failed|required)|Forbidden|Invalid API key|Not authenticated|Permission denied|Unauthorized"
_ADVICE = "Please|Check|Log|Make|Provide|Run|Set|Sign|Try|Use|Verify|You|Your"
_OF_ACCESS = "(?i:access|credentials?|expired|invalid|keys?|log ?in|missing|must|not|only|passwords?|permissions?|required|roles?|scopes?|tokens?)"
_TO_ENTER = "(?i:api|auth|credentials?|keys?|log ?in|sign ?in|passwords?|permissions?|scopes?|tokens?)"
_TOOL_FAILED = "Tool (?:call|execution) failed"
_FACULTY = "allowed|permitted|supported"
_REFUSAL = "|".join((
    r"[Mm]issing or invalid [`'\"]?[\w.\-]{1,60}[`'\"]?(?: (?:parameter|argument|field|value))?\.?$",
    rf"Only [A-Z]{{3,20}}(?:, [A-Z]{{3,20}}){{0,8}}(?:,? (?:and|or) [A-Z]{{3,20}})? (?:commands|methods|operations|queries|statements) (?:are|is) (?:{_FACULTY})(?: [^\n]{{0,100}})?$",
    r"[A-Z][a-z]{2,30}(?: [a-z]{2,30}){0,2} [`'\"][^`'\"\n]{1,200}[`'\"] (?:(?:was |is )?not found|could not be found|does not exist|doesn't exist|is not supported)(?:[.,!]? (?:in [^\n]{1,60}|Available[^\n]{1,200}|Use [^\n]{1,200}))?[.!]?$",
    r"(?:Unknown|Unsupported|Unrecognized|Invalid) [a-z]{2,30}(?: [a-z]{2,30}){0,2}: [^\n]{1,100}?[.,;] ?(?:Allowed|Available|Choose|Expected|Must be|Supported|Use|Valid)\b[^\n]{1,400}$",
))
_BY_PROTOCOL = r"(?:MCP error -\d{5}: |Error executing tool |Error calling tool |Unknown tool: )"
_ARGUMENT_WANTED = (
    rf"(?:The )?(?:[Rr]equired )?(?:(?:{_ARGUMENT}) [`'\"][\w.\-]{{1,60}}[`'\"]|[`'\"]?[\w.\-]{{1,60}}[`'\"]?(?: and [`'\"]?[\w.\-]{{1,60}}[`'\"]?)? (?:{_ARGUMENT})) (?:{_WANTED})\.?$"
    r"|[Mm]issing (?:required )?(?:parameter|argument|field|property)s?: ?[`'\"]?[\w.]{1,60}[`'\"]?\.?$"
)
_MARK = r"(?:[\u26a0\u274c\u2717\u2718\U0001f6ab\u26d4]\ufe0f?\s{0,3})?(?:\*\*)?"
_REST = r"(?!(?i:no|none|nil|null|n/a)\.?$)(?=[45]\d\d [A-Za-z(]|\d{3,6} \(\w|[^\s\d])"  # Words: a number alone is a count.
_NO_ARTICLE = r"(?!(?:a|an|the|what|how|why|adjective|noun|verb)\b|(?:An?|The) [A-Z])"  # What explains a word, or is the title of something.

_OPENINGS = "|".join((
    rf"{_MARK}Error(?:\*\*)?(?: [(\[][\w \-]{{1,40}}[)\]])?(?::(?:\*\*)?| -|!) {_REST}",
    rf"{_MARK}(?:{_KINDS}) [Ee]rror(?: ?\([\w \-]{{1,40}}\))?: {_NO_ARTICLE}{_REST}",
    # What pydantic says of the arguments has lines, and no log or page opens like it.
    rf"{_MARK}(?:(?:ERROR|error|Error): )?[^\n]{{0,200}}\b\d{{1,3}} validation errors? for [^\n]{{1,100}}\n\S[^\n]{{0,200}}\n  [^\n]{{1,1000}}\[type=",
    rf"{_MARK}Error in \w{{1,60}}(?:\(\))?: {_NO_ARTICLE}{_REST}",
    rf"{_MARK}Error occurred(?: while [^\n:]{{1,100}}| in [^\n:]{{1,60}})?: {_NO_ARTICLE}{_REST}",
    rf"[\u274c\u2717\u2718\U0001f6ab\u26d4]\ufe0f?\s{{0,3}}(?:\*\*)?[\w /'\-]{{2,60}} [Ee]rror(?:\*\*)?:(?:\*\*)? {_NO_ARTICLE}{_REST}",
    rf"{_MARK}(?:The )?(?:[Ss]pecified |[Rr]equested )?(?:Directory|File|Folder|Path)(?: [`'\"]?[^\n`'\" ]{{1,200}}[`'\"]?)? (?:(?:was |could )?not (?:be )?found|does not exist)(?:\.?$|: (?!(?i:false|true|no|yes)$)[^\n ]{{1,300}}$)",
    r"Sorry, (?:I |we |but I )?(?:couldn't|could not|can't|cannot|was unable to|am unable to|were unable to) [^\n;]{1,300}$",
    rf"{_MARK}Error (?:while |when |during )?(?!{_NOUNS})[a-z]{{2,20}}ing\b[^\n]{{0,300}}?: \n?{_REST}",
    rf"{_MARK}Error (?:while |when )?(?:{_DOING})\b[^\n:]{{1,200}}$",
    rf"{_MARK}Failed to (?:{_DOING}|{_DOING_TO_THINGS}) [^\n]{{1,400}}$",
    rf"{_MARK}(?:Could not|Couldn't|Cannot|Can't|Unable to) (?:{_DOING})\b(?:[^\n]{{0,300}}?: {_REST}|[^\n:]{{1,300}}$)",
    rf"{_MARK}An? (?:unexpected |internal |unknown |unhandled )?(?:error|exception) (?:has )?occurred(?: while | when |: |[.!] )",
    rf"{_MARK}(?:Unexpected|Unhandled|Uncaught) (?:error|exception)\b(?: [a-z][^\n:]{{0,100}})?: {_REST}",
    rf"{_MARK}Something went wrong(?: while | when |[.:!] )",
    rf"{_MARK}Exception(?: occurred)?: {_NO_ARTICLE}{_REST}",
    rf"{_MARK}(?:{_FAILING}) (?:{_STOPPED}): {_REST}",
    rf"{_MARK}[A-Z][\w ]{{2,60}} (?:{_STOPPED}|[Ff]ailed): Error\b(?=[^\n]{{1,500}}$)(?: from| \w{{2,20}}ing\b|:)",
    rf"{_MARK}Error from server(?: \(\w{{1,40}}\))?: {_REST}",
    rf"{_MARK}Invalid (?:tool )?(?:arguments?|parameters?|params|input arguments?)(?: for [^\n:]{{1,80}})?: {_NO_ARTICLE}(?=[^\n]{{1,300}}$){_REST}",
    rf"{_MARK}Invalid (?:tool )?inputs?: '[^'\n]{{1,80}}' is a required property",
    _ARGUMENT_WANTED,
    rf"{_MARK}(?:{_REFUSAL})",
    rf"{_MARK}(?:{_FAILING}) failed(?: with [^\n:]{{1,100}}| after [^\n:]{{1,100}})?(?:: {_REST}|\.?$)",
    rf"{_MARK}HTTP [Ee]rror:? [45]\d\d(?=[^\n]{{0,300}}$)(?:: | - ){_REST}",
    rf"{_MARK}(?:{_REFUSING})(?:[.!] (?:{_ADVICE})\b(?=[^\n]*\b(?:{_TO_ENTER})\b)|: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?=[^\n]*\b(?:{_OF_ACCESS})\b){_REST})",
    rf"{_MARK}(?:Rate limit(?:ed| exceeded| reached)|Too many requests)\b[^\n?]{{0,200}}\b(?i:try again (?:in|later|after)|retry (?:in|after)|please (?:retry|slow|wait)|wait \d)",
    _BY_PROTOCOL,
))
# These need no cause beside them: only programs talk like that, and of nothing but their own call.
_STRONG = "|".join((
    rf"{_MARK}Failed to (?:{_OF_MACHINES}) (?!\d)[^\n,;?!:]{{1,100}}(?:$|: [a-z'\"\[{{])",
    rf"{_MARK}(?:Unable to|Could not|Couldn't) (?:fetch|retrieve) [^\n,;?!:\d]{{1,100}}$",
    rf"{_MARK}(?:{_TOOL_FAILED}): ",
    rf"{_MARK}Error [(\[](?:ERROR|[A-Z]{{2,30}}_[A-Z_]{{2,40}})[)\]]: {_NO_ARTICLE}",
    rf"{_MARK}Error in \w{{1,60}}(?:\(\))?: \w{{0,60}}(?:Error|Exception)\b",
    rf"{_MARK}Error (?:while |when |during )?(?!{_NOUNS})[a-z]{{2,20}}ing (?!\d)[^\n:]{{1,100}}: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?![A-Z][^\n]*[.!?]$){_REST}",
    rf"{_MARK}Error: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?=[^\n]*\b(?i:cannot|can't|could not|couldn't|expected|invalid|must|not|only|requires?|should|too|unable|undefined|unexpected|unsupported)\b){_REST}",
    rf"{_MARK}(?:Unexpected error|Error occurred) in \w{{1,60}}(?:\(\))?: ",
    rf"{_MARK}(?:Directory|File|Folder|Path)\b",
    # Whoever refuses and says what may be done instead.
    rf"{_MARK}(?:Access|Permission) denied: (?i:(?:you )?(?:can|may|must)(?:not| not| only) (?:access|create|delete|edit|execute|list|modify|open|read|run|update|use|view|write)\b)",
    _BY_PROTOCOL,
    _ARGUMENT_WANTED,
    rf"{_MARK}(?:{_REFUSAL})",
))
# fmt: on


_MARKED = "*[#'\"`\u26a0\u274c\u2717\u2718\U0001f6ab\u26d4"
_AFTER_MARKS = rf"[\s{re.escape(_MARKED)}\ufe0f]{{0,10}}([A-Za-z'/]{{1,50}})"
_BEFORE_A_WORD = frozenset(_MARKED + " \t\r\n")
_WORDS = (
    "A", "API", "Access", "An", "Application", "Argument", "Authentication", "Authorization", "Can't", "Cannot",
    "Client", "Command", "Communication", "Config", "Configuration", "Connection", "Could", "Couldn't", "Database",
    "Decoding", "Directory", "Download", "ERROR", "Error", "Exception", "Execution", "Failed", "Fetch", "File", "Folder", "Forbidden", "HTTP", "I/O", "IO",
    "Input", "Internal", "Invalid", "JSON", "Lookup", "MCP", "Missing", "Network", "Not", "Only", "Operation", "Parse", "Parsing", "Path",
    "Permission", "Protocol", "Query", "Rate", "Request", "Runtime", "SQL", "Search", "Server", "Service", "Socket",
    "Something", "Sorry", "System", "Timeout", "Too", "Tool", "Unable", "Unauthorized", "Uncaught", "Unexpected",
    "Unhandled", "Unknown", "Unrecognized", "Unsupported", "Upload", "Upstream", "Validation", "error", "missing",
)  # fmt: skip
_FIRST_WORDS = frozenset(word + end for word in _WORDS for end in ("", ":", ".", "!", ","))
_HEAD = 80


def opens_like_a_failure(text: str) -> bool:
    """Whether a text says from its first word on that the call failed. Cheap, because every success is asked."""
    head = text[:_HEAD]
    if not head.isascii() and len(text) <= _MOST and _opens_in_another_language(text, head):
        return True
    words = head.split(None, 1)
    if not words or (words[0] not in _FIRST_WORDS and not _may_open(head) and not _may_be_missing(text)):
        return False
    return len(text) <= _MOST and _opens(text.strip())


# What servers say first in Chinese, Japanese and Korean: that there was an error, and, in a short text, what is not there.
_ERROR_ABROAD = (
    "\u9519\u8bef", "\u932f\u8aa4", "\u5931\u8d25", "\u5931\u6557", "\u5f02\u5e38", "\u7570\u5e38", "\u30a8\u30e9\u30fc", "\uc624\ub958", "\uc5d0\ub7ec", "\uc2e4\ud328",
)  # fmt: skip
_MISSING_ABROAD = (
    "\u627e\u4e0d\u5230", "\u672a\u627e\u5230", "\u4e0d\u5b58\u5728", "\u672a\u914d\u7f6e", "\u7f3a\u5c11", "\u6587\u4e3a\u7a7a", "\u898b\u3064\u304b\u308a\u307e\u305b\u3093", "\ucc3e\uc744 \uc218 \uc5c6", "\uc874\uc7ac\ud558\uc9c0 \uc54a",
)  # fmt: skip
# Nothing found by a search is no failure: no result, match, record or data.
_RESULTS_ABROAD = re.compile(
    "\u7ed3\u679c|\u7d50\u679c|\u5339\u914d|\u7b26\u5408|\u8bb0\u5f55|\u8a18\u9304|\u6570\u636e|\u8cc7\u6599|\u8a72\u5f53|\uac80\uc0c9|\uacb0\uacfc|\uc77c\uce58"
)
# "Unsupported operation: x", "Unknown unit: x".
_REFUSED_ABROAD = re.compile(
    "\\W{0,3}(?:\u4e0d\u652f\u6301|\u4e0d\u652f\u63f4|\u672a\u77e5|\u65e0\u6548|\u7121\u6548|\u975e\u6cd5)[^\\n:\uff1a]{1,30}[:\uff1a] ?\\S"
)
_LONGEST_STATEMENT = 200


def _opens_in_another_language(text: str, head: str) -> bool:
    if any(word in head for word in _ERROR_ABROAD):
        english = in_english(text.strip())
        if re.match(r"[^\n:]{0,60}\b(?:error|failed|exception)\b[^\n:]{0,30}: *\S", english):
            asks = text.strip().partition("\n")[0].rstrip().endswith(("?", "\uff1f"))
            return not asks and text.count("\n") <= _MOST_LINES and not looks_alike_only(english)
    is_short = len(text) <= _LONGEST_STATEMENT and "\n" not in text.strip()
    if is_short and _REFUSED_ABROAD.match(text):
        return True
    return is_short and any(word in head for word in _MISSING_ABROAD) and not _RESULTS_ABROAD.search(text)


def cause_in(text: str) -> str:
    """Give what follows the opening: "Timeout error" is a word, too, and says nothing of what happened."""
    opening = re.match(r"[^\n.]{1,300}?(?:: | - )", text)
    return text[opening.end() :] if opening else text


def needs_no_cause(text: str) -> bool:
    """Whether an opening is enough; any other tells of a failure only if it goes on with words that do."""
    return (
        bool(re.match(_STRONG, text.strip()))
        or any(word in text[:_HEAD] for word in _MISSING_ABROAD)
        or bool(_REFUSED_ABROAD.match(text))
    )


def _may_open(head: str) -> bool:
    """Whether what only some of them say is near: "GitLab API error: …", "The 'state' parameter is required."."""
    if "rror" in head or "xception" in head or " API " in head or "arameter" in head or "rgument" in head:
        return True
    first = re.match(_AFTER_MARKS, head) if head[:1] in _BEFORE_A_WORD else None
    return first is not None and first[1] in _FIRST_WORDS


def _may_be_missing(text: str) -> bool:
    """Whether a short text may say of what was asked for that it is not there: "Table 'orders' not found"."""
    return len(text) <= _LONGEST_STATEMENT and (" not found" in text or "n't exist" in text or " not exist" in text)


def _opens(text: str) -> bool:
    text = re.sub(_URL, "URL", text) if "://" in text else text
    return bool(re.match(_OPENINGS, text)) and text.count("\n") <= _MOST_LINES and not looks_alike_only(text)
