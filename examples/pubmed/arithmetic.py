"""Arithmetic on text, within bounds of size and time. What is wrong with an expression is raised by its reason."""

import ast
import math
import operator
import time
from collections.abc import Callable
from typing import TypeAlias

from errata import FaultError, recovery_for, service_unavailable, validation_error

LONGEST = 600
LARGEST_BITS = 400_000
MOST_DIGITS = 4_000
PATIENCE_S = 0.05
UNHOLDABLE = "A number is larger than any that floating point can hold."

Number: TypeAlias = int | float

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: left / right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: operator.mod,
    ast.Pow: lambda left, right: left**right,
}
_UNARY: dict[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


class MathService:
    """Parses and evaluates. It does not know which tool is calling: `recovery_for` is empty if none has the reason."""

    def evaluate(self, expression: str) -> str:
        """Work out an expression."""
        value = _Evaluation(expression).value_of(self.parse(expression))
        if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
            raise _too_large(f"The result has more than {MOST_DIGITS:,} digits.")
        return str(value)

    def parse(self, expression: str) -> ast.expr:
        """Read an expression; the parser's own complaint is part of ours."""
        if len(expression) > LONGEST:
            raise _parse_failed(f"the expression has {len(expression):,} characters; the most are {LONGEST:,}")
        try:
            return ast.parse(expression.lstrip(), mode="eval").body
        except SyntaxError as error:
            raise _parse_failed(error.msg) from error
        except ValueError as error:
            raise _parse_failed("the expression holds characters that are no text") from error
        except (MemoryError, RecursionError) as error:
            raise _parse_failed("the expression is nested too deeply") from error


class _Evaluation:
    def __init__(self, expression: str) -> None:
        self._expression = expression.lstrip()
        self._deadline_s = time.thread_time() + PATIENCE_S

    def value_of(self, node: ast.expr) -> Number:
        """Evaluate a node: each step is bounded by size, all of them together by the time they compute."""
        if time.thread_time() > self._deadline_s:
            raise service_unavailable(
                f"The evaluation took more than {PATIENCE_S:g} s of computing.", {"reason": "evaluation_timeout"}
            )
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return _finite(number)
            case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
                return _UNARY[type(sign)](self.value_of(operand))
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
                return _combined(sign, self.value_of(left), self.value_of(right))
            case _:
                raise _parse_failed(f"`{ast.get_source_segment(self._expression, node)}` is no arithmetic")


def _combined(sign: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int) and _bits(sign, left, right) > LARGEST_BITS:
        raise _too_large(f"A step has a result of more than {LARGEST_BITS:,} bits.")
    try:
        return _finite(_BINARY[type(sign)](left, right))
    except ZeroDivisionError as error:
        raise _undefined("It divides by zero.") from error
    except OverflowError as error:
        raise _too_large(UNHOLDABLE) from error


def _finite(value: Number | complex) -> Number:
    """Refuse what is no number to go on with; as no infinity gets past here, there is no `nan` either."""
    if isinstance(value, complex):
        raise _undefined("It takes the root of a negative number.")
    if isinstance(value, float) and math.isinf(value):
        raise _too_large(UNHOLDABLE)
    return value


def _bits(sign: ast.operator, left: int, right: int) -> int:
    """Tell how large a result can get, before it is there."""
    if isinstance(sign, ast.Pow):
        return left.bit_length() * max(right, 1)
    if isinstance(sign, ast.Mult):
        return left.bit_length() + right.bit_length()
    return max(left.bit_length(), right.bit_length()) + 1


def _parse_failed(why: str) -> FaultError:
    return validation_error(f"Parse failed: {why}", {"reason": "parse_failed", **recovery_for("parse_failed")})


def _undefined(what: str) -> FaultError:
    return validation_error(
        f"The expression has no value. {what}", {"reason": "undefined", **recovery_for("undefined")}
    )


def _too_large(what: str) -> FaultError:
    return validation_error(f"The numbers get too large. {what}", {"reason": "too_large", **recovery_for("too_large")})
