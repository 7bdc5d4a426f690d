"""What redaction reacts to: names, what joins them to values, quotes, brackets, marks, escapes, beginnings of formats."""

import itertools
import random

# fmt: off
FRAGMENTS = (
    # Names, with and without what joins them
    "?key=", "&code=", "sid=", "<token=", "token", "password", "session", "key", "secret=[", 'auth=("', "password='",
    "authorization: ", "authorization=a=", "cookie: ", "cookie=a=b;", "--pass ", "password | ", "token: |\n ", "value",
    '"name":"password",', '"columns":["password"],"rows":[[', 'form-data; name="password"\r\n\r\n', "password, ",
    # What joins, separates, quotes, opens and closes
    "=", ":", " ", "\n", "\t", ",", ";", "'", '"', "`", "[", "]", "(", ")", "{", "}", "<", ">", "</", "|", "/", "//", "://",
    "@", "-", "--", "_", ".", "+", "$", "\\", "&", "?", "└ ", "''", "\u200b",
    # Escapes and colours
    "%3D", "%22", "%20", "&quot;", "\\u0022", "\\n", "\\'", "\x1b[0m",
    # Marks, real and begun
    "[redacted: token]", "[redacted: ",
    # Beginnings of formats, statements and sentences
    "eyJ", "AKIA", "sk-", "Bearer ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN_PRIVATE_KEY-----",
    "-----END PRIVATE KEY-----", "MII", "curl -u", "htpasswd -nb", "create user ", "insert into t(password)values(",
    "[parameters: (", "input_value=", "is ", "token is ", "a@b.co", "1", "a", "x9", "4111 1111 ", "2a00:", "Some(",
)
# fmt: on


def two_parts() -> list[str]:
    """Return every fragment followed by every other, and by itself."""
    return [first + second for first, second in itertools.product(FRAGMENTS, repeat=2)]


def three_parts(count: int) -> list[str]:
    """Return some texts of three fragments each, always the same."""
    rng = random.Random(16)
    return ["".join(rng.choices(FRAGMENTS, k=3)) for _ in range(count)]
