"""The signals: what is looked at to find out whether an argument is at fault, what each weighs, and why.

An argument is accused if what speaks for it adds up to `ENOUGH`. One signal against outweighs all of them, with one
exception: an exception that holds the argument itself is about the argument.
"""

from typing import NamedTuple

ENOUGH = 2.0
"""What it takes to accuse an argument where nothing else says that the caller can mend it."""
ENOUGH_TO_NAME = 1.0
"""What it takes to name an argument where the code says already that the arguments have to be corrected."""
CLOSE = 1.0
"""Arguments whose evidence differs by less than this are named together."""


class Signal(NamedTuple):
    """One kind of evidence."""

    weight: float
    why: str


class Evidence(NamedTuple):
    """One signal that was seen, and the arguments that it is about, as dotted paths."""

    signal: str
    paths: tuple[str, ...] = ()


# fmt: off
SIGNALS = {
    # For: where the arguments went in the server's own code.
    "operand":   Signal(4.0, "the operand on which the expression failed is made of it: an index, a divisor, what a parser was given"),
    "check":     Signal(4.0, "a check of the server's own asked about it: the test before a `raise`, an `assert`"),
    "selected":  Signal(3.0, "what was looked up by it is not there: None, no row, an empty selection"),
    "statement": Signal(2.0, "the first thing that the failing library was given is made of it: a statement, a path, an address"),
    "form":      Signal(1.0, "… and the words are about the form of what was given: a syntax, a format, an option"),
    "parameter": Signal(1.0, "something else that the failing library was given is made of it"),
    "missing":   Signal(1.0, "the server's own exception says by its class that something is not there"),
    "state":     Signal(1.0, "a check of the server's own asked about something that was looked up by it"),
    # For: what the exception says and carries.
    "absent":    Signal(5.0, "the text asks for it, and it was not sent"),
    "attribute": Signal(4.0, "an attribute of the exception is the argument: `JSONDecodeError.doc`, `re.error.pattern`"),
    "key":       Signal(3.0, "the missing key or attribute is the argument, or a part of it, and stands nowhere in the source"),
    "field":     Signal(3.0, "an upstream complains about a field of its name"),
    "quoted":    Signal(2.0, "a quoted word of the text is its value"),
    "part":      Signal(2.0, "a quoted word, or the one behind `near` or a colon, stands in its longer value"),
    "name":      Signal(2.0, "the text has its name as a word"),
    "alias":     Signal(2.0, "the text has the name under which the server handed it on"),
    "address":   Signal(2.0, "its value is a part of the address that an upstream does not have"),
    "file":      Signal(2.0, "the name of the file is made of it"),
    "odd":       Signal(2.0, "its value is zero, negative or empty, and the text is about a range"),
    "written":   Signal(1.0, "a text that the server's author wrote has its value as a word"),
    "value":     Signal(0.5, "another text has its value as a word"),
    # Against: nothing that the caller can change.
    "own":       Signal(-9.0, "no argument reaches the expression that failed"),
    "fetched":   Signal(-9.0, "what cannot be read came from a file or from an upstream"),
    "setting":   Signal(-9.0, "what failed comes from the server's environment"),
    "literal":   Signal(-9.0, "what the text complains about is written out in the server's own source"),
    "offered":   Signal(-9.0, "the schema offers the value, so the server has to know it"),
    "broken":    Signal(-9.0, "the text is about the state of the server's own storage or program"),
}
# fmt: on
REACHING = frozenset({"operand", "check", "selected", "statement", "parameter", "missing", "state"})
"""Signals that say which arguments come into question at all; the words choose among these."""
UNSENT = frozenset({"absent", "field"})
"""Signals that may accuse an argument which was not sent."""
