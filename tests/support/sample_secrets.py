"""Secrets that belong to nobody: random ones, in the formats of real ones."""

import json
import string
from base64 import b64encode

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"
WORDS = ("harbor", "granite", "maple", "onyx", "cobalt", "willow", "tundra", "basil", "quartz", "ember")


def run(rng, letters, length):
    """Make a word that has a digit, as nearly all random ones have."""
    word = "".join(rng.choice(letters) for _ in range(length - 1))
    position = rng.randrange(length)
    return word[:position] + rng.choice("23456789") + word[position:]


def password(rng):
    return rng.choice(
        [
            lambda: run(rng, ALNUM, 12),
            lambda: rng.choice(WORDS) + str(rng.randrange(1000, 9999)),
            lambda: "-".join(rng.sample(WORDS, 3)),
            lambda: (
                rng.choice(WORDS).title() + str(rng.randrange(100, 999)) + rng.choice("!*?+=_^~") + rng.choice(WORDS)
            ),
            lambda: run(rng, ALNUM, 6) + rng.choice("!#$%*?~^") + run(rng, ALNUM, 7),
        ]
    )()


def uuid(rng):
    digits = run(rng, HEX, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def jwt(rng):
    parts = (
        json.dumps({"alg": "HS256", "kid": run(rng, ALNUM, 8)}),
        json.dumps({"sub": run(rng, ALNUM, 10), "exp": 1799999999}),
    )
    head, body = (b64encode(part.encode()).decode().rstrip("=").replace("+", "-").replace("/", "_") for part in parts)
    return f"{head}.{body}.{run(rng, ALNUM + '-_', 43)}"


def card(rng):
    digits = rng.choice(["4", "51", "37", "6011", "2223"])
    length = 15 if digits == "37" else 16
    digits += "".join(rng.choice(string.digits) for _ in range(length - 1 - len(digits)))
    total = sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(digits)))
    return digits + str(-total % 10)


def iban(rng):
    country, length = rng.choice([("DE", 22), ("FR", 27), ("GB", 22), ("NL", 18), ("ES", 24)])
    body = "".join(rng.choice(string.digits) for _ in range(length - 4))
    check = 98 - int("".join(str(int(c, 36)) for c in body + country + "00")) % 97
    return f"{country}{check:02}{body}"


def ssn(rng):
    return f"{rng.randrange(100, 665)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"


def email(rng):
    name = rng.choice(WORDS) + rng.choice([".", "_", "", "+"]) + rng.choice(WORDS)
    return name + "@" + rng.choice(WORDS) + rng.choice([".com", ".example.org", ".co.uk", "-labs.io"])


def ip(rng):
    return f"{rng.choice([5, 31, 81, 93, 145, 203, 217])}.{rng.randrange(1, 255)}.{rng.randrange(1, 255)}.{rng.randrange(1, 255)}"


def ipv6(rng):
    return f"2a0{rng.choice('1234')}:{run(rng, HEX, 4)}:{run(rng, HEX, 4)}::{run(rng, HEX, 4)}"


def phone(rng):
    tail = "".join(rng.choice(string.digits) for _ in range(7))
    return rng.choice(
        [
            f"+49 171 {tail}",
            f"+1 212-555-{tail[:4]}",
            f"+33612{tail}",
            f"(415) 555-{tail[:4]}",
            f"+44 20 {tail[:4]} {tail[3:]}",
        ]
    )


