"""Numbers by which countries know their people: the words that announce them, their forms and their check digits.

A number beside a word that means nothing else is hidden by its form alone, because an error is often about one with a
typing mistake. Beside a word of several meanings, or some words away, its check digit has to be right. Without any
word, only forms are taken that nothing else has, with a right check digit.
"""

import re
from collections.abc import Callable, Iterator
from operator import mul

from errata.redaction._spans import BEGAN, Span, compile_late, match_at

_Check = Callable[[str], bool]


def is_luhn(digits: str) -> bool:
    """Return whether the last digit is right by the rule of Luhn, as cards have it."""
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(map(int, odd)) + sum(sum(divmod(2 * int(digit), 10)) for digit in even)) % 10 == 0


def _sum(digits: str, weights: str | tuple[int, ...]) -> int:
    """Add up digits by their weights, given as a string if each has one digit."""
    return sum(map(mul, map(int, digits[: len(weights)]), map(int, weights)))


def _is_day(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31  # noqa: PLR2004


def _spain(code: str) -> bool:
    number = str("XYZ".find(code[0])) + code[1:8] if code[0] in "XYZ" else code[:8]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == code[8]


_ITALY_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21] * 2 + [2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23],
        strict=True,
    )
)


def _italy(code: str) -> bool:
    even = sum(int(letter) if letter.isdigit() else ord(letter) - 65 for letter in code[1:15:2])
    return chr((sum(_ITALY_ODD[letter] for letter in code[:15:2]) + even) % 26 + 65) == code[15]


def _france(code: str) -> bool:
    number = code[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and code[0] in "123478" and 97 - int(number) % 97 == int(code[13:])


def _mod_11_10(digits: str) -> bool:
    """Check the last digit as ISO 7064 does for Germany's taxes and Croatia."""
    product = 10
    for digit in digits[:-1]:
        product = 2 * ((int(digit) + product) % 10 or 10) % 11
    return (11 - product) % 10 == int(digits[-1])


def _belgium(digits: str) -> bool:
    number, check = digits[:9], int(digits[9:])
    return _is_day(digits[2:4], digits[4:6]) and check in {
        97 - int(number) % 97,
        97 - int("2" + number) % 97,
    }


def _portugal(digits: str) -> bool:
    rest = _sum(digits, "98765432") % 11
    return int(digits[8]) == (0 if rest < 2 else 11 - rest)  # noqa: PLR2004


def _norway(digits: str) -> bool:
    first, second = -_sum(digits, "376189452") % 11, -_sum(digits, "5432765432") % 11
    return digits[9:] == f"{first}{second}"


def _finland(code: str) -> bool:
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(code[:6] + code[-4:-1]) % 31] == code[-1] and _is_day(
        code[2:4], code[:2]
    )


def _baltic(digits: str) -> bool:
    check = _sum(digits, "1234567891") % 11
    check = _sum(digits, "3456789123") % 11 % 10 if check == 10 else check  # noqa: PLR2004
    return check == int(digits[10])


def _czechia(digits: str) -> bool:
    month = int(digits[2:4]) % 50 % 20
    return int(digits) % 11 == 0 and 1 <= month <= 12 and 1 <= int(digits[4:6]) <= 31  # noqa: PLR2004


def _romania(digits: str) -> bool:
    rest = _sum(digits, "279146358279") % 11
    return int(digits[12]) == (1 if rest == 10 else rest) and _is_day(digits[3:5], digits[5:7])  # noqa: PLR2004


def _ireland(code: str) -> bool:
    second = ord(code[8]) - 64 if len(code) > 8 and code[8] != "W" else 0  # noqa: PLR2004
    return "WABCDEFGHIJKLMNOPQRSTUV"[(_sum(code, "8765432") + 9 * second) % 23] == code[7]


def _ean(digits: str) -> bool:
    return _sum(digits, "1313131313131"[: len(digits)]) % 10 == 0


def _austria(digits: str) -> bool:
    return _sum(digits[:3] + digits[4:], "379584216") % 11 == int(digits[3])


