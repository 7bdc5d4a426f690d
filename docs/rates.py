"""The tools of classification.md."""  # noqa: INP001 - a file beside the pages, not a package.

RATES = {"EUR": 1.0, "USD": 1.08}


def convert(amount: float, currency: str) -> float:
    """Convert an amount of euros."""
    return amount * RATES[currency.upper()]


def fee(amount: float) -> float:
    """Say what converting an amount costs, in pounds."""
    return amount * 0.01 * RATES["GBP"]