# fmt: off
TOKENS = {
    "aws": lambda r: "AK" + "IA" + run(r, string.ascii_uppercase + "234567", 16),
    "github": lambda r: "gh" + r.choice("pousr") + "_" + run(r, ALNUM, 36),
    "github_fine": lambda r: "github_" + "pat_" + run(r, ALNUM, 22) + "_" + run(r, ALNUM, 59),
    "gitlab": lambda r: "gl" + "pat-" + run(r, ALNUM + "-_", 20),
    "slack": lambda r: "xo" + "xb-" + run(r, string.digits, 12) + "-" + run(r, string.digits, 12) + "-" + run(r, ALNUM, 24),
    "stripe": lambda r: "sk_" + "live_" + run(r, ALNUM, 24),
    "whsec": lambda r: "wh" + "sec_" + run(r, ALNUM, 32),
    "openai": lambda r: "sk-" + "proj-" + run(r, ALNUM + "-_", 48),
    "openai_old": lambda r: "sk-" + run(r, ALNUM, 48),
    "anthropic": lambda r: "sk-" + "ant-api03-" + run(r, ALNUM + "-_", 90),
    "openrouter": lambda r: "sk-" + "or-v1-" + run(r, HEX, 64),
    "google": lambda r: "AI" + "za" + run(r, ALNUM + "-_", 35),
    "google_oauth": lambda r: "ya" + "29." + run(r, ALNUM + "-_", 80),
    "google_client": lambda r: "GOC" + "SPX-" + run(r, ALNUM + "-_", 28),
    "hf": lambda r: "hf" + "_" + run(r, string.ascii_letters, 34),
    "npm": lambda r: "np" + "m_" + run(r, ALNUM, 36),
    "pypi": lambda r: "py" + "pi-AgEIcHlwaS5vcmc" + run(r, ALNUM + "-_", 70),
    "docker": lambda r: "dckr" + "_pat_" + run(r, ALNUM + "-_", 27),
    "digitalocean": lambda r: "do" + "o_v1_" + run(r, HEX, 64),
    "sendgrid": lambda r: "SG" + "." + run(r, ALNUM + "-_", 22) + "." + run(r, ALNUM + "-_", 43),
    "twilio": lambda r: "SK" + run(r, HEX, 32),
    "mailgun": lambda r: "key" + "-" + run(r, HEX, 32),
    "mailchimp": lambda r: run(r, HEX, 32) + "-us" + str(r.randrange(1, 22)),
    "telegram": lambda r: str(r.randrange(10**9, 9 * 10**9)) + ":AA" + run(r, ALNUM + "-_", 33),
    "discord": lambda r: "M" + run(r, ALNUM, 23) + "." + run(r, ALNUM, 6) + "." + run(r, ALNUM + "-_", 38),
    "shopify": lambda r: "shp" + "at_" + run(r, HEX, 32),
    "square": lambda r: "sq0" + "atp-" + run(r, ALNUM + "-_", 22),
    "databricks": lambda r: "da" + "pi" + run(r, HEX, 32),
    "doppler": lambda r: "dp" + ".st.prd." + run(r, ALNUM, 40),
    "vault": lambda r: "hv" + "s." + run(r, ALNUM, 24),
    "linear": lambda r: "lin" + "_api_" + run(r, ALNUM, 40),
    "notion": lambda r: "nt" + "n_" + run(r, ALNUM, 46),
    "figma": lambda r: "fig" + "d_" + run(r, ALNUM + "-_", 40),
    "airtable": lambda r: "pat" + run(r, ALNUM, 14) + "." + run(r, HEX, 64),
    "atlassian": lambda r: "ATA" + "TT3xFfGF0" + run(r, ALNUM + "-_", 60) + "=" + run(r, HEX.upper(), 8),
    "azure_client": lambda r: run(r, ALNUM, 3) + "8Q~" + run(r, ALNUM + "_~.-", 34),
    "supabase": lambda r: "sb" + "p_" + run(r, HEX, 40),
    "fly": lambda r: "fo1" + "_" + run(r, ALNUM + "-_", 43),
    "grafana": lambda r: "gl" + "sa_" + run(r, ALNUM, 32) + "_" + run(r, HEX, 8),
    "newrelic": lambda r: "NR" + "AK-" + run(r, string.ascii_uppercase + string.digits, 27),
    "sentry": lambda r: "sn" + "trys_" + run(r, ALNUM, 60),
    "postman": lambda r: "PM" + "AK-" + run(r, HEX, 24) + "-" + run(r, HEX, 34),
    "pulumi": lambda r: "pu" + "l-" + run(r, HEX, 40),
    "terraform": lambda r: run(r, ALNUM, 14) + ".atlas" + "v1." + run(r, ALNUM + "-_", 67),
    "planetscale": lambda r: "pscale" + "_tkn_" + run(r, ALNUM + "-_", 43),
    "replicate": lambda r: "r8" + "_" + run(r, ALNUM, 37),
    "groq": lambda r: "gs" + "k_" + run(r, ALNUM, 52),
    "perplexity": lambda r: "pp" + "lx-" + run(r, HEX, 48),
    "xai": lambda r: "xa" + "i-" + run(r, ALNUM, 80),
    "tailscale": lambda r: "ts" + "key-auth-" + run(r, ALNUM, 12) + "-" + run(r, ALNUM, 32),
    "onepassword": lambda r: "op" + "s_eyJ" + run(r, ALNUM, 200),
    "bcrypt": lambda r: "$2" + "b$12$" + run(r, ALNUM + "./", 53),
    "argon2": lambda r: "$argon2" + "id$v=19$m=65536,t=3,p=4$" + run(r, BASE64, 22) + "$" + run(r, BASE64, 43),
    "jwt": jwt,
    "made_up_maker": lambda r: "acme" + "_live_" + run(r, ALNUM, 32),
}
PERSONAL = {"card": card, "iban": iban, "ssn": ssn, "email": email, "ip": ip, "ipv6": ipv6, "phone": phone}
OTHERS = {
    "password": password,
    "hex": lambda r: run(r, HEX, 32),
    "random": lambda r: run(r, ALNUM, 40),
    "base64": lambda r: run(r, BASE64, 44),
    "aws_secret": lambda r: run(r, BASE64, 40),
    "uuid": uuid,
    "basic": lambda r: b64encode(f"svc:{password(r)}".encode()).decode(),
    "code": lambda r: str(r.randrange(100_000, 999_999)),
}
# fmt: on
MAKERS = TOKENS | PERSONAL | OTHERS


def filled(template, rng):
    """Fill every `{kind}` of a template; give the line, and what may not survive in it."""
    secrets = []
    for kind, make in MAKERS.items():
        while "{" + kind + "}" in template:
            secrets.append(make(rng))
            template = template.replace("{" + kind + "}", secrets[-1], 1)
    return template, secrets


def survives(secret, text):
    """Return whether a secret, or half of it, is still there."""
    length = max(8, len(secret) // 2)
    return any(secret[at : at + length] in text for at in range(max(1, len(secret) - length + 1)))
