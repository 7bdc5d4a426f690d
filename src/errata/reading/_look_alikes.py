"""What else a text may be that opens as failures do: a title, a definition, a log, a thread, or the result itself.

A tool that searches, translates or monitors returns such texts every day, and nobody wants them to be alarms.
Here each kind has the marks that no failure of the call itself has.
"""

import re

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


def looks_alike_only(text: str) -> bool:
    """Whether a text that opens as failures do is something else after all."""
    if _ANYWHERE.search(text) or re.search(_LINES, text) or re.search(_PAGE, text) or re.match(_QUESTION, text):
        return True
    return "\n" not in text and bool(re.search(_LOGGED, text) or re.match(_BUG, text, re.IGNORECASE))
