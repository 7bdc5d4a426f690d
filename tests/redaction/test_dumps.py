"""What programs write of their data, each beside the same without a secret."""

import json
import textwrap

import pytest

from errata import redact

CHOSEN = "pgUk87B2JrsSk1"
DUMPS = [
    f'a:2:{{s:4:"user";s:3:"ann";s:8:"password";s:14:"{CHOSEN}";}}',
    f'$user\n[1] "ann"\n\n$password\n[1] "{CHOSEN}"\n',
    f'{{password,"{CHOSEN}"}}',
    f"UserName Password\n-------- --------\nann      {CHOSEN}\n",
    f"COPY users (id, password) FROM stdin;\n1\t{CHOSEN}\n\\.",
    f"kind: Secret\nstringData:\n  host: db1\n  dsn-main: {CHOSEN}\n",
    f'10.0.0.1 %any : PSK "{CHOSEN}"\n',
    f"[smtp.acme.io]:587 mailer:{CHOSEN}\n",
    f"SELECT crypt('{CHOSEN}', gen_salt('bf'))",
    f"wordpress_logged_in_2d123a5f25c3e1bf3799b0aabb6dd552=ann%7C1790000000%7C{CHOSEN}; path=/",
]
CLEAN = [
    'a:2:{s:4:"user";s:3:"ann";s:5:"token";i:4;s:4:"city";s:6:"Berlin";}',
    '$user\n[1] "ann"\n\n$passed\n[1] "yes"\n',
    "UserName Created\n-------- -------\nann      2026-11-17\n",
    "Password Policy\n-------- ------\n\nsee chapter 12",
    "COPY users (id, city) FROM stdin;\n1\tBerlin\n\\.",
    "COPY users (id, password) FROM stdin;\n1\t\\N\n\\.",
    "kind: Secret\nstringData:\n  host: ${HOST}\nimmutable: true\n",
    "stringData: must be a map",
    "PSK is not supported",
    "[smtp.acme.io]:587 connection refused",
    "listening on [web1]:8080 since 12:30",
    "SELECT crypt($1, gen_salt('bf'))",
    "see /private-rooms/12 and /private-a1b2/",
    "snyk auth failed",
    "recovery codes: none left",
]


@pytest.mark.parametrize("text", DUMPS)
def test_a_dump_gives_no_password_away(text):
    shown = redact(text)
    assert CHOSEN not in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("text", CLEAN)
def test_a_dump_without_a_secret_stays(text):
    assert redact(text) == text


def test_all_codes_of_several_are_hidden_and_nothing_behind_them():
    shown = redact("recovery codes: nu64o-th76s 7cygs-y0v1b 2aphv-fbl6u regenerate")
    assert not any(code in shown for code in ("nu64o", "7cygs", "2aphv"))
    assert shown.endswith(" regenerate")


def test_vendors_known_by_their_middle_or_by_what_stands_before_are_hidden():
    number = "106e6050dae8c5baffe8c1d76af41eaa"
    assert number not in redact(f"Client('AC68c20e63c71580addea8108a5dc29245', '{number}')")
    assert number in redact(f"merge('{number}', 'main')")
    assert "7331bc8f" not in redact("snyk auth 7331bc8f-6d77-4401-98c8-71289d982595 failed")
    assert number not in redact(f"https://calendar.acme.io/ical/x/private-{number}/basic.ics")
    functions = "g1VuB_-l8ysDj8P445JeEPYzosbdsN7Qc1WF0W5W-2g2AzFuRWmOJQ=="
    assert functions not in redact(f"the worker got {functions}")


HELD = "Harb0rLight!x9"
LAYOUTS = {
    "csv": f"user,password\nbob,{HELD}\n",
    "tsv": f"user\tpassword\nbob\t{HELD}\n",
    "markdown": f"| user | password |\n|---|---|\n| bob | {HELD} |",
    "pydantic": (
        "1 validation error for Config\npassword\n  Input should be a valid integer, unable to parse string "
        f"[type=int_parsing, input_value='{HELD}', input_type=str]\n    For further information see the page"
    ),
    "insert": f"INSERT INTO users (name, password)\nVALUES ('bob', '{HELD}')",
    "name and value": f'[\n {{"name": "password",\n  "value": "{HELD}"}}\n]',
    "yaml": f"auth:\n  password: >-\n    {HELD}\n",
}
QUOTED = {
    "as it is": str,
    "repr": repr,
    "json": json.dumps,
    "json in json": lambda text: json.dumps(json.dumps(text)),
    "in an object": lambda text: json.dumps({"detail": text}, indent=1),
    "behind a label": "RuntimeError: {}".format,
    "in a sentence": "row 2 of the import is bad: {}".format,
    "indented": lambda text: textwrap.indent(text, "    "),
    "behind bars": lambda text: textwrap.indent(text, "    | "),
    "in a group": lambda text: textwrap.indent(f"RuntimeError: {text}", "    | "),
    "in a reply": lambda text: textwrap.indent(text, "> "),
    "in a comment": lambda text: textwrap.indent(text, "# "),
    "in a log": lambda text: textwrap.indent(text, "[app] "),
    "repr of an error": lambda text: repr(ValueError(text)),
}


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_stands_in_lines_is_hidden_however_somebody_quotes_them(layout, quoted):
    text = QUOTED[quoted](LAYOUTS[layout])

    once = redact(text)

    assert HELD not in once
    assert redact(once) == once
    assert "password" in once


@pytest.mark.parametrize("quoted", QUOTED)
@pytest.mark.parametrize(
    "text",
    [
        "name,password_required\nbob,yes\n",
        "| user | token_count |\n|---|---|\n| bob | 512 |",
        "user,role\nbob,Admin42x\n",
        'Traceback (most recent call last):\n  File "shop.py", line 17, in pay\n    raise NotFoundError(token)',
    ],
)
def test_lines_that_hold_no_secret_stay_however_somebody_quotes_them(text, quoted):
    assert redact(QUOTED[quoted](text)) == QUOTED[quoted](text)
