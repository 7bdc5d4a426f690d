"""Personal data: addresses of people and of their machines, and numbers that prove themselves by a checksum."""

import re
import string
from collections.abc import Callable, Iterator

from errata.redaction._national_ids import find_announced_ids, find_bare_ids, is_luhn
from errata.redaction._spans import BEGAN, Kind, Span, compile_late, find_word_starts, match_at

# fmt: off
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21,
    "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
    "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27,
    "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23,
    "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

_VERSION_BEFORE = re.compile(
    r"(?:(?:^|[^a-z])(?:v|ver|versions?|release|build|firmware|driver|revision|oid|upgrade|requires|python|java|kernel)"
    r"|[=~><!]=|[\w)\]][ ]?[<>])[\s:=\"'(v]{0,4}$|(?:^|[^\w.\-])[\w\-]{1,40}/$|[a-z][-_]$|[~^]$"
    r"|(?:upgrad|downgrad|updat|bump)[a-z]{1,4}\s[^\n]{0,40}(?:from|to)\s$",
    re.IGNORECASE,
)
_ADDRESS_BEFORE = re.compile(
    r"(?:(?:^|[^a-z])(?:ip|ips|ipv4|ip4)|addr|address|forwarded-for|(?:^|\W)(?:root|admin|user)@"
    r"|(?:client|peer|host|remote)(?=[^a-z\s])|(?:connect[a-z]{0,4}|request|login|received|accepted)\sfrom)"
    r"(?:[\s:=\"'(\[/\\]|%20|%3d){0,5}$",
    re.IGNORECASE,
)
_PORT_BEHIND = re.compile(r":\d{2,5}(?![\w.])|\s{1,40}port\s")

_ISSUED = (
    (16, "4", "4"),        # Visa; its other lengths are rare, and other numbers of those lengths are not.
    (16, "51", "55"),      # Mastercard, as the next
    (16, "2221", "2720"),
    (15, "34", "34"),      # American Express, as the next
    (15, "37", "37"),
    (16, "6011", "6011"),  # Discover, as the next
    (16, "64", "65"),
    (16, "62", "62"),      # UnionPay
    (16, "3528", "3589"),  # JCB
    (14, "300", "305"),    # Diners Club, as the next two
    (14, "36", "36"),
    (14, "38", "39"),
)
"""Length, and first digits from … to, of the numbers that some network issues."""
# fmt: on


_DECIMAL = re.compile(r"\+\d{4,16}+\.\d{1,2}")


def _is_phone(text: str, match: re.Match[str]) -> bool:  # noqa: ARG001 - one signature for all of them.
    if _DECIMAL.fullmatch(match[0]):
        return False
    return 9 <= sum(character.isdigit() for character in match[0]) <= 17  # noqa: PLR2004 - E.164, and a `%2B`


def _is_by_form(text: str, match: re.Match[str]) -> bool:  # noqa: ARG001
    """Return True: nothing else is written in this form."""
    return True


def _is_first_line(text: str, match: re.Match[str]) -> bool:  # noqa: ARG001
    """Return whether it is the line of a passport with the name on it, as machines read it."""
    return "<<" in match[0][5:-1]


def _is_card(text: str, match: re.Match[str]) -> bool:  # noqa: ARG001
    digits = re.sub(r"\D", "", match[0])
    return _is_issued(digits) and is_luhn(digits)


_ISSUED_ELSEWHERE = (
    (13, 19, "4", "4"),  # Visa
    (12, 19, "50", "50"),  # Maestro, as the next
    (12, 19, "56", "69"),
    (17, 19, "62", "62"),  # UnionPay
    (17, 19, "81", "81"),
    (16, 19, "2200", "2204"),  # Mir
    (16, 16, "60", "60"),  # RuPay
    (16, 16, "9792", "9792"),  # Troy
)
"""Shortest and longest, and first digits from … to, of numbers that are cards only if somebody says so."""
_CARD_BEFORE = compile_late(
    r"(?i)(?:(?<![a-z])(?:cards?|visa|maestro|mastercard|unionpay|rupay|mir|pan|karten?|kaart|carte|carta|tarjeta|cart[ãa]o|kort|karta|kart)|[卡]|カード|카드|карт[аыу])(?:[ _-]?(?:number|no\.?|nr\.?|nummer|n[°º]|号|番号|번호))?(?: is| was)?[\s:=\"'#(]{1,4}$"
)


