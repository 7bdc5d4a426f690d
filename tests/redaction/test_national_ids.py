"""Numbers of persons: with a right check digit, beside a word that announces them, and what only looks like one."""

import re

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from errata import redact, redact_data
from errata.redaction._national_ids import _NUMBERS, _PHRASES, _SURE_WORDS, is_luhn

# fmt: off
# Examples of the authorities, or computed; they belong to nobody.
RIGHT = {
    "ae": "784198512345673", "ar": "20123456786", "at": "1237010180", "au": "123456782", "au medicare": "2123456701",
    "be": "85073003328", "bg": "7523169263", "br": "11144477735", "br company": "11222333000181", "br work": "12056412545",
    "ca": "130692544", "ca old": "046454286", "ch": "7569217076985", "cl": "123456785", "cn": "11010519491231002X",
    "cz": "7103192745", "de": "86095742719", "ec": "1710034065", "ee": "37605030299", "es": "12345678Z", "fi": "131052308T",
    "fr": "185057800608491", "gb health": "9434765919", "gr": "01013099997", "gr tax": "090000045", "hk": "A1234563",
    "hu": "111111110", "ie": "1234567T", "il": "123456782", "in": "234123412346", "is": "1201743399", "it": "RSSMRA85T10A562S",
    "jp": "123456789018", "kr": "9001011234568", "mx": "BOXW310820HNERXN09", "nl": "111222333", "no": "01010750160",
    "nz": "49091850", "pl": "44051401359", "pl tax": "1234563218", "pt": "123456789", "ro": "1800101221144",
    "rs": "0101006500006", "ru": "11223344595", "ru tax": "500100732259", "sa": "1012345672", "se": "8112289874",
    "sg": "S1234567D", "th": "1101700230708", "tr": "10000000146", "tw": "A123456789", "ua": "1759013776", "uy": "12345672",
    "za": "8001015009087",
}
# fmt: on


@pytest.mark.parametrize("country", RIGHT)
def test_a_right_check_digit_is_told_from_a_wrong_one(country):
    form, is_right = _NUMBERS[country]
    number = RIGHT[country]
    assert re.fullmatch(form, number)
    assert is_right(number)
    # No rule of this kind lets every other digit pass in some place.
    changed = [
        number[:at] + digit + number[at + 1 :]
        for at in range(len(number))
        for digit in "0123456789"
        if number[at].isdigit() and digit != number[at]
    ]
    others = [other for other in changed if re.fullmatch(form, other)]
    assert sum(map(is_right, others)) < len(others) / 4


@pytest.mark.parametrize("country", _NUMBERS)
def test_every_number_of_a_form_is_judged(country):
    form, is_right = _NUMBERS[country]

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(st.from_regex(re.compile(form, re.ASCII), fullmatch=True))
    def holds(number):
        assert is_right(number) in {True, False}

    holds()


@pytest.mark.parametrize("country", RIGHT)
def test_a_right_number_is_hidden_some_words_from_a_word_about_it(country):
    number = RIGHT[country]
    for text in (
        "the national id of ann is {}",
        "{} is no valid national id",
        "identity number: {}",
        "value {} as passport",
    ):
        shown = redact(text.format(number))
        assert number not in shown
        assert redact(shown) == shown


@pytest.mark.parametrize("word", sorted(_SURE_WORDS | _PHRASES))
def test_a_word_that_means_nothing_else_hides_a_number_with_a_mistake_in_it(word):
    for spelling in (word, word.upper(), word.replace(" ", "_")):
        for number in ("12345678A", "123456789", "1234567890123"):
            assert number not in redact(f"{spelling} {number} is not valid")
            assert number not in redact(f"{spelling}: {number}")


# fmt: off
BARE = [
    "111.444.777-35", "11.222.333/0001-81", "12.345.678-5", "20-12345678-6", "756.9217.0769.85", "7569217076985",
    "85.07.30-033.28", "112-233-445 95", "1-1017-00230-70-8", "784-1985-1234567-3", "131052-308T", "A123456(3)",
    "900101-1234568", "12345678-Z", "AB 12 34 56 C", "RSSMRA85T10A562S", "BOXW310820HNERXN09", "11010519491231002X",
    "1 85 05 78 006 084 91", "185057800608491",
]
# fmt: on


