"""JSON as people and editors write it: with comments, trailing commas, odd white space and escapes."""

import json

from hypothesis import strategies as st

from support.strategies import json_values

MARK = "\ufeff"
trivia = st.sampled_from(
    [
        "",
        "",
        "",
        "",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\n  ",
        ' // a, "b": {\n',
        "// ]\r\n",
        "/**/",
        "/* } */",
        '/* // \n * " */ ',
    ]
)
commas = st.sampled_from(["", "", ",", " ,", ", // last\n", ",\r\n"])


class Members(list):
    """An object with its members in order, those of one name too."""


@st.composite
def spelled_strings(draw, text):
    """Draw one of the ways to write a string."""
    plain = json.dumps(text, ensure_ascii=draw(st.booleans()))
    if not text or draw(st.booleans()):
        return plain
    return '"' + "".join(rf"\u{unit:04x}" for unit in units(text)) + '"'


def units(text):
    encoded = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(encoded[start : start + 2]) for start in range(0, len(encoded), 2)]


@st.composite
def spelled(draw, value):
    """Draw one of the ways to write a value."""
    match value:
        case Members():
            return draw(between("{", [draw(spelled_member(*member)) for member in value], "}"))
        case dict():
            return draw(spelled(Members(value.items())))
        case list():
            return draw(between("[", [draw(spelled(item)) for item in value], "]"))
        case str():
            return draw(spelled_strings(value))
    return json.dumps(value)


@st.composite
def spelled_member(draw, name, value):
    return draw(spelled_strings(name)) + draw(trivia) + ":" + draw(trivia) + draw(spelled(value))


@st.composite
def between(draw, opening, pieces, closing):
    padded = [draw(trivia) + piece + draw(trivia) for piece in pieces]
    return opening + ",".join(padded) + draw(commas if pieces else trivia) + closing


@st.composite
def documents(draw, values):
    """Draw a text with one value in it, and the value."""
    value = draw(values)
    text = draw(st.sampled_from(["", MARK])) + draw(trivia) + draw(spelled(value)) + draw(trivia)
    return text, value


def is_finite(value):
    return "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value)


finite_values = json_values.filter(is_finite)