def _is_card_by_word(text: str, match: re.Match[str]) -> bool:
    """Return whether a word before it says that it is a card, and its check digit is right."""
    digits = re.sub(r"\D", "", match[0])
    issued = any(
        shortest <= len(digits) <= longest and first <= digits[: len(first)] <= last
        for shortest, longest, first, last in _ISSUED_ELSEWHERE
    )
    before = text[max(0, match.start() - 32) : match.start()]
    return issued and is_luhn(digits) and _CARD_BEFORE.search(before) is not None


def _is_issued(digits: str) -> bool:
    """Return whether some network issues numbers of this beginning and length; the others are orders and accounts."""
    return any(len(digits) == length and first <= digits[: len(first)] <= last for length, first, last in _ISSUED)


def _is_iban(text: str, match: re.Match[str]) -> bool:
    code = re.sub(r"[ \u00a0-]", "", match[0]).upper()
    length = _IBAN_LENGTHS.get(code[:2], 0)
    whole = len(code) == length and text[match.end() : match.end() + 1].isalnum()
    if not length or len(code) < length or whole:
        return False
    proof = int("".join(str(int(character, 36)) for character in code[4:length] + code[:4]))
    return proof % 97 == 1 and not _is_in_identifier(text, match.start())


_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[0-9A-F]{8}(-?)(?:[0-9A-F]{4}\1){3}[0-9A-F]{12}(?![A-Za-z0-9])")
"""A UUID or a trace id in upper case, one in some thousands of which passes for an IBAN."""


def _is_in_identifier(text: str, at: int) -> bool:
    around = _IDENTIFIER.finditer(text, max(0, at - 36), at + 36)
    return any(match.start() <= at < match.end() for match in around)


def _is_national_id(text: str, match: re.Match[str]) -> bool:  # noqa: ARG001
    area, group, serial = match[0][:3], match[0][4:6], match[0][7:]
    return area not in {"000", "666"} and group != "00" and serial != "0000"


_LIKE_A_VERSION = 24  # 1.2.3.4 is more often a section or a version than somebody's address.


_DOCUMENTED = ("192.0.2.", "198.51.100.", "203.0.113.", "2001:db8:")  # RFC 5737 and 3849: examples, and nobody's