@pytest.mark.parametrize("number", BARE)
def test_a_form_that_nothing_else_has_needs_no_word(number):
    assert redact(f"row {number} twice") == "row [redacted: national id] twice"
    assert redact(f'{{"v": "{number}"}}') == '{"v": "[redacted: national id]"}'
    wrong = number[:-1] + ("4" if number[-1] != "4" else "7") if number[-1].isdigit() else number
    if wrong != number:
        assert redact(f"row {wrong} twice") == f"row {wrong} twice"


# fmt: off
PERSONAL = [
    ("DNI 12345678Z no v\u00e1lido", "12345678Z"), ("NIF X1234567L inv\u00e1lido", "X1234567L"), ("PAN ABCPE1234F invalid", "ABCPE1234F"),
    ("Steuer-ID 86 095 742 719 ung\u00fcltig", "86 095 742 719"), ("personnummer 811228-9874 ogiltigt", "811228-9874"),
    ("National Insurance number QQ123456C invalid", "QQ123456C"), ("NHS number 943 476 5919 not found", "943 476 5919"),
    ("Aadhaar 2341 2341 2346 rejected", "2341 2341 2346"), ("SIN 046 454 286 rejected", "046 454 286"), ("rut=12345678-5", "12345678-5"),
    ("passport X1234567 expired", "X1234567"), ("Passport No. C01X00T47 expired", "C01X00T47"), ("ssn=536228726&x=1", "536228726"),
    ("driver's license D1234567 suspended", "D1234567"), ("RFC GODE561231GR8 inv\u00e1lido", "GODE561231GR8"),
    ("value 44051401359 failed the PESEL checksum", "44051401359"), ('{"national_id": "44051401359"}', "44051401359"),
    ("call to 07700 900123 dropped", "07700 900123"), ("phone 06 12 34 56 78", "06 12 34 56 78"),
    ("Telefon 030 12345678 besetzt", "030 12345678"), ("SMS to 4155552671 failed", "4155552671"), ("mobile 98765 43210", "98765 43210"),
    ('"ann lee"@acme.io bounced', "ann lee"), ("ann.lee [at] acme [dot] io", "ann.lee"), ("ann@[81.2.69.142] refused", "ann@"),
    ("ann.lee(at)acme.io", "ann.lee"), ("\u7528\u6237@\u4f8b\u5b50.\u5e7f\u544a \u65e0\u6548", "\u7528\u6237"), ("ann.lee&#64;acme.io", "ann.lee"),
    ("device 3c:22:fb:9a:10:4e blocked", "3c:22:fb:9a:10:4e"), ("client 3C-22-FB-9A-10-4E left", "3C-22-FB-9A-10-4E"),
    ("mac=3c22.fb9a.104e", "3c22.fb9a.104e"), ("born 17 May 1985", "17 May 1985"), ("DOB: 05/17/1985", "05/17/1985"),
    ("geboren am 17.05.1985", "17.05.1985"), ('{"date_of_birth": "1985-05-17"}', "1985-05-17"), ("dob=19850517", "19850517"),
    ('{"full_name": "Ann Katherine Lee"}', "Ann Katherine"), ("last_name='Leechester'", "Leechester"),
    ("deliver to 221B Baker Street, London NW1 6XE failed", "221B Baker Street"), ("8 Elm Close, Leeds LS1 4AP", "8 Elm Close"),
    ("ship to 1600 Pennsylvania Ave NW", "1600 Pennsylvania"), ("livrer au 12 rue de la Paix, 75002 Paris", "12 rue de la Paix"),
    ("Hauptstra\u00dfe 12, 10115 Berlin unbekannt", "Hauptstra\u00dfe 12"), ("350 Fifth Avenue, New York, NY 10118", "350 Fifth"),
    ("sort code 12-34-56 account 12345678", "12345678"),
]
# fmt: on


@pytest.mark.parametrize(("text", "value"), PERSONAL)
def test_what_identifies_a_person_is_hidden(text, value):
    shown = redact(text)
    assert value not in shown
    assert redact(shown) == shown


