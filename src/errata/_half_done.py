"""Failures that mention work done before them: "Order 17 was created, but the mail was refused"."""

import re

_MOST = 4_000
# What tools do to the world. Not `sent`, as a rate limit says of requests, nor `processed`, which is counted.
_DEEDS = (
    "added", "applied", "appended", "approved", "archived", "billed", "booked", "bought", "canceled", "cancelled",
    "captured", "charged", "committed", "confirmed", "copied", "created", "credited", "debited", "deleted", "deployed",
    "deposited", "dispatched", "donated", "emailed", "enrolled", "executed", "granted", "imported", "inserted",
    "installed", "invited", "invoiced", "issued", "merged", "migrated", "minted", "moved", "opened", "paid",
    "persisted", "placed", "posted", "published", "purchased", "pushed", "recorded", "refunded", "registered",
    "removed", "renamed", "replaced", "reserved", "restored", "saved", "scheduled", "shipped", "sold", "stored",
    "submitted", "subscribed", "transferred", "updated", "uploaded", "wired", "withdrawn", "wrote", "written",
)  # fmt: skip
_NOT_OF_REQUESTS = "(?<!action )(?<!deletion )(?<!operation )(?<!request )"
_GUARDED = {
    "canceled": f"{_NOT_OF_REQUESTS}canceled",
    "cancelled": f"{_NOT_OF_REQUESTS}cancelled",
    "reserved": "reserved(?! (?:char|keyword|name|word))",
}
_DONE = f"(?:{'|'.join(_GUARDED.get(deed, deed) for deed in _DEEDS)})"
_TELLING = frozenset({
    *_DEEDS,
    "accepted", "completed", "failed", "ok", "partial", "partially", "processed", "queued", "sent", "succeeded",
    "successful", "successfully",
})  # fmt: skip
"""Words of which every text has one that `_HALF_DONE` finds."""
_WORD = re.compile("[a-z]+")
_TURKISH = {0x130: "i", 0x131: "i"}
"""Letters that `re.IGNORECASE` takes for an `i`, and casefold() does not."""
# What may be done, what was not, and what only describes a thing: "must be created", "a saved name", "sorted by created".
_DENIED = (
    r"(?:(?:0|not|never|nothing|no|none|cannot|can't|could|may|might|must|only|should)\s+(?:(?!(?:but|however)\b)\w{1,30}\s+){0,3}?"
    r"|(?:be|being|if|unless|until|before|when|once|to|an?|any|by|each|every|for|the|using)\s+)"
)
_WORDS = r"(?:[^.;!,(\[\n\u2013\u2014]|[.,](?=\w)|(?<=\w)\()"  # Also `$42.00`, an address, and `file(s)`.
_THEN = r"(?:\b(?:although|but|except|however|then|though)\b|\bwith (?:\w{1,30} )?(?:errors|failures|warnings)\b|\bbefore\b[^.\n]{0,60}\b(?:error|fail)|[.;!]\s+\S|,(?! (?:and|expected|must|or)\b)|[(\[\u2013\u2014]|\n\s*\S)"
_AND_THEN = rf"(?!,? (?:and |or )?{_DONE}){_WORDS}{{0,160}}?{_THEN}"
_OF_ALL = r"[^.\n]{0,40}?\b[1-9][0-9]{0,8} ?(?:of|/|out of) ?\d{1,9}\b"
_SENT = r"(?:e-?mails?|invitations?|invites?|letters?|messages?|money|notifications?|payments?|repl(?:y|ies)|sms|transfers?)"
_TAKEN_ON = r"(?:booking|charge|job|order|payment|refund|request|submission|task|transaction|transfer|upload)s?"
_HALF_DONE = re.compile(
    rf"(?:\b(?P<denied>{_DENIED}))?(?:"
    # "Charged. Sending the receipt failed", "was recorded, but …", "Deleted 17 of 100 files"; not `"created": 17`.
    rf"(?<![\w'\"`.|-]){_DONE}\b(?!['\"`|]|:? 0\b)(?:(?={_AND_THEN})|(?={_OF_ALL}))"
    r"|\b(?:completed|sent|succeeded|successful(?:ly)?)\b[^.;!\n]{0,40}?\bbut\b"
    # "Email sent. Failed to archive it", "Sent to 2 of 3", "Request accepted, the callback failed".
    rf"|(?:^|\b{_SENT} (?:(?:was|were|has been|have been) )?)sent\b(?={_AND_THEN})|\bsent\b(?={_OF_ALL})"
    rf"|\b{_TAKEN_ON} (?:was |were |has been |have been )?(?:accepted|completed|processed|queued|succeeded|successful)\b(?={_AND_THEN})"
    r"|\b[1-9][0-9]{0,8}(?: \w{1,30}){0,3}? (?:ok|sent|succeeded|successful)\b[^.\n]{0,40}?\b[1-9][0-9]{0,8}\b[^.\n]{0,40}?\b(?:fail|error|reject)"
    r"|\b(?P<part>[1-9][0-9]{0,8}) ?(?:of|out of|/) ?(?!(?P=part)\b)[0-9]{1,9} (?!(?:argument|attempt|check|condition|field|parameter|test|validation)s?\b)\w{1,30} failed\b(?! valid)"
    r"|\bpartial(?:ly)? (?:success|complet|appl|writ|upload|fail|done|succe))",
    re.IGNORECASE | re.MULTILINE,
)
_BUT_ABROAD = re.compile(
    r"但|不过|不過|然而|却|卻|が[、,]|지만|\b(?:aber|allerdings|cependant|jedoch|mais|mas|pero|porém|sin embargo|но|однако)\b",
    re.IGNORECASE,
)
# The same in other languages, only before a word for "but": a negated deed has another form, or one of these words before it.
_DEEDS_IN_CHINESE = "创建|建立|新建|添加|发送|發送|提交|保存|支付|付款|扣款|退款|转账|轉帳|删除|刪除|更新|上传|上傳|下单|预订|預訂|发布|發布"
_DEEDS_IN_GERMAN = (
    "abgebucht|aktualisiert|angelegt|belastet|bezahlt|eingereicht|erfasst|erfolgreich|erstellt|gebucht|gelöscht|gesendet|gespeichert"
    "|hinzugefügt|hochgeladen|überwiesen|verschickt|versandt|versendet|veröffentlicht"
)
_DONE_ABROAD = re.compile(
    r"(?:"
    + r"|".join(
        (
            rf"(?<![不无無未没沒])(?:已经?|已經|成功)(?:成功)?(?:{_DEEDS_IN_CHINESE})",
            rf"(?<![不无無未没沒])(?:{_DEEDS_IN_CHINESE})已?成功",
            r"(?:作成|保存|削除|投稿|更新|決済|登録|請求|送信|送金|予約)[はが]?(?:されました|しました|済み|完了)",
            r"(?:결제|등록|삭제|생성|송금|업데이트|예약|저장|전송)[이은는가]? ?(?:되었|됐|했|하였|완료)",
            rf"(?<!nicht )\b(?:{_DEEDS_IN_GERMAN})\b(?! werden)",
            r"(?<!no )\bse (?:actualiz|cobr|cre|elimin|envi|guard|pag|public|registr)(?:ó|aron)\b",
            r"(?<!no )(?<!não )\b(?:fue|fueron|foi|foram|ha sido|han sido) (?:actualiz|atualiz|cobr|cre|cri|elimin|envi|guard|pag|public|registr|salv)ad?[oa]s?\b",
            r"\bété (?:bien )?(?:ajouté|créé|débité|effectué|enregistré|envoyé|mis à jour|payé|publié|réservé|supprimé)e?s?\b",
            r"(?<!не )\b(?:обновл[её]н|оплачен|отправлен|создан|сохран[её]н|списан|удал[её]н)[аоы]?\b",
        )
    )
    + rf")[^\n]{{0,120}}?(?:{_BUT_ABROAD.pattern})",
    re.IGNORECASE,
)


def mentions_finished_work(text: str) -> bool:
    """Return whether a text says that a part was done: then no refusal in it proves that nothing happened."""
    text = text[:_MOST]
    may_be_done = not _TELLING.isdisjoint(_WORD.findall(text.translate(_TURKISH).casefold()))
    if may_be_done and any(match["denied"] is None for match in _HALF_DONE.finditer(text)):
        return True
    return _BUT_ABROAD.search(text) is not None and _DONE_ABROAD.search(text) is not None