def _is_public(text: str, match: re.Match[str]) -> bool:
    """Return whether an address tells who somebody is: one's own network and the machine itself do not, and a version is none."""
    first, second, *others = (int(part) for part in match[0].split("."))
    if max(first, second, *others) > 255 or first in {10, 127} or first >= 224:  # noqa: PLR2004 - RFC 1918, 1122, 5771
        return False
    if (
        (first, second) in {(192, 168), (169, 254)}
        or (first, second // 16) == (172, 1)
        or (first, second // 64) == (100, 1)
        or match[0].startswith(_DOCUMENTED)
    ):
        return False
    before = text[max(0, match.start() - 64) : match.start()]
    if _PORT_BEHIND.match(text, match.end()) or _ADDRESS_BEFORE.search(before):
        return True
    return max(first, second, *others) >= _LIKE_A_VERSION and not _VERSION_BEFORE.search(before)


def _is_ipv6(text: str, match: re.Match[str]) -> bool:  # noqa: ARG001
    groups = match[0].split(":")
    whole = match[0].count("::") == 1 if "::" in match[0] else len(groups) == 8  # noqa: PLR2004
    return whole and not match[0].lower().startswith(_DOCUMENTED)


_DEVICE_BEFORE = compile_late(
    r"(?i)(?:device|mac|hwaddr|ether|bssid|station|client|host|phone|laptop|wi-?fi|wlan|eth\d|interface|adapter|nic|lease|dhcp"
    r"|arp|peer|neighbou?r|bluetooth|ble|beacon|tag)(?:[ _-]?(?:addr|address|id))?(?: is| was| of| for| from)?[\s:=\"'(\[<]{1,4}$"
)


def _is_mac(text: str, match: re.Match[str]) -> bool:
    """Return whether six bytes name one device of somebody: given by a maker, and not to a virtual machine or to a group."""
    first = int(match[0][:2], 16)
    if first & 0b11 or re.sub("[^0-9a-f]", "", match[0].lower()) in {"0" * 12, "f" * 12}:
        return False
    return _DEVICE_BEFORE.search(text[max(0, match.start() - 32) : match.start()]) is not None


_STREETS = (
    r"Street|St\.|Avenue|Ave\.?|Road|Rd\.?|Lane|Ln\.?|Boulevard|Blvd\.?|Terrace|Crescent|Parkway|Pkwy\.?|Highway|Hwy\.?"
)
_OTHER_STREETS = (
    r"St|Drive|Dr\.?|Court|Ct\.?|Place|Pl\.?|Square|Sq\.?|Close|Alley|Way|Row|Mews|Grove|Gardens|Circle|Trail"
)
"""Words that mean something else as often: they need a town or a word about somebody's home."""
_HOME_BEFORE = compile_late(
    r"(?i)(?:address|deliver(?:y|ed)?|ship(?:ped|ping)?|sen[dt]|lives?|living|resid\w{2,4}|home|billing|mail(?:ed)?|located)[^\d\n]{0,24}$"
)


_STREET_NAME = r"(?:(?:N|S|E|W|North|South|East|West)\.? )?(?:[A-Z][a-z'\-]{1,20}|\d{1,3}(?:st|nd|rd|th)) (?:[A-Z][a-z'\-]{1,20} ){0,2}"
_FLAT = r"(?:,? (?i:apt|apartment|suite|unit|flat|floor)\.? ?\#?\w{1,6})?"
_TOWN = r"(?:, [A-Z][\w.'\-]{1,24}(?: [A-Z][\w.'\-]{1,24}){0,2})?(?:,? [A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|,? [A-Z]{2} \d{5}(?:-\d{4})?)?"
_CAPITAL = "A-Z\u00c0-\u00de"
_STREET = compile_late(
    rf"(?<![\w.\-/#:])\d{{1,5}}[A-Za-z]?,? {_STREET_NAME}(?:(?:{_STREETS})|(?P<unsure>{_OTHER_STREETS}))(?![\w\-])(?P<town>{_FLAT}{_TOWN})"
    rf"|(?<![\w.\-/#:])\d{{1,4}}(?: ?bis| ?ter|[A-Z])?,? (?:rue|avenue|boulevard|place|chemin|all\u00e9e|impasse|quai|via|viale|piazza|calle|avenida"
    rf"|rua) (?:[\w'\u2019\-]{{1,20}} ){{0,4}}[{_CAPITAL}][\w'\u2019\-]{{1,24}}"
    rf"|(?<![\w.\-/#:])(?:[{_CAPITAL}][\w\-]{{1,24}} )?[{_CAPITAL}][\w\-]{{1,24}}(?:stra\u00dfe|strasse|str\.|gasse|weg|allee|platz|laan|straat|gatan"
    rf"|v\u00e4gen|gade|vej) \d{{1,4}} ?[a-z]?(?![\w.])(?:, \d{{4,5}} [{_CAPITAL}][\w\-]{{1,24}})?"
)
"""Matches `221B Baker Street`, `12 rue de la Paix` and `Hauptstra\u00dfe 12`, with the town behind it."""


def _is_address(text: str, match: re.Match[str]) -> bool:
    """Return whether a number and a name are those of a house."""
    if not match["unsure"] or match["town"]:
        return True
    return _HOME_BEFORE.search(text[max(0, match.start() - 48) : match.start()]) is not None


ABOUT_PEOPLE = re.compile(
    r"street|avenue|road|lane|drive|boulevard|blvd|court|terrace|square|crescent|parkway| (?:st|ave|rd|ln|way|place|row|close|hwy)\b"
    r"|rue |chemin|quai|via |viale|piazza|calle|avenida|rua |stra[\u00dfs]|str\.|gasse|weg |allee|platz|laan|gatan|v\u00e4gen|gade |vej "
    r"|birth|born|dob|geb|n\u00e9e? le |nat[oa] il |nacim|naiss|nasci|passport|reisepass|pasaporte|passeport|ausweis|f\u00fchrerschein|licen[cs]e"
)
"""What a text has in it that gives somebody's address, birthday or papers, in lower case."""


_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_BIRTH_DATE = compile_late(
    r"(?:birth[ _-]?(?:date|day)|dateofbirth|date[ _-]of[ _-]birth|d\.?o\.?b\.?|(?<![a-z])born|geburtsdatum|geboren|(?<![a-z])geb\.|n\u00e9e? le|nat[oa] il|nacimiento|naissance"
    r"|nascita|nascimento)(?![a-z])(?: (?:is|was|on|am|le))?[\"'`]{0,2}[\s:=(\"'`]{1,4}(?:on |am )?"
    rf"(?P<date>\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d|t\d| \d\d:)|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}(?!\d)|\d{{8}}(?!\d)"
    rf"|\d{{1,2}}\.? (?:{_MONTHS})[a-z]{{0,6}}\.?,? \d{{4}}|(?:{_MONTHS})[a-z]{{0,6}}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
)
"""Matches a date behind a word about somebody's birth, in lower case."""


_Check = Callable[[str, re.Match[str]], bool]

# fmt: off
# A rule begins with the class of its first letter, so that the engine can skip the rest; what may stand before it is
# asked behind it. A word of another alphabet may: Chinese puts no space before a number.
_ROWS: tuple[tuple[Kind, re.Pattern[str], _Check], ...] = (
    ("phone", compile_late(rf"""(?xa)
        (?:\+|%2[bB])(?:(?<!\+)|{BEGAN}(?<![_+.]\+))[1-9]\d{{0,3}}+(?:[ \-.\u00a0/]?\(?\d{{1,6}}+\)?){{1,7}}+(?!\d|:\d)
      | \({BEGAN}(?<!_.)[2-9]\d{{2}}\)[ \-]?[2-9]\d{{2}}[ \-.]\d{{4}}(?![\d\-])
      | [2-9]{BEGAN}(?<![_.+\-/=%].)\d{{2}}([\-.])\d{{3}}\1\d{{4}}(?![\w\-.])
      | 1{BEGAN}(?<![_.+\-/=%].)-[2-9]\d{{2}}-[2-9]\d{{2}}-\d{{4}}(?![\w\-.])
      | 0{BEGAN}(?<![_.+\-/%].)0[1-9]\d{{0,2}}[ \-/][1-9]\d{{0,2}}(?:[ \-/]\d{{2,8}}){{1,4}}(?![\w\-.])
    """), _is_phone),
    ("card", compile_late(rf"""(?xa)
        [2-6]{BEGAN}(?<![_.].)\d{{3}}([ \-\u00a0])\d{{4}}\1\d{{4}}\1\d{{4}}(?![\w\-])
      | 3{BEGAN}(?<![_.].)[47]\d{{2}}[ \-]\d{{6}}[ \-]\d{{5}}(?!\w)
      | 3{BEGAN}(?<![_.].)[068]\d{{2}}[ \-]\d{{6}}[ \-]\d{{4}}(?!\w)
      | [2-6]{BEGAN}(?<![_.\-].)\d{{13,15}}+(?![\w\-]|\.\d)
    """), _is_card),
    ("card", compile_late(rf"(?a)[24-689]{BEGAN}(?<![_.\-].)\d{{3}}(?:[ \-]?\d{{3,4}}){{2,3}}[ \-]?\d{{1,4}}(?![\w\-]|\.\d)"), _is_card_by_word),
    ("account", compile_late(rf"[A-Z]{BEGAN}[A-Z]\d{{2}}(?:[ \u00a0-]?[A-Z0-9]){{11,30}}+"), _is_iban),
    # In lower case, only with no letters but the bank's: hexadecimal numbers begin with `de89`, too.
    ("account", compile_late(rf"[a-z]{BEGAN}(?<![_.\-].)[a-z]\d{{2}} ?(?:[a-z]{{4}}|[0-9]{{4}})(?: ?[0-9]){{7,22}}+(?![A-Za-z0-9_\-])"), _is_iban),
    ("national id", compile_late(rf"(?a)[0-8]{BEGAN}(?<![_.+\-/].)\d{{2}}([\- ])\d{{2}}\1\d{{4}}(?![\w\-/]|\.\d)"), _is_national_id),
    # The second line of a passport, as machines read it, and the name that Indian banks know somebody by.
    ("national id", compile_late(rf"(?a)[A-Z0-9]{BEGAN}(?<![_<].)[A-Z0-9<]{{8}}\d[A-Z<]{{3}}\d{{7}}[MFX<]\d{{7}}[A-Z0-9<]{{14,16}}(?![\w<])"), _is_by_form),
    ("name", compile_late(rf"(?a)[PVIAC]{BEGAN}(?<![_<].)[A-Z<][A-Z]{{3}}[A-Z<]{{25,39}}(?![\w<])"), _is_first_line),
    ("account", compile_late(rf"(?a)[A-Za-z0-9]{BEGAN}(?<![_.\-].)[\w.\-]{{1,64}}+@(?:ok(?:hdfcbank|icici|axis|sbi)|ybl|ibl|axl|apl|paytm|upi)(?![\w.\-@])"), _is_by_form),
    ("mac address", compile_late(rf"(?a)[0-9a-fA-F]{BEGAN}(?<![_.:\-].)[0-9a-fA-F](?P<gap>[:\-])(?:[0-9a-fA-F]{{2}}(?P=gap)){{4}}[0-9a-fA-F]{{2}}(?![\w:\-])"), _is_mac),
    ("mac address", compile_late(rf"(?a)[0-9a-fA-F]{BEGAN}(?<![_.:\-].)[0-9a-fA-F]{{3}}(?:\.[0-9a-fA-F]{{4}}){{2}}(?![\w:.\-])"), _is_mac),
    ("ip address", compile_late(rf"(?a)[1-9]{BEGAN}(?<![_.].)\d{{0,2}}+(?:\.(?:0|[1-9]\d{{0,2}}+)){{3}}(?!\w|\.\d|-\w)"), _is_public),
    ("ip address", compile_late(rf"(?a)[23]{BEGAN}(?<![_.:].)[0-9a-fA-F]{{3}}:(?:[0-9a-fA-F]{{0,4}}+:){{1,6}}+[0-9a-fA-F]{{0,4}}+(?![\w:])"), _is_ipv6),
)
# fmt: on

_BEGIN_WITH_DIGIT = frozenset({"card", "ip address"})
"""Kinds of the table whose rows begin with a digit."""
_PASSPORT_WORDS = ("passport", "reisepass", "passeport", "pasaporte", "passaporto", "paspoort")
_PHONE_NAMES = ("phone", "mobile", "msisdn", "whatsapp", "fax", "tel", "cell")
_NAMED_PHONE = compile_late(
    r"(?a)(?:phone|mobile|msisdn|whatsapp|(?<![a-z])(?:fax|tel|cell))\.?(?:[ _-]?(?:number|no|nr)\.?)?"
    r"[\"']{0,2}(?:\s?[:=]\s?[\"']?|\s(?=[0+(]|\d{10}))(?!\d{4}-\d\d-\d\d)(?P<number>[+(]?\d(?:[ ()/\-]{0,2}\d){6,14})(?![\w.\-:])"
)
"""A number in the way of its country, which only its name tells from others, in lower case."""


_PASSPORT = compile_late(
    r"(?a)(?i:passport|reisepass|passeport|pasaporte|passaporto|paspoort)(?i:[ _-]?(?:no\.?|nr\.?|number))?(?: is| was)?[\"']{0,2}(?:\s?[:=#]\s?[\"']?|\s)"
    r"(?P<number>(?=[A-Z]{0,8}\d)(?=\d{0,8}[A-Z])[A-Z0-9]{8,9})(?![\w\-])"
)
"""Matches a passport's number with letters anywhere in it."""
_NAMED_NUMBER = compile_late(
    r"(?a)(?:(?<![a-z])(?P<id>cpf|tin|nino|ssn|ni[ _-]?number|steuer-?id|tax[ _-]?(?:id|number)|passport(?:[ _-]?(?:no|nr|number))?)"
    r"|(?<![a-z])(?:clabe|cbu|cvu)|bank account|account number|account[_ -]no\.?|routing number|(?:sort code|routing|bsb|ifsc|blz)[^\n]{1,24} (?:account|acct|konto)(?: number| no\.?)?)[\"']{0,2}(?:\s?[:=]\s?[\"']?|\s)(?!\d{4}-\d\d-\d\d)"
    r"(?P<number>[a-z]{0,2} ?\d(?:[ .\-]?\d){5,21}(?: ?[a-d])?)(?![\w\-]|\.\d)"
)
"""The same for numbers of passports, taxes and accounts."""


_PHONE_WORDS = compile_late(
    r"(?<![a-z])(?:sms|call(?:ed|ing|er)?|dial(?:l?ed|ling|ing)?|phone|telephone|tel|mobile|mobil|cell|whatsapp|fax|texted|texting|msisdn|handy"
    r"|(?:telefon|handy|mobil|ruf)nummer|telefonsz\u00e1m|telefon|telefono|tel\u00e9fono|t\u00e9l\u00e9phone|m\u00f3vil|celular|voicemail|imessage|telefone|telefoon|puhelin|gsm"
    r"|\u0442\u0435\u043b\u0435\u0444\u043e\u043d|\u03c4\u03b7\u03bb\u03ad\u03c6\u03c9\u03bd\u03bf|\u7535\u8bdd|\u96fb\u8a71|\u624b\u673a|\u624b\u6a5f|\u643a\u5e2f|\uc804\ud654|\ud734\ub300|\ud578\ub4dc\ud3f0)(?![a-z])"
)


_NATIONAL_PHONE = compile_late(
    r"(?a)(?<![\w.+\-/:])(?:\(0\d{1,5}\)[ ]?\d[\d \-/]{4,11}\d|0\d{1,5}(?:[ \-/.]?\d{2,8}){1,5}|\(?[2-9]\d{2}\)?[ \-.]?\d{3}[ \-.]?\d{4}"
    r"|\(\d{2}\) ?9?\d{4}-\d{4}|8[ \-]?\(?\d{3}\)?[ \-]?\d{3}[ \-]?\d{2}[ \-]?\d{2}"
    r"|1[3-9]\d[ \-]?\d{4}[ \-]?\d{4}|[6-9]\d{4} ?\d{5})(?![\w\-]|\.\d|:\d)"
)
"""Matches a number as it is dialled at home: with a nought before it, or in the groups of North America."""


_NEAR_A_PHONE = 8


def _phones_spoken_of(text: str, lower: str) -> Iterator[Span]:
    """Find numbers of one country a few words behind something about calling."""
    seen = 0
    for word in _PHONE_WORDS.finditer(lower):
        for match in _NATIONAL_PHONE.finditer(text, max(seen, word.end()), word.end() + 40):
            seen = match.end()
            between = text[word.end() : match.start()]
            near = not match[0].isdigit() or len(between) <= _NEAR_A_PHONE
            if 9 <= sum(map(str.isdigit, match[0])) <= 13 and near and "\n" not in between:  # noqa: PLR2004
                yield Span(*match.span(), "phone")


_CARD_KINDS: dict[str, Kind] = {"fn": "name", "n": "name", "nickname": "name", "adr": "address", "bday": "birth date"}


_VISITING_CARD = compile_late(
    r"(?:(?<=\n)|(?<=\\n))(?P<name>fn|n|nickname|adr|bday)(?:;[^:\n]{1,80}+)?:(?P<value>(?!\[redacted)[^\r\n\\]{2,256}+)"
)
"""Matches a line of a vCard about the person, in lower case."""


# fmt: off
_NO_DOMAIN = frozenset({
    "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js", "mjs", "cjs", "ts", "tsx", "jsx", "css", "scss", "py", "rb",
    "json", "yaml", "yml", "toml", "lock", "tgz", "gz", "zip", "jar", "whl", "html", "txt", "log", "conf", "cfg",
    "service", "socket", "timer", "target", "slice", "scope", "mount", "path", "swap", "device", "git", "sock",
})
"""Endings of files and of systemd's units."""
# fmt: on
_MACHINES = frozenset({"git", "hg", "svn", "gitea", "ec2-user", "oauth2", "x-access-token"})
_EXAMPLES = frozenset(
    {"name", "user", "username", "you", "someone", "somebody", "me", "email", "mail", "example", "foo"}
)
_LOCAL = string.ascii_letters + string.digits + "._%+-'!#$&*/=?^{|}~"
_LOCAL_EDGES = ".%'!#$&*/=?^{|}~-"
_LONGEST_LOCAL = 64


_DOMAIN = compile_late(
    r"(?:@|%40|\\u0040|&\#64;|\\x40)(?P<domain>(?:[^\W_](?:[^\W_]|-){0,62}+\.){1,8}(?:xn--[A-Za-z0-9\-]{2,59}+|[^\W\d_]{2,24}+)"
    r"|\[(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|IPv6:[0-9a-fA-F:]{2,39}+)\])(?![\w@])"
    r"(?P<path>:(?:[~/]|[\w.\-]{1,99}+/))?"
)


_SPELLED = compile_late(
    r"(?i)(?<![\w.+\-])[\w.+\-]{1,64}+ ?[\[({] ?at ?[\])}] ?[a-z0-9\-]{1,63}+(?:(?: ?[\[({] ?dot ?[\])}] ?|\.)[a-z0-9\-]{2,63}+){1,4}"
)
"""Matches `ann [at] example [dot] org`, as people write for people."""


def _find_emails(text: str) -> Iterator[Span]:
    """Find the addresses; each is looked for from its @, no further back than to the one before."""
    yield from (Span(*match.span(), "email") for match in _SPELLED.finditer(text))
    seen = 0
    for match in _DOMAIN.finditer(text):
        start = _find_start_of_email(text, max(seen, match.start() - _LONGEST_LOCAL), match.start())
        seen = match.end("domain")
        if start < match.start() and _is_somebody(text, start, match):
            yield Span(start, seen, "email")


def _find_start_of_email(text: str, floor: int, end: int) -> int:
    before = text[floor:end]
    if quoted := _QUOTED.search(before):
        return floor + quoted.start()
    local = before[len(before.rstrip(_LOCAL)) :]
    if (sign := max(local.rfind("="), local.rfind("&"), local.rfind("/"), local.rfind("?"), local.rfind("%3D"))) >= 0:
        local = local[sign + (3 if local[sign] == "%" else 1) :]
    start = end - len(local.lstrip(_LOCAL_EDGES))
    escaped = start > 0 and text[start - 1] == "\\" and text[start] in "nrt" if start < end else False
    if start > 0 and not text[start - 1].isascii() and text[start - 1].isalpha():
        start = _start_of_word(text, floor, start)
    return start + 1 if escaped else start


_QUOTED = re.compile(r"\"[\w.+\- ]{1,40}\"$")


def _start_of_word(text: str, floor: int, start: int) -> int:
    """Go back over letters of other alphabets, which addresses may have today."""
    while start > floor and (text[start - 1].isalpha() or text[start - 1] in "._-"):
        start -= 1
    return start


def _is_somebody(text: str, start: int, match: re.Match[str]) -> bool:
    user, domain = text[start : match.start()].lower(), match["domain"].lower()
    if text.endswith("://", 0, start) or match["path"] or user in _MACHINES or user.endswith("}"):  # `${USER}@host`
        return False
    if user in _EXAMPLES and domain.startswith("example."):  # "Write it as name@example.org."
        return False
    return domain.rpartition(".")[2] not in _NO_DOMAIN and re.match(r"v?\d+\.\d", domain) is None


def find_personal_data(text: str, lower: str) -> Iterator[Span]:
    """Find what identifies a person."""
    starts = find_word_starts(text)
    spans = [
        *_find_emails(text),
        *find_announced_ids(text, lower),
        *find_bare_ids(text, starts),
        *_phones_spoken_of(text, lower),
    ]
    if ABOUT_PEOPLE.search(lower):
        spans += [Span(*match.span(), "address") for match in _STREET.finditer(text) if _is_address(text, match)]
        spans += [Span(*match.span("date"), "birth date") for match in _BIRTH_DATE.finditer(lower)]
    if any(map(lower.__contains__, _PASSPORT_WORDS)):
        spans += [Span(*match.span("number"), "national id") for match in _PASSPORT.finditer(text)]
    if any(map(lower.__contains__, _PHONE_NAMES)):
        spans += [Span(*match.span("number"), "phone") for match in _NAMED_PHONE.finditer(lower)]
    spans += [
        Span(*match.span("number"), "national id" if match["id"] else "account")
        for match in _NAMED_NUMBER.finditer(lower)
    ]
    if "begin:vcard" in lower:
        spans += [Span(*match.span("value"), _CARD_KINDS[match["name"]]) for match in _VISITING_CARD.finditer(lower)]
    digits = [start for start in starts if text[start : start + 1].isdigit()]
    for kind, pattern, is_real in _ROWS:
        if kind == "phone":
            matches = pattern.finditer(text)
        else:
            matches = match_at(pattern, text, digits if kind in _BEGIN_WITH_DIGIT else starts)
        spans += [Span(*match.span(), kind) for match in matches if is_real(text, match)]
    return iter(sorted(spans))
