"""Passwords as tools, settings files, routers, databases and services write them, each beside the same without one.

Filled as in `tests/support/sample_secrets.py`; `{chosen}` is a password that a person thought of.
"""

import random
from base64 import b64encode
from pathlib import Path

import pytest
from support.sample_secrets import filled, survives

from errata import redact
from errata.redaction._national_ids import is_luhn

CHOSEN = ("Cobalt-Heron-83", "pgUk87B2JrsSk1", "Quartz!7421x", "Saffron-Otter-607")


def _lines(name):
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").replace("\\t", "\t") for line in lines]


def _filled(template, seed):
    chosen = CHOSEN[seed % len(CHOSEN)]
    line, secrets = filled(template.replace("{chosen}", chosen), random.Random(seed))
    return line, [*secrets, chosen]


@pytest.mark.parametrize("template", _lines("tools_dirty.txt"))
def test_no_tool_gives_a_password_away(template):
    for seed in range(4):
        line, secrets = _filled(template, seed)
        shown = redact(line)

        assert not [secret for secret in secrets if survives(secret, shown)]
        assert redact(shown) == shown


@pytest.mark.parametrize("line", _lines("tools_clean.txt"))
def test_what_a_tool_says_without_a_password_stays(line):
    assert redact(line) == line


def _numbers(text, between):
    return between.join(map(str, text.encode()))


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize(
    "form",
    [
        lambda word: f"password=[{_numbers(word, ', ')}]",
        lambda word: f'{{"password":{{"type":"Buffer","data":[{_numbers(word, ",")}]}}}}',
        lambda word: f"Cfg{{Secret:[]uint8([{_numbers(word, ' ')}])}}",
        lambda word: "".join(f"\\{ord(letter):03o}" for letter in f"password={word}"),
        lambda word: b64encode(f"$password = '{word}'".encode("utf-16-le")).decode(),
        lambda word: f"tool\0--password\0{word}\0-v",
    ],
)
def test_a_password_in_another_encoding_is_hidden(form, chosen):
    text = form(chosen)
    shown = redact(text)

    assert "[redacted: " in shown
    assert chosen not in shown
    assert not [numbers for between in (", ", ",", " ") if (numbers := _numbers(chosen, between)) in shown]
    assert redact(shown) == shown


def _with_check_digit(digits):
    return next(f"{digits}{last}" for last in range(10) if is_luhn(f"{digits}{last}"))


LONG_CARD = _with_check_digit("622848301947562031")
MAESTRO = _with_check_digit("675930281746553")
PEOPLE = [
    (f"UnionPay card {LONG_CARD} refused", LONG_CARD),
    (f"\u94f6\u8054\u5361 {LONG_CARD} \u65e0\u6548", LONG_CARD),
    (f"Maestro {MAESTRO} refused", MAESTRO),
    ("\u96fb\u8a71 080-5512-9047 \u7121\u52b9", "080-5512-9047"),
    ("\uc804\ud654\ubc88\ud638 010-5512-9047", "010-5512-9047"),
    ("\u624b\u673a\u53f7 13955129047", "13955129047"),
    ("telefone (21) 95512-9047", "95512-9047"),
    ("Asmens kodas 38703181745", "38703181745"),
    ("\u0391\u039c\u039a\u0391 17058512342", "17058512342"),
    ("\u8eab\u5206\u8b49\u5b57\u865f B123456780", "B123456780"),
    (
        "\u0e40\u0e25\u0e02\u0e1b\u0e23\u0e30\u0e08\u0e33\u0e15\u0e31\u0e27\u0e1b\u0e23\u0e30\u0e0a\u0e32\u0e0a\u0e19 1101700230708",
        "1101700230708",
    ),
    ("TAJ sz\u00e1m 123 456 788", "123 456 788"),
    ("Rentenversicherungsnummer 65170839J003", "65170839J003"),
    ("Krankenversichertennummer B720549318", "B720549318"),
    ("\u0420\u041d\u041e\u041a\u041f\u041f 2846103957", "2846103957"),
    ("CLABE 032180000118359719", "032180000118359719"),
    ("Reisepass C4VGH21R7 abgelaufen", "C4VGH21R7"),
    ("P<UTOMUSTERFRAU<<ERIKA<<<<<<<<<<<<<<<<<<<<<< at gate 3", "MUSTERFRAU"),
    ("customer_name='Paula Winterfeldt' plan=gold", "Winterfeldt"),
    ("BEGIN:VCARD\nN:Winterfeldt;Paula\nFN:Paula Winterfeldt\nTEL:1\nEND:VCARD", "Winterfeldt"),
    ("id,full_name,city\n4,Paula Winterfeldt,Bonn", "Winterfeldt"),
    ("OTP 730194 expired", "730194"),
    ("app password kdwe rtzu plmn bvcx rejected (535)", "rtzu plmn"),
    ("password=kdwe rtzu plmn bvcx", "rtzu plmn"),
    (
        "wallet 4: bad checksum: velvet orbit galaxy cream dutch panel frost timber olive ripple camp noise",
        "velvet orbit",
    ),
]


@pytest.mark.parametrize(("text", "value"), PEOPLE)
def test_what_is_known_of_somebody_is_hidden_in_every_language(text, value):
    shown = redact(text)

    assert value not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("git+https://{random}:x-oauth-basic@git.acme.io/a.git", "@git.acme.io/a.git"),
        ("next=https%253A%252F%252Facme.io%253Ftoken%253D{random}%2526page%253D2", "next=https%253A%252F%252Facme.io"),
        ("&lt;user&gt;ann&lt;/user&gt;&lt;password&gt;{chosen}&lt;/password&gt;", "&lt;user&gt;ann&lt;/user&gt;"),
        ('Authorization: Digest username="ann", realm="r1", response="{hex}"', 'username="ann", realm="r1"'),
        ("Authorization: SharedAccessSignature sr=a1.acme.io&sig={base64}&skn=send", "sr=a1.acme.io"),
        ("docker run -u app -e A=1 x; tool -u ann -p {chosen} next", "next"),
    ],
)
def test_what_stands_around_a_secret_is_left(text, kept):
    line, secrets = _filled(text, 3)
    shown = redact(line)

    assert kept in shown
    assert not [secret for secret in secrets if survives(secret, shown)]