def _health_service(digits: str) -> bool:
    return -_sum(digits, (10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11 == int(digits[9])


def _cpf(digits: str) -> bool:
    first = _sum(digits, (10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    second = _sum(digits, (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11 % 10
    return digits[9:] == f"{first}{second}" and len(set(digits)) > 1


def _cnpj(digits: str) -> bool:
    first = _sum(digits, "543298765432") * 10 % 11 % 10
    second = _sum(digits, "6543298765432") * 10 % 11 % 10
    return digits[12:] == f"{first}{second}" and len(set(digits)) > 1


def _argentina(digits: str) -> bool:
    return digits[:2] in {"20", "23", "24", "25", "26", "27", "30", "33", "34"} and -_sum(
        digits, "5432765432"
    ) % 11 == int(digits[10])


def _chile(code: str) -> bool:
    total = sum(int(digit) * (2 + index % 6) for index, digit in enumerate(reversed(code[:-1])))
    return "0123456789K"[-total % 11] == code[-1]


def _ecuador(digits: str) -> bool:
    return int(digits[:2]) <= 24 and is_luhn(digits)  # noqa: PLR2004


_CURP = "0123456789ABCDEFGHIJKLMN\u00d1OPQRSTUVWXYZ"


def _mexico(code: str) -> bool:
    total = sum(_CURP.find(letter) * (18 - index) for index, letter in enumerate(code[:17]))
    return -total % 10 == int(code[17]) and _is_day(code[6:8], code[8:10])


_VERHOEFF = (
    "0123456789",
    "1576283094",
    "5803796142",
    "8916043527",
    "9453126870",
    "4286573901",
    "2793806415",
    "7046913258",
)
_DIHEDRAL = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)


def _india(digits: str) -> bool:
    check = 0
    for index, digit in enumerate(reversed(digits)):
        check = int(_DIHEDRAL[check][int(_VERHOEFF[index % 8][int(digit)])])
    return check == 0 and digits[0] not in "01"


def _china(code: str) -> bool:
    rest = sum(int(digit) * 2 ** (17 - index) for index, digit in enumerate(code[:17])) % 11
    return (
        "10X98765432"[rest] == code[17]
        and code[6:8] in {"19", "20"}
        and _is_day(code[10:12], code[12:14])
        and code[0] in "12345689"
    )


def _hong_kong(code: str) -> bool:
    letters, digits, check = code[:-7], code[-7:-1], code[-1]
    values = [36, *(ord(letter) - 55 for letter in letters)][-2:]
    rest = -(values[0] * 9 + values[1] * 8 + _sum(digits, "765432")) % 11
    return "0123456789A"[rest] == check


def _taiwan(code: str) -> bool:
    number = "ABCDEFGHJKLMNPQRSTUVXYWZIO".find(code[0]) + 10
    return (number // 10 + number % 10 * 9 + _sum(code[1:], "876543211")) % 10 == 0


def _singapore(code: str) -> bool:
    total = _sum(code[1:8], "2765432") + {"T": 4, "G": 4, "M": 3}.get(code[0], 0)
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "F": "XWUTRQPNMLK", "G": "XWUTRQPNMLK", "M": "XWUTRQPNJLK"}[
        code[0]
    ]
    return letters[total % 11 if code[0] != "M" else 10 - total % 11] == code[8]


def _korea(digits: str) -> bool:
    return (11 - _sum(digits, "234567892345") % 11) % 10 == int(digits[12]) and _is_day(digits[2:4], digits[4:6])


def _japan(digits: str) -> bool:
    rest = _sum(digits, "65432765432") % 11
    return int(digits[11]) == (0 if rest < 2 else 11 - rest)  # noqa: PLR2004


def _thailand(digits: str) -> bool:
    return (11 - _sum(digits, (13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11) % 10 == int(digits[12])


def _turkey(digits: str) -> bool:
    odd, even = sum(map(int, digits[0:9:2])), sum(map(int, digits[1:8:2]))
    return (
        (7 * odd - even) % 10 == int(digits[9])
        and sum(map(int, digits[:10])) % 10 == int(digits[10])
        and digits[0] != "0"
    )


def _russia_pension(digits: str) -> bool:
    return _sum(digits, "987654321") % 101 % 100 == int(digits[9:])


def _russia_tax(digits: str) -> bool:
    first = _sum(digits, (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10
    return digits[10:] == f"{first}{_sum(digits, (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10}"


def _south_africa(digits: str) -> bool:
    return is_luhn(digits) and _is_day(digits[2:4], digits[4:6]) and digits[10] in "012"


# fmt: off
_NUMBERS: dict[str, tuple[str, _Check]] = {
    "ae": (r"784\d{12}",                      is_luhn),
    "ar": (r"\d{11}",                         _argentina),
    "at": (r"\d{10}",                         _austria),
    "au": (r"\d{9}",                          lambda d: _sum(d, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0),
    "au medicare": (r"[2-6]\d{9,10}",         lambda d: _sum(d, "13791379") % 10 == int(d[8])),
    "be": (r"\d{11}",                         _belgium),
    "bg": (r"\d{10}",                         lambda d: _sum(d, (2, 4, 8, 5, 10, 9, 7, 3, 6)) % 11 % 10 == int(d[9])),
    "br": (r"\d{11}",                         _cpf),
    "br company": (r"\d{14}",                 _cnpj),
    "br work": (r"\d{11}",                    lambda d: -_sum(d, "3298765432") % 11 % 10 == int(d[10])),
    "ca": (r"[1-9]\d{8}",                     is_luhn),
    "ca old": (r"0\d{8}",                     is_luhn),
    "ch": (r"756\d{10}",                      _ean),
    "cl": (r"\d{7,8}[\dK]",                   _chile),
    "cn": (r"\d{17}[\dX]",                    _china),
    "cz": (r"\d{10}",                         _czechia),
    "de": (r"[1-9]\d{10}",                    _mod_11_10),
    "de pension": (r"\d{8}[A-Z]\d{3}",        lambda c: _is_day(c[4:6], c[2:4])),
    "dk": (r"\d{10}",                         lambda d: _is_day(d[2:4], d[:2])),
    "ec": (r"\d{10}",                         _ecuador),
    "ee": (r"[1-8]\d{10}",                    _baltic),
    "eg": (r"[23]\d{13}",                     lambda d: _is_day(d[3:5], d[5:7])),
    "es": (r"(?:\d{8}|[XYZ]\d{7})[A-Z]",      _spain),
    "fi": (r"\d{6}[A-FU-Y]?\d{3}[0-9A-FHJ-NPR-Y]", _finland),
    "fr": (r"[1-478]\d{4}(?:\d\d|2[AB])\d{8}", _france),
    "gb": (r"[A-Z]{2}\d{6}[A-D]",             lambda c: c[0] not in "DFIUV" and c[1] not in "DFIOUV"),
    "gb health": (r"\d{10}",                  _health_service),
    "gr": (r"\d{11}",                         lambda d: is_luhn(d) and _is_day(d[2:4], d[:2])),
    "gr tax": (r"\d{9}",                      lambda d: sum(int(c) << (8 - i) for i, c in enumerate(d[:8])) % 11 % 10 == int(d[8])),
    "hk": (r"[A-Z]{1,2}\d{6}[\dA]",           _hong_kong),
    "hu": (r"\d{9}",                          lambda d: _sum(d, "37373737") % 10 == int(d[8])),
    "id": (r"\d{16}",                         lambda d: 1 <= int(d[6:8]) % 40 <= 31 and 1 <= int(d[8:10]) <= 12),  # noqa: PLR2004
    "ie": (r"\d{7}[A-W][A-IW]?",              _ireland),
    "il": (r"\d{9}",                          is_luhn),
    "in": (r"\d{12}",                         _india),
    "in tax": (r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", lambda _: True),
    "is": (r"\d{10}",                         lambda d: -_sum(d, "32765432") % 11 == int(d[8])),
    "it": (r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPR-T][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]", _italy),
    "jp": (r"\d{12}",                         _japan),
    "kr": (r"\d{13}",                         _korea),
    "lt": (r"[1-6]\d{10}",                    _baltic),
    "lk": (r"\d{9}[VX]",                      lambda _: True),
    "mx": (r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d", _mexico),
    "mx tax": (r"[A-Z\u00d1&]{3,4}\d{6}[A-Z0-9]{2}[\dA]", lambda c: _is_day(c[-7:-5], c[-5:-3])),
    "my": (r"\d{12}",                         lambda d: _is_day(d[2:4], d[4:6])),
    "nl": (r"\d{8,9}",                        lambda d: _sum(d.zfill(9), "98765432") % 11 == int(d[-1])),
    "no": (r"\d{11}",                         _norway),
    "nz": (r"\d{8,9}",                        lambda d: -_sum(d.zfill(9), "32765432") % 11 in {int(d[-1]), 10}),
    "pk": (r"[1-7]\d{12}",                    lambda _: True),
    "pl": (r"\d{11}",                         lambda d: -_sum(d, "1379137913") % 10 == int(d[10])),
    "pl tax": (r"\d{10}",                     lambda d: _sum(d, "657234567") % 11 == int(d[9])),
    "pt": (r"[1-9]\d{8}",                     _portugal),
    "ro": (r"[1-9]\d{12}",                    _romania),
    "rs": (r"\d{13}",                         lambda d: -_sum(d, "765432765432") % 11 % 10 == int(d[12])),
    "ru": (r"\d{11}",                         _russia_pension),
    "ru tax": (r"\d{12}",                     _russia_tax),
    "sa": (r"[12]\d{9}",                      is_luhn),
    "se": (r"(?:19|20)?\d{10}",               lambda d: is_luhn(d[-10:]) and 1 <= int(d[-8:-6]) <= 12),  # noqa: PLR2004
    "sg": (r"[STFGM]\d{7}[A-Z]",              _singapore),
    "th": (r"[1-8]\d{12}",                    _thailand),
    "tr": (r"[1-9]\d{10}",                    _turkey),
    "tw": (r"[A-Z][1289]\d{8}",               _taiwan),
    "ua": (r"\d{10}",                         lambda d: _sum(d, (-1, 5, 7, 9, 4, 6, 10, 5, 7)) % 11 % 10 == int(d[9])),
    "us": (r"(?!000|666)\d{3}(?!00)\d{2}(?!0000)\d{4}", lambda _: True),
    "uy": (r"\d{8}",                          lambda d: -_sum(d, "2987634") % 10 == int(d[7])),
    "za": (r"\d{13}",                         _south_africa),
}

"""The form of a country's number, without spaces and signs, and whether its check digit is right."""

_SURE_WORDS = frozenset("""
    aadhaar aadhar ahv amka bsn burgerservicenummer bvn cccd cedula c\u00e9dula citizenid cnic cnp cnpj codicefiscale
    contribuinte cpf cpr cprnummer cuil cuit curp dni egn emso em\u0161o f\u00f8dselsnummer fodselsnummer
    henkil\u00f6tunnus hetu hkid iin imei imsi insz isikukood itin jmbg kennitala kimlik medicare mrn mykad mynumber national_id nationalid
    nino niss nric oib passport passnummer passeport pasaporte passaporte personalausweis personnummer pesel ppsn
    \u05d6\u05d4\u05d5\u05ea f\u00fchrerschein f\u00fchrerscheinnummer ausweisnummer personalausweisnummer reisepassnummer
    krankenversichertennummer krankenversicherungsnummer kvnr rentenversicherungsnummer rvnr versichertennummer sozialversicherungsnr
    \u03b1\u03bc\u03ba\u03b1 \u0440\u043d\u043e\u043a\u043f\u043f \u0456\u043f\u043d \u8eab\u4efd\u8b49 \u8eab\u4efd\u8b49\u5b57\u865f \u8eab\u5206\u8b49 \u8eab\u5206\u8b49\u5b57\u865f \u8eab\u4efd\u8bc1\u53f7\u7801 \u500b\u4eba\u756a\u53f7
    \u0e27\u0e1b\u0e23\u0e30\u0e0a\u0e32\u0e0a\u0e19 \u0e15\u0e23\u0e1b\u0e23\u0e30\u0e0a\u0e32\u0e0a\u0e19
    reisepass rijksregisternummer rnokpp rodne rodn\u00e9 rrn snils sofinummer sozialversicherungsnummer ssn steuerid
    steueridentifikationsnummer steuernummer svnr taxpayer tckn tfn utr versicherungsnummer \u0441\u043d\u0438\u043b\u0441 \u0438\u043d\u043d \u0435\u0433\u043d
    \uc8fc\ubbfc\ub4f1\ub85d\ubc88\ud638 \u8eab\u4efd\u8bc1 \u8eab\u4efd\u8bc1\u53f7 \u8eab\u4efd\u8bc1\u53f7\u7801
    \u30de\u30a4\u30ca\u30f3\u30d0\u30fc
""".split())  # noqa: SIM905 - as one reads words
"""Words that announce a number of a person and nothing else."""

_PHRASES = frozenset((
    "codice fiscale", "steuer id", "steuer identifikationsnummer", "national insurance", "national id", "national identity",
    "national identification", "identity number", "identity card", "id card", "identification number", "citizen id",
    "social security", "social insurance", "s\u00e9curit\u00e9 sociale", "securite sociale", "nhs number", "tax id", "tax number",
    "tax file", "my number", "resident registration", "resident identity", "personal number",
    "personal id", "personal code", "driver license", "drivers license", "driving licence", "driver licence", "driving license",
    "rodn\u00e9 \u010d\u00edslo", "rodne cislo", "tc kimlik", "tc no", "permanent account", "insurance number",
    "health card", "emirates id", "health insurance", "patient id", "patient number", "medical record", "voter id", "immigration number",
    "asmens kodas", "asmens kodo", "personas kods", "taj sz\u00e1m", "szem\u00e9lyi sz\u00e1m", "ad\u00f3azonos\u00edt\u00f3 jel",
    "id number", "african id", "identity no", "citizen number", "inland revenue", "nhs no", "ni number",
))

_CHECKED_WORDS: dict[str, tuple[str, ...]] = {
    "cf": ("it",), "ci": ("uy",), "ein": (), "fin": ("sg",), "fnr": ("no",), "ic": ("my", "sg"), "ird": ("nz",),
    "nhs": ("gb health",), "nid": (), "nif": ("es", "pt"), "nip": ("pl tax",), "nir": ("fr",), "nit": (), "nrn": ("be",),
    "pan": ("in tax",), "pis": ("br work",), "rc": ("cz",), "r\u010d": ("cz",), "rfc": ("mx tax",), "run": ("cl",), "rut": ("cl",),
    "sin": ("ca", "ca old"), "taj": ("hu",), "tc": ("tr",), "tin": ("in tax",), "tz": ("il",), "uid": ("in",), "inn": ("ru tax",),
    "teudat": ("il",), "zehut": ("il",), "iqama": ("sa",), "afm": ("gr tax",), "\u03b1\u03c6\u03bc": ("gr tax",), "insee": ("fr",), "ktp": ("id",), "nik": ("id",),
    "nie": ("es",), "pps": ("ie",), "avs": ("ch",),
}
"""Words with other meanings, and the countries whose check digit has to be right beside them."""
# fmt: on

_WORD = re.compile(r"[^\W\d_]{2,32}+")
_NEXT_WORD = re.compile(r"(?:['\u2019]s)?[\s_\-./]{1,2}([^\W\d_]{2,32}+)")
_GLUE = (
    r"[\"'`]{0,2}(?:[\s_\-]{0,2}(?:number|num|no|nr|n[\u00ba\u00b0]|id|card|code|is|was|of|for|value|numero|n\u00famero|nummer|\u010d\u00edslo|cislo|file|record"
    r"|sociale|kimlik|registration|identity|identification|security|insurance|fiscale|invalid|account|licen[cs]e|\u53f7|\u53f7\u7801)\.?){0,4}[\"'`]{0,2}[\s:=#\uff1a(\"'`\[]{1,4}"
)


_NUMBER = (
    r"(?!\d{4}-\d\d-\d\d(?!\d))(?:[A-Za-z]{1,6}|[A-Z]{1,4}[ \-])?(?=\d)[0-9A-Za-z]{1,20}+"
    r"(?:[ .\-/\u00a0](?=[A-Za-z]{0,3}\d)[0-9A-Za-z]{1,12}+){0,6}(?:[ \-./]?\(?[A-Z]\)?(?![A-Za-z]))?"
)
_BEHIND_A_WORD = compile_late(rf"(?i:{_GLUE})(?P<number>{_NUMBER})")
"""Matches a number directly behind a word that announces it."""


_NEAR_A_WORD = compile_late(rf"(?<![\w.\-/]){_NUMBER}(?![\w\-]|\.\d)")
"""Matches numbers in the words around one."""


def find_announced_ids(text: str, lower: str) -> Iterator[Span]:
    """Find numbers beside words that announce them."""
    seen = looked_at = 0
    for word in _WORD.finditer(lower):
        countries, end = _read_announcement(lower, word)
        if countries is None or word.start() < seen:
            continue
        number = _directly_behind(text, end, countries)
        if number is None and not countries:
            floor, looked_at = max(looked_at, word.start() - _NEAR), end + _NEAR
            number = _nearby(text, floor, looked_at)
        if number and number[0] >= seen:
            seen = looked_at = number[1]
            yield Span(*number, "national id")


_ANY: tuple[str, ...] = tuple(_NUMBERS)
_FORMS = {country: (compile_late(form, re.ASCII), is_right) for country, (form, is_right) in _NUMBERS.items()}


def _read_announcement(lower: str, word: re.Match[str]) -> tuple[tuple[str, ...] | None, int]:
    """Return the countries whose numbers a word announces (none: all of them), and where the word or its phrase ends."""
    name = word[0]
    if name in _SURE_WORDS:
        return (), word.end()
    if (
        name in _FIRST_WORDS
        and (following := _NEXT_WORD.match(lower, word.end()))
        and f"{name} {following[1]}" in _PHRASES
    ):
        return (), following.end()
    if name in _CHECKED_WORDS:
        return _CHECKED_WORDS[name], word.end()
    return None, word.end()


_FIRST_WORDS = frozenset(phrase.partition(" ")[0] for phrase in _PHRASES)


def _directly_behind(text: str, start: int, countries: tuple[str, ...]) -> tuple[int, int] | None:
    """Return where the number behind a word is: one of its countries, or any if the word means nothing else."""
    match = _BEHIND_A_WORD.match(text, start, start + 96)
    if match is None:
        return None
    number = match["number"].rstrip(" .-/")
    compact = _compact(number)
    if _is_right(compact, countries) if countries else _could_be_one(compact):
        return match.start("number"), match.start("number") + len(number)
    return None


def _nearby(text: str, floor: int, end: int) -> tuple[int, int] | None:
    """Return where the first number is whose check digit is right for some country."""
    if floor > 0 and text[floor - 1 : floor].isalnum():
        floor += len(text[floor:end]) - len(text[floor:end].lstrip(_LETTERS))
    if floor >= end or not _DIGITS.search(text, floor, end):
        return None
    following = _NEAR_A_WORD.finditer(text, floor, min(len(text), end))
    return next((match.span() for match in following if _is_right(_compact(match[0]), _ANY)), None)


_NEAR = 40
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_DIGITS = re.compile(r"[0-9]{2}")


def _compact(number: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "", number).upper()


def _could_be_one(compact: str) -> bool:
    """Return whether a number has as many digits as those of persons."""
    digits = sum(map(str.isdigit, compact))
    return _LEAST_DIGITS <= digits <= _MOST_DIGITS and len(compact) <= 20 and len(set(compact)) > 1  # noqa: PLR2004


_SHORTEST = 8
_LEAST_DIGITS = 6
_MOST_DIGITS = 19


def _is_right(compact: str, countries: tuple[str, ...]) -> bool:
    """Return whether a number has the form of one of some countries, and the check digit."""
    rows = (_FORMS[country] for country in countries) if len(compact) >= _SHORTEST else ()
    return any(form.fullmatch(compact) is not None and is_right(compact) for form, is_right in rows)


# fmt: off
_BARE_FORMS = (
    ("it", rf"[A-Z]{BEGAN}(?<![_].)[A-Z]{{5}}[0-9LMNP-V]{{2}}[A-EHLMPR-T][0-9LMNP-V]{{2}}[A-Z][0-9LMNP-V]{{3}}[A-Z](?![\w\-])"),
    ("mx", rf"[A-Z]{BEGAN}(?<![_].)[A-Z]{{3}}\d{{6}}[HMX][A-Z]{{5}}[A-Z0-9]\d(?![\w\-])"),
    ("cn", rf"[1-9]{BEGAN}(?<![_.\-].)\d{{5}}(?:19|20)\d{{9}}[\dXx](?![\w\-]|\.\d)"),
    ("fr", rf"[12]{BEGAN}(?<![_.\-].)(?P<gap>[ .])\d\d(?P=gap)[01]\d(?P=gap)(?:\d\d|2[AB])(?P=gap)\d{{3}}(?P=gap)\d{{3}}(?P=gap)\d\d(?![\w\-])"),
    ("fr", rf"[12]{BEGAN}(?<![_.\-].)\d\d[01]\d(?:\d\d|2[AB])\d{{6}} ?\d\d(?![\w\-]|\.\d)"),
    ("br", rf"\d{BEGAN}(?<![_.\-].)\d\d\.\d{{3}}\.\d{{3}}-\d\d(?![\w\-])"),
    ("br company", rf"\d{BEGAN}(?<![_.\-].)\d\.\d{{3}}\.\d{{3}}/\d{{4}}-\d\d(?![\w\-])"),
    ("cl", rf"\d{BEGAN}(?<![_.\-].)\d?\.\d{{3}}\.\d{{3}}-[\dkK](?![\w\-])"),
    ("ar", rf"[23]{BEGAN}(?<![_.\-].)\d-\d{{8}}-\d(?![\w\-])"),
    ("ch", rf"7{BEGAN}(?<![_.\-].)56\.?\d{{4}}\.?\d{{4}}\.?\d\d(?![\w\-]|\.\d)"),
    ("be", rf"\d{BEGAN}(?<![_.\-].)\d\.\d\d\.\d\d-\d{{3}}\.\d\d(?![\w\-]|\.\d)"),
    ("ru", rf"\d{BEGAN}(?<![_.\-].)\d\d-\d{{3}}-\d{{3}}[ \-]\d\d(?![\w\-])"),
    ("th", rf"[1-8]{BEGAN}(?<![_.\-].)-\d{{4}}-\d{{5}}-\d\d-\d(?![\w\-])"),
    ("ae", rf"7{BEGAN}(?<![_.\-].)84-\d{{4}}-\d{{7}}-\d(?![\w\-])"),
    ("fi", rf"[0-3]{BEGAN}(?<![_.\-].)\d[01]\d{{3}}[-+A-FU-Y]\d{{3}}[A-FHJ-NPR-Y](?![\w\-])"),
    ("hk", rf"[A-Z]{BEGAN}(?<![_.\-].)[A-Z]?\d{{6}}\([\dA]\)"),
    ("kr", rf"\d{BEGAN}(?<![_.\-].)\d[01]\d[0-3]\d-[1-8]\d{{6}}(?![\w\-])"),
    ("es", rf"\d{BEGAN}(?<![_.\-].)\d{{7}}-[A-HJ-NP-TV-Z](?![\w\-])"),
    ("gb", rf"[A-CEGHJ-PR-TW-Z]{BEGAN}(?<![_.\-].)[A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D](?![\w\-])"),
)
"""Forms that nothing else has, which need no word beside them if their check digit is right."""
# fmt: on
_BARE = tuple((country, compile_late(form, re.ASCII), not form.startswith("[A")) for country, form in _BARE_FORMS)


def find_bare_ids(text: str, starts: list[int]) -> Iterator[Span]:
    """Find numbers that are known by their form and their check digit alone; they begin where a word does."""
    digits = [start for start in starts if text[start : start + 1].isdigit()]
    letters = [start for start in starts if text[start : start + 1].isupper()]
    for country, pattern, is_number in _BARE:
        for match in match_at(pattern, text, digits if is_number else letters):
            if _is_right(_compact(match[0]), (country,)):
                yield Span(*match.span(), "national id")
