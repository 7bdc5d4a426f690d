"""How a text begins that tells of a failure; without isError, only this makes it one.

A log search that finds "ERROR", a page about errors and a count of failed jobs are successes. So a text counts only
if it *opens* as failures do, goes on with words and not with a number, and is no list, page or log.
"""

import re

from errata._languages import in_english, may_open_foreign

_MOST = 4_000
_MOST_LINES = 30
_URL = r"[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s'\"<>)\]}]{1,2000}(?<![.:,;])"  # Its colons end no sentence.

# fmt: off
_NOUNS = "handling|tracking|reporting|logging|checking|correcting|budgeting|monitoring|messaging|proofing|learning"
_DOING = (
    "access(?:ing)?|authenticat(?:e|ing)|call(?:ing)?|communicat(?:e|ing)|complet(?:e|ing)|connect(?:ing)?|contact(?:ing)?|convert(?:ing)?|creat(?:e|ing)|"
    "delet(?:e|ing)|download(?:ing)?|execut(?:e|ing)|fetch(?:ing)?|generat(?:e|ing)|get(?:ting)?|initializ(?:e|ing)|invok(?:e|ing)|list(?:ing)?|"
    "load(?:ing)?|modify(?:ing)?|navigat(?:e|ing)|open(?:ing)?|pars(?:e|ing)|perform(?:ing)?|process(?:ing)?|query(?:ing)?|reach(?:ing)?|read(?:ing)?|"
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
# Things that a tool reports on: their failure is its result.
_REPORTED = "Backup|Build|Case|Check|Delivery|Deploy|Deployment|Job|Payment|Pipeline|Release|Run|Scan|Step|Suite|Sync|Task|Test|Tests|Workflow"
# Only a program describes an attempt like that.
_OF_PROGRAMS = r"\[Errno|Expecting value|\bE[A-Z]{4,12}\b|Exception\b|Error\b|HTTP \d{3}|returned \d{3}|required|env vars?|not yet implemented"
_STOPPED = "[Rr]ejected|[Rr]efused|[Dd]enied|[Aa]borted|[Bb]locked"
_ARGUMENT = "[Pp]arameters?|[Aa]rguments?"
_WANTED = "(?:is|are) (?:required|missing|mandatory)|(?:is|are) required but (?:is |was |were |are )?(?:missing|not provided)|must be (?:provided|specified|set)"
_REFUSING = "Access denied|Authentication (?:failed|required)|Forbidden|Invalid API key|Not authenticated|Permission denied|Unauthorized"
_ADVICE = "Please|Check|Log|Make|Provide|Run|Set|Sign|Try|Use|Verify|You|Your"
_OF_ACCESS = "(?i:access|credentials?|expired|invalid|keys?|log ?in|missing|must|not|only|passwords?|permissions?|required|roles?|scopes?|tokens?)"
_TO_ENTER = "(?i:api|auth|credentials?|keys?|log ?in|sign ?in|passwords?|permissions?|scopes?|tokens?)"
_TOOL_FAILED = "Tool (?:call|execution) failed"
# Things that are searched for, or whose absence is good news.
_SEARCHED = (
    "Broken|Condition|Conflict|Domain|Duplicate|Email|Handle|Keyword|Malware|Match|Mistake|Name|None|Nothing|Page|Password|Pattern|Phrase|"
    "Problem|Regex|Regression|Result|String|Subdomain|Substring|Text|Threat|Username|Value|Virus|Vulnerabilit|Word"
)
_FACULTY = "allowed|permitted|supported"
_REFUSAL = "|".join((
    r"[Mm]issing or invalid [`'\"]?[\w.\-]{1,60}[`'\"]?(?: (?:parameter|argument|field|value))?\.?$",
    rf"(?!{_SEARCHED})[A-Z][a-z]{{2,30}}(?: [a-z]{{2,30}}){{0,2}} not found(?: in [a-z]{{2,20}})?: (?!\d+$)[^\n,;]{{1,100}}$",
    r"(?=(?:No|Not|There (?:is|are) no)\b|[^\n.]{3,120}\b(?:already|not)\b)[A-Z][^\n]{3,120}\. (?:Please )?(?:Call|Create|Load|Open|Run|Start|Use) [^\n]{0,60}\b[a-z]{2,20}(?:_[a-z]{2,20}){1,4}\b[^\n]{0,60} first\.?$",
    r"(?:Could not|Couldn't|Cannot|Unable to) (?:decode|find|identify|interpret|locate|parse|recognize|resolve) [^\n.'\"`]{0,60}[`'\"][^`'\"\n]{1,100}[`'\"]\. (?:Available|Check|Please|Supported|Try|Use|Valid)\b[^\n]{1,300}$",
    rf"Only [A-Z]{{3,20}}(?:, [A-Z]{{3,20}}){{0,8}}(?:,? (?:and|or) [A-Z]{{3,20}})? (?:commands|methods|operations|queries|statements) (?:are|is) (?:{_FACULTY})\.?$",
    rf"(?!{_SEARCHED})[A-Z][a-z]{{2,30}}(?: [a-z]{{2,30}})? (?=\S*[\d_])[^\s:,;]{{1,60}} not found[.!]?$",
    rf"(?!{_SEARCHED})[A-Z][a-z]{{2,30}}(?: [a-z]{{2,30}}){{0,2}} [`'\"][^`'\"\n]{{1,200}}[`'\"] (?:(?:was |is )?not found|could not be found|does not exist|doesn't exist|is not supported)(?:(?: in [^\n.]{{1,60}})?[.,!]? (?:Available[^\n]{{1,200}}|Use [^\n]{{1,200}}))?[.!]?$",
    r"(?:Unknown|Unsupported|Unrecognized|Invalid) (?:[a-z]{2,30} ){0,2}(?:action|algorithm|category|command|conversion|format|function|language|level|method|mode|operation|operator|option|parameter|provider|strategy|type|unit|value): [^\n]{1,100}?[.,;] ?(?:Allowed|Available|Choose|Expected|Must be|Supported|Use|Valid)\b[^\n]{1,400}$",
))
_HEADED = r"(?:# [^\n]{1,50} Result\n\s{0,4})?#{1,4} (?:System )?Error\s{1,6}"
# How the library requests describes an answer, or the lack of one.
_OF_PYTHON = r"(?:[45]\d\d (?:Client|Server) Error: [^\n]{1,80} for url: |HTTPS?ConnectionPool\(host=|\('Connection aborted)"
_STATUS_LINES = r"(?:[A-Z_]{2,30}: [^\n]{0,200}\n){0,6}STATUS: (?:FAILED|ERROR)\n(?:[A-Z_]{2,30}: [^\n]{0,200}\n){0,6}ERROR: "
_BY_PROTOCOL = r"(?:MCP error -\d{5}: |Error executing tool |Error calling tool |Unknown tool: )"
_ARGUMENT_WANTED = (
    rf"(?:The )?(?:[Rr]equired )?(?:(?:{_ARGUMENT}) [`'\"][\w.\-]{{1,60}}[`'\"]|[`'\"]?[\w.\-]{{1,60}}[`'\"]?(?: and [`'\"]?[\w.\-]{{1,60}}[`'\"]?)? (?:{_ARGUMENT})) (?:{_WANTED})\.?$"
    r"|[Mm]issing (?:required )?(?:parameter|argument|field|property)s?: ?[`'\"]?[\w.]{1,60}[`'\"]?\.?$"
)
_CROSS = r"[\u274c\u2717\u2718\U0001f6ab\u26d4]\ufe0f?\s{0,3}"
_REFUSED = r"Cannot|Could not|Failed to|Unable to|(?:parameter|argument|field)s?\b|(?:with|ID) [`'\"]?[\w\-]{1,60}[`'\"]? not found"
_MARK = r"(?:[\u26a0\u274c\u2717\u2718\U0001f6ab\u26d4]\ufe0f?\s{0,3})?(?:\*\*)?"
_REST = r"(?!(?i:no|none|nil|null|n/a)\.?$)(?=[45]\d\d [A-Za-z(]|\d{3,6} \(\w|[^\s\d])"  # Words: a number alone is a count.
_NO_ARTICLE = r"(?!(?:a|an|the|what|how|why|adjective|noun|verb)\b|(?:An?|The) [A-Z])"  # What explains a word, or is the title of something.

# Openings that prove a failure without a cause behind them.
_ALONE = (
    rf"{_MARK}(?:Could not|Couldn't|Unable to) (?:decode|determine|find|identify|locate|resolve) [a-z][^\n,;?!:]{{0,60}}(?:: \S{{1,60}}| [`'\"][^`'\"\n]{{1,60}}[`'\"])\.?$",
    rf"{_CROSS}(?:\*\*)?(?=[A-Z][^\n]{{2,80}}\n\s{{0,4}}\n)(?=Error\b|Failed to\b|Invalid\b|Could not\b|Cannot\b|Unable to\b|No [A-Z]\w+ Found)",
    rf"{_CROSS}(?:\*\*)?(?:Error:(?:\*\*)? )?(?=[A-Z][^\n]{{1,200}}$)(?![^\n]*: \d)(?=[^\n]*(?:{_REFUSED}))",
    rf"{_MARK}(?:{_REFUSAL})",
    _BY_PROTOCOL,
    _OF_PYTHON,
    _STATUS_LINES,
    _ARGUMENT_WANTED,
)
_OPENINGS = "|".join((
    *_ALONE,
    rf"{_MARK}Error(?:\*\*)?(?: [(\[][\w \-]{{1,40}}[)\]])?(?::(?:\*\*)?| -|!) {_REST}",
    rf"{_MARK}(?:{_KINDS}) [Ee]rror(?: ?\([\w \-]{{1,40}}\))?: {_NO_ARTICLE}{_REST}",
    # Pydantic's errors have several lines, but no log or page opens like them.
    rf"{_MARK}(?:(?:ERROR|error|Error): )?[^\n]{{0,200}}\b\d{{1,3}} validation errors? for [^\n]{{1,100}}\n\S[^\n]{{0,200}}\n  [^\n]{{1,1000}}\[type=",
    rf"{_MARK}Error in \w{{1,60}}(?:\(\))?: {_NO_ARTICLE}{_REST}",
    rf"{_MARK}Error occurred(?: while [^\n:]{{1,100}}| in [^\n:]{{1,60}})?: {_NO_ARTICLE}{_REST}",
    rf"{_CROSS}(?:\*\*)?[\w /'\-]{{2,60}} [Ee]rror(?:\*\*)?:(?:\*\*)? {_NO_ARTICLE}{_REST}",
    rf"{_CROSS}(?:\*\*)?Error[^\n:]{{0,40}}:(?:\*\*)? {_NO_ARTICLE}{_REST}",
    rf"{_MARK}(?!The |[A-Za-z ]{{0,40}}(?i:{_REPORTED}) failed)[A-Z][a-z]{{2,20}}(?: [a-z]{{2,20}}){{0,3}} failed: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?=[^\n]*(?:{_OF_PROGRAMS})){_REST}",
    rf"{_HEADED}(?=[^\n#]{{3,300}}\s{{0,4}}$)",
    rf"{_MARK}(?:The )?(?:[Ss]pecified |[Rr]equested )?(?:Directory|File|Folder|Path)(?: [`'\"]?[^\n`'\" ]{{1,200}}[`'\"]?)? (?:(?:was |could )?not (?:be )?found|does not exist)(?:\.?$|: (?!(?i:false|true|no|yes)$)[^\n ]{{1,300}}$)",
    r"Sorry, (?:I |we |but I )?(?:couldn't|could not|can't|cannot|was unable to|am unable to|were unable to) [^\n;]{1,300}$",
    rf"{_MARK}Error (?:while |when |during )?(?!{_NOUNS})[a-z]{{2,20}}ing\b[^\n]{{0,300}}?: \n?{_REST}",
    rf"{_MARK}Error (?:while |when )?(?:{_DOING})\b[^\n:]{{1,200}}$",
    rf"{_MARK}Failed to (?:{_DOING}|{_DOING_TO_THINGS}) [^\n]{{1,400}}$",
    r"Invalid [a-z]{2,20}(?: [a-z]{2,20}){0,3}: [`'\"\w][^\n]{0,200}$",
    rf"{_MARK}(?:Could not|Couldn't|Cannot|Can't|Unable to) (?:{_DOING})\b(?:[^\n]{{0,300}}?: {_REST}|[^\n:]{{1,300}}$)",
    rf"{_MARK}An? (?:unexpected |internal |unknown |unhandled )?(?:server )?(?:error|exception) (?:has )?occurred(?: while | when |: |[.!] |\.?$)",
    rf"{_MARK}(?:Unexpected|Unhandled|Uncaught) (?:error|exception)\b(?: [a-z][^\n:]{{0,100}})?: {_REST}",
    rf"{_MARK}Something went wrong(?: while | when |[.:!] )",
    rf"{_MARK}Exception(?: occurred)?: {_NO_ARTICLE}{_REST}",
    rf"{_MARK}(?:{_FAILING}) (?:{_STOPPED}): {_REST}",
    rf"{_MARK}[A-Z][\w ]{{2,60}} (?:{_STOPPED}|[Ff]ailed): Error\b(?=[^\n]{{1,500}}$)(?: from| \w{{2,20}}ing\b|:)",
    rf"{_MARK}Error from server(?: \(\w{{1,40}}\))?: {_REST}",
    rf"{_MARK}Invalid (?:tool )?(?:arguments?|parameters?|params|input arguments?)(?: for [^\n:]{{1,80}})?: {_NO_ARTICLE}(?=[^\n]{{1,300}}$){_REST}",
    rf"{_MARK}Invalid (?:tool )?inputs?: '[^'\n]{{1,80}}' is a required property",
    rf"{_MARK}(?:{_FAILING}) failed(?: with [^\n:]{{1,100}}| after [^\n:]{{1,100}})?(?:: {_REST}|\.?$)",
    rf"{_MARK}HTTP [Ee]rror:? [45]\d\d(?=[^\n]{{0,300}}$)(?:: | - ){_REST}",
    rf"{_MARK}(?:{_REFUSING})(?:[.!] (?:{_ADVICE})\b(?=[^\n]*\b(?:{_TO_ENTER})\b)|: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?=[^\n]*\b(?:{_OF_ACCESS})\b){_REST})",
    rf"{_MARK}(?:Rate limit(?:ed| exceeded| reached)|Too many requests)\b[^\n?]{{0,200}}\b(?i:try again (?:in|later|after)|retry (?:in|after)|please (?:retry|slow|wait)|wait \d)",
))
# Openings that prove a failure: only programs write like that, and only about their own call.
_STRONG = "|".join((
    *_ALONE,
    rf"{_MARK}Failed to (?:{_OF_MACHINES}) (?!\d)[^\n,;?!:]{{1,100}}(?:$|: [a-z'\"\[{{])",
    rf"{_MARK}(?:Unable to|Could not|Couldn't) (?:fetch|retrieve) [^\n,;?!:\d]{{1,100}}$",
    rf"{_MARK}(?:{_TOOL_FAILED}): ",
    rf"{_MARK}Error [(\[](?:ERROR|[A-Z]{{2,30}}_[A-Z_]{{2,40}})[)\]]: {_NO_ARTICLE}",
    rf"{_MARK}Error in \w{{1,60}}(?:\(\))?: \w{{0,60}}(?:Error|Exception)\b",
    rf"{_MARK}Error (?:while |when |during )?(?!{_NOUNS})[a-z]{{2,20}}ing (?!\d)[^\n:]{{1,100}}: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?![A-Z][^\n]*[.!?]$){_REST}",
    rf"{_MARK}Error: {_NO_ARTICLE}(?=[^\n]{{1,300}}$)(?=[^\n]*\b(?i:cannot|can't|could not|couldn't|expected|failed to|invalid|missing|must|no|not|only|please|provide|required?|requires|should|too|unable|undefined|unexpected|unknown|unsupported)\b){_REST}",
    rf"{_MARK}Failed to (?:{_DOING}|{_DOING_TO_THINGS}) [a-z][^\n,;?!:]{{0,60}}(?:: \S{{1,60}}| (?=\S*[\d_])\S{{1,60}})$",
    rf"{_MARK}(?:Unexpected error|Error occurred) in \w{{1,60}}(?:\(\))?: ",
    rf"{_MARK}(?:Directory|File|Folder|Path)\b",
    # A refusal that says what may be done instead.
    rf"{_MARK}(?:Access|Permission) denied: (?i:(?:you )?(?:can|may|must)(?:not| not| only) (?:access|create|delete|edit|execute|list|modify|open|read|run|update|use|view|write)\b)",
))
# fmt: on


_CROSSES = "\u274c\u2717\u2718\U0001f6ab\u26d4"
_MARKED = f"*[#'\"`\u26a0{_CROSSES}"
_AFTER_MARKS = rf"[\s{re.escape(_MARKED)}\ufe0f]{{0,10}}([A-Za-z'/]{{1,50}})"
_BEFORE_A_WORD = frozenset(_MARKED + " \t\r\n")
_WORDS = (
    "A", "API", "Access", "An", "Application", "Argument", "Authentication", "Authorization", "Can't", "Cannot",
    "Client", "Command", "Communication", "Config", "Configuration", "Connection", "Could", "Couldn't", "Database",
    "Decoding", "Directory", "Download", "ERROR", "Error", "Exception", "Execution", "Failed", "Fetch", "File", "Folder", "Forbidden", "HTTP", "I/O", "IO",
    "Input", "Internal", "Invalid", "JSON", "Lookup", "MCP", "Missing", "Network", "Not", "Only", "Operation", "Parse", "Parsing", "Path",
    "Permission", "Please", "Protocol", "Query", "Rate", "Request", "Runtime", "SQL", "Search", "Server", "Service", "Socket",
    "Something", "Sorry", "System", "Timeout", "Too", "Tool", "Unable", "Unauthorized", "Uncaught", "Unexpected",
    "Unhandled", "Unknown", "Unrecognized", "Unsupported", "Upload", "Upstream", "Validation", "error", "missing",
)  # fmt: skip
_FIRST_WORDS = frozenset(word + end for word in _WORDS for end in ("", ":", ".", "!", ","))
_HEAD = 80


def opens_like_a_failure(text: str) -> bool:
    """Return whether a text says from its first word on that the call failed. Cheap, because every success passes it."""
    head = text[:_HEAD]
    if len(text) <= _MOST and may_open_foreign(head) and _opens_in_another_language(text):
        return True
    words = head.split(None, 1)
    if not words or (words[0] not in _FIRST_WORDS and not _may_open(head) and not _may_be_missing(text)):
        return False
    return len(text) <= _MOST and _opens(text.strip())


# fmt: off
# Nothing found by a search is no failure: no result, match, record or data.
_RESULTS_ABROAD = (
    "(?i)结果|結果|匹配|符合|记录|記錄|数据|資料|該当|검색|데이터|내역|자료|결과|일치|相关|任何|更多|邮件|メール|イベント|見つかりませんでした|nenhum|ningun|keine|aucun|resultados?|resultats?|ergebnisse?|treffer|coincidencias?|registros?"
)
_DONE_ABROAD = r"(?i)完成|成功|共 ?\d|완료|성공|completad|concluid|\btermine|abgeschlossen"
_STATED = (
    "cannot be", "could not parse", "does not exist", "division by zero", "is invalid", "is required", "missing", "must be",
    "must provide", "not allowed", "not configured", "not found", "not recognized", "not supported", "only supported", "out of range",
    "permission denied", "unrecognized",
)
# fmt: on
_REFUSES = rf"\W{{0,6}}[^\n.!?:=«]{{0,120}}?\b(?:{'|'.join(_STATED)})"
# "执行失败: …", and, in scripts that have spaces, "Error al consultar la tabla: …".
_FAILS = (
    r"\W{0,6}(?:[^\n:=«]{0,60}?\b(?:error|failed|exception)\b ?(?:[:\u3002.]|[,\uff0c] ?(?= ?status code|未|无法|原因))"
    r"|(?:error|failed|exception)\b(?! \d) [A-Za-z][^\n:]{0,80}(?::|\.?$))"
)
_LONGEST_STATEMENT = 300
_MOST_LINES_ABROAD = 12
_SOON = 100
_NATIVE = 0.3
"""The share of a text's beginning that is in another script if the text itself is, and not only a quotation."""


# A name, a number, a path or a quotation: what was asked for, or with what.
_NAMES_LATIN = r"(?:^|[\s(:\uff1a])[`'\"\u201c\u300c]\S|\d{4}|[A-Za-z]\d|[a-z]_[a-z]|[a-z][A-Z]|[\w.]/[\w.]"
_NAMES_ANY = rf"{_NAMES_LATIN}|[A-Za-z]{{2,}}"


def _is_latin(text: str) -> bool:
    return all(char < "\u0250" for char in text if char.isalpha())


def _opens_in_another_language(text: str) -> bool:
    """Return whether a text in another language begins with a failure, or is one short line about a refusal."""
    text = text.strip()
    english = in_english(text)
    if english == text or text.count("\n") > _MOST_LINES_ABROAD:
        return False
    if text.partition("\n")[0].rstrip().endswith(("?", "\uff1f")) or " = " in text or re.search(_DONE_ABROAD, text):
        return False
    if is_look_alike(english[:_SOON]):
        return False
    return bool(re.match(_FAILS, english) and not re.match(_FAILS, text)) or _refuses_abroad(text, english)


def _fails_abroad(text: str, english: str) -> bool:
    """Return whether one line in another language says from its first word on that something could not be done."""
    is_statement = english != text and len(text) <= _LONGEST_STATEMENT and "\n" not in text
    return (
        is_statement
        and bool(re.search(_NAMES_LATIN, text))
        and bool(re.match(r"\W{0,6}(?:failed|error while) ", english))
    )


def _refuses_abroad(text: str, english: str) -> bool:
    """Return whether a short line in another language says what was refused; it needs no other cause."""
    if english == text or len(text) > _LONGEST_STATEMENT or "\n" in text or re.search(_RESULTS_ABROAD, text):
        return False
    refused = re.match(_REFUSES, english)
    if not re.search(_NAMES_LATIN if _is_latin(text) else _NAMES_ANY, text):
        return False  # A sentence about nothing in particular may be about anything.
    if refused is None or re.match(_REFUSES, text) or re.match(r"No\b", text):
        return False
    letters = [char for char in text[:_SOON] if char.isalpha()]
    return refused.end() <= _SOON or sum(not char.isascii() for char in letters) >= _NATIVE * len(letters)


def skip_opening(text: str) -> str:
    """Return the text behind the opening, which gives the cause: "Timeout error" alone does not say what happened."""
    opening = re.match(rf"{_HEADED}|[^\n.]{{1,300}}?(?:: | - )", text)
    return text[opening.end() :] if opening else text


def needs_no_cause(text: str) -> bool:
    """Return whether an opening alone proves a failure; any other needs a cause behind it."""
    text = text.strip()
    english = in_english(text)
    return bool(re.match(_STRONG, text)) or _refuses_abroad(text, english) or _fails_abroad(text, english)


def _may_open(head: str) -> bool:
    """Return whether words of rarer openings are near: "GitLab API error: …", "The 'state' parameter is required."."""
    if (
        "rror" in head
        or " failed: " in head
        or "xception" in head
        or " API " in head
        or "arameter" in head
        or "rgument" in head
        or "Connection" in head
        or head[:1] in _CROSSES
    ):
        return True
    first = re.match(_AFTER_MARKS, head) if head[:1] in _BEFORE_A_WORD else None
    return first is not None and first[1] in _FIRST_WORDS


_JSON_BEGINS = r"(?<=: )[\[{]\s*\n"


def _may_be_missing(text: str) -> bool:
    """Return whether a short text may say that something is missing: "Table 'orders' not found"."""
    return len(text) <= _LONGEST_STATEMENT and (
        " first" in text
        or text.startswith("#")
        or " not found" in text
        or " be found" in text
        or "n't exist" in text
        or " not exist" in text
    )


def _opens(text: str) -> bool:
    text = re.sub(_URL, "URL", text) if "://" in text else text
    prose = re.split(_JSON_BEGINS, text, maxsplit=1)[0]  # What a validator lists may be long.
    return (
        bool(re.match(_OPENINGS, text))
        and prose.count("\n") <= _MOST_LINES
        and not is_look_alike(re.sub(_HEADED, "", prose, count=1))
    )


# What else a text may be that opens as failures do: a title, a definition, a log, a thread, or the result itself. A tool
# that searches, translates or monitors returns such texts every day. Each kind has marks that no failure of the call has.
# fmt: off
_NEGATED = (
    r"\b(?:no|0|zero) (?:errors?|problems?|failures?|warnings?|differences)\b|: (?:success|succeeded|ok|okay|none|nothing|fixed|solved)\b"
    r"|\bfind any\b|\bany (?:problems|errors|differences|defects|bugs|evidence|reason)\b|\bonly a (?:test|drill|joke)\b"
)
_HAS_A_RESULT = (
    r"\bhere(?: is| are|'s)\b|\b(?:succeeded|successes)\b|\b\d+ (?:passed|passing|failing|failed|copied|ok|completed|done|skipped|others?)\b"
    r"|\b\d[\d,.]{0,12} (?:out )?of (?:the )?\d|\bbest\b|\bnearest\b|\bshowing\b|\bhowever,? (?:I|we|here|there)\b|\binstead:"
    r"|\b(?:the|all) (?:rest|others?|remaining)\b|\d ?%|\bpartial(?:ly)?\b|\bfell back\b|\bfalling back\b|\bcached\b"
)
_MADE_BY_SOMEBODY = (
    r"\b(?:film|movie|album|song|single|novel|book|play|poem|band|game|episode|track|series)(?:,|\)| by\b)"
    r"|\((?:19|20)\d\d\)|, ?(?:19|20)\d\d(?:\)|,|\.?$)|\bdir(?:\.|ected by)|\bsings\b|\bfeat\.|\blyrics\b|\bISBN\b|\bvol\. "
    r"|\b(?:a|an) (?:novel|memoir|history|guide|story|thriller|biography|primer|handbook|comedy|documentary|podcast|tale|love story)\b"
    r"|, an? [a-z]+(?: [a-z]+){0,3}\.?$|\b(?:podcast|short story|field guide|haiku|chapter \d+|novel)\b|\btop \d"
)
# "… - Wikipedia", "… | Docs": how a page is called.
_PAGE = r" [\u2013\u2014\-] [A-Z][\w.]*(?: [A-Z]\w*){0,3}$| \| "
_QUESTION = r"[^:.\n]{1,300}\?(?:\s|$)"
_EXPLAINS = (
    r"[:.] (?:what|how|why)\b|\bhow to (?:fix|solve|handle|debug|avoid|resolve|prevent)\b|\bwhat it is\b|\btranslat|\bmeans\b|\bsays\b"
    r"|\b(?:raised|thrown|shown|displayed|emitted) (?:when|if|by|to|on|for|whenever)\b|\breturned (?:when|if)\b|\b(?:occurs|happens|appears) (?:when|if|whenever)\b"
    r"|\brefers to\b|\b(?:defined as|definition)\b|\(noun\)|\(verb\)|\bRFC \d|\bexplained\b|\btutorial\b|\b(?:is|are) (?:caused|triggered) by\b"
    r"|\bis an? (?:error|exception|status|message|failure|condition)\b|\bin (?:French|German|Spanish|Italian|English|Japanese|Chinese)\b"
)
_IN_A_THREAD = (
    r"[\u00b7\u2022] |\(#\d+\)|\bstack ?overflow\b|\[(?:open|closed|solved|resolved|fixed|duplicate|merged|draft|bug)\]|\bfixed (?:in|by|with)\b"
    r"|\b\d+ (?:comments?|answers?|votes?|upvotes|replies|views|stars|likes|reactions)\b|\b(?:fixes|closes|resolves) #\d|\bnow fixed\b"
    r"|\b(?:reported by|acknowledged|runbook|canned reply|email template|incident [A-Z]+-\d|wrote)\b|\(key: |\btext of (?:the|an?)\b"
)
_TIME = (
    r"\bat \d\d?:\d\d\b|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b(?:yesterday|last (?:night|week|month|year|24)|this (?:morning|week|month))\b"
    r"|\b\d+ (?:seconds?|minutes?|min|hours?|days?|weeks?) ago\b|\b\d+ (?:times|occurrences|users|events)\b|\bevents\b|\.log\b|\bresolved at\b|\(x ?\d+\)"
    r"|\b\d{1,2}\.? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\b|\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d{1,2}\b|\(\d+x\)|\(\d+\),|\bin \d+ (?:runs|jobs|cases|tests|files|builds|requests|places|projects|repos|releases)\b|\bin (?:1[89]|20)\d\d\b"
)
_LINES = (
    r"\n(?:\W{0,3}(?:Error|ERROR|Failed|Warning|WARN|INFO|DEBUG|error|info|warn)\b.{0,40}[:\]]|={3,}|\#{1,6} |\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d"
    r"|(?:Author|Closes|Fixes|Refs|Reviewed-by|Signed-off-by|Co-authored-by)\b|\||This is |STATEMENT: |URL\s*(?:\n|$)|\W{0,3}[\u2713\u2714]|\s{0,8}(?:PASS|ok \d)"
    r"|(?:State|Comments?|Link|Date|Shown on|Labels?|Assignee|Priority|Job|Host|Count|Tags|Year|Created|Updated|From|To|Subject|Severity|First seen"
    r"|Last seen|Users?|Events?|Meaning|Class|Translation|Artist|Album|Genre|Rating|Price|Duration|Result|Results|Output)\b[^:\n]{0,20}: )|\bor no\b"
)
_LOGGED = r"  [a-z]+(?:-[a-z]+)+$|Failed to load resource: |\bpid[=: ]\d|\bat character \d|\b\w{1,40}=\S{1,200}(?<!,) \w{1,40}="
# "Failed to load fonts when offline" is what somebody calls a bug.
_BUG = (
    r"[^:\n]{0,300} (?:when(?:ever)?|if|unless|after (?:upgrad|updat|install)\w*|on (?:safari|chrome|firefox|windows|macos|linux|ios|android|mobile)"
    r"|in (?:production|staging|dark mode|safari|chrome|firefox))\b[^:\n]{0,300}$"
)
# fmt: on
_ANYWHERE = re.compile(
    f"{_NEGATED}|{_HAS_A_RESULT}|{_MADE_BY_SOMEBODY}|{_EXPLAINS}|{_IN_A_THREAD}|{_TIME}", re.IGNORECASE
)


def is_look_alike(text: str) -> bool:
    """Return whether a text that opens as failures do is something else after all."""
    if _ANYWHERE.search(text) or re.search(_LINES, text) or re.search(_PAGE, text) or re.match(_QUESTION, text):
        return True
    return "\n" not in text and bool(re.search(_LOGGED, text) or re.match(_BUG, text, re.IGNORECASE))