# fmt: off
THINGS = [
    "row 9476723677031213 not found", "id 853486416160715831 exceeds 2^53", "ISBN 978-3-16-148410-0", "EAN 4006381333931",
    "build 20261116.1423.7", "epoch 1790000000", "timestamp 1790000000123 is in the future", "case 02345678901 closed",
    "meter 12345678901 offline", "account 123456789012 is suspended", "ticket 1234567890 reopened", "Order 2026-1116-000123 is closed",
    "order 123-4567890-1234567 refused", "row 12.345.678 of 99.999.999", "ORCID 0000-0002-1825-0097", "RFC 9110 section 15.5.2",
    "sin(0.5) = 0.479425538604203", "run 20261116123456 failed", "ci 20261116123456 failed", "uid 1000, pid 123456", "pan 123456",
    "tax 19.00 on 123456.78", "national holiday 2026-11-16", "personal access token required", "passport.js 0.7.0 not found",
    "identity provider 123 unreachable", "id card printer offline, job 12345", "SMS quota 100000 of 250000 used",
    "Called 1234567890 times in 100 s", "call 853486416160715831 not found", "tel. extension 4711 busy", "cell B12 has 0123456789 chars",
    "mobile build 20261116.1423 failed", "phone field has 10 digits at most", "line 12 Column Row 5", "version 3 Release Court 2",
    "step 2 Close Connection", "12 Angry Men Row 3", "4 Square Brackets", "after 3 Retry Way", "5 Main Threads Road-tested",
    "process born 2026-11-16T12:00:00Z", "birthday must be YYYY-MM-DD", "first_name is required", "last_name: must not be blank",
    '"first_name": "string"', '{"full_name": "acme/repo"}', "full_name: str", "serial 04:e1:2f:aa:00:1b", "MAC 52:54:00:12:34:56",
    "device ff:ff:ff:ff:ff:ff is everybody", "time 12:00:00:00:00:00", "coordinates 52.520008, 13.404954", "flight LH1234 on 2026-11-16",
    "ZIP 94107-1234", "doi 10.1038/s41586-026-01234-5 not found", "VIN 1HGCM82633A004352 not decoded", "PMID 38052113",
    "tracking 1Z999AA10123456784 not found", "GTIN 00012345600012", "invoice INV-2026-38135037", "CVE-2026-12345",
]
# fmt: on


@pytest.mark.parametrize("text", THINGS)
def test_a_number_of_a_thing_stays(text):
    assert redact(text) == text


def test_names_addresses_and_birthdays_are_hidden_in_data():
    person = {
        "full_name": "Ann Katherine Lee",
        "street_address": "221B Baker Street",
        "birth_date": "1985-05-17",
        "city": "London",
    }
    assert redact_data(person) == {
        "full_name": "[redacted: name]",
        "street_address": "[redacted: address]",
        "birth_date": "[redacted: birth date]",
        "city": "London",
    }


@given(st.integers(0, 10**14))
def test_one_digit_of_ten_is_right_by_the_rule_of_luhn(number):
    assume(number)
    assert sum(is_luhn(f"{number}{digit}") for digit in range(10)) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("passport number X4RTBPFW4 expired", "X4RTBPFW4"),
        ("MRZ L898902C36UTO7408122F1204159ZE184226B<<<<<10 unreadable", "L898902C36"),
        ("UPI ann.lee@okhdfcbank declined", "ann.lee"),
        ("South African ID 8507305009082 failed", "8507305009082"),
        ("\u0391\u03a6\u039c 123456783 \u03bc\u03b7 \u03ad\u03b3\u03ba\u03c5\u03c1\u03bf", "123456783"),
        ("routing=1&account_no=9876543210123", "9876543210123"),
    ],
)
def test_papers_with_letters_in_their_numbers_are_hidden(text, number):
    assert number not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "passport EXPIRED20260101X is no number",
        "passport control: GATEWAYS are open",
        "follow @paytm for news",
        "shift x<<<<<10 bits, A<<B",
        "account_no=missing",
        "model 8507305009082 is sold out",
    ],
)
def test_what_only_looks_like_papers_stays(text):
    assert redact(text) == text
