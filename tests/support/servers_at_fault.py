"""Tools of small servers that fail: some by what the caller sent, some by their own doing.

Where an expression stands in this file matters: the judgement reads the source of the tools.
"""

import asyncio
import contextlib
import csv
import dataclasses
import datetime as dt
import enum
import functools
import importlib
import io
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx2
import pydantic

REGIONS = {"north": 1, "south": 2, "east": 3}
RATES = {"EUR": 1.0, "USD": 1.1}
ORDERS = {17: {"status": "shipped", "lines": ["a", "b"], "customer": {"name": "Ada"}}, 18: {"status": "open"}}
STORED_SETTINGS = '{"limit": 10,'
FOLDER = Path(tempfile.gettempdir()) / "errata-servers-at-fault"
DATABASE = sqlite3.connect(":memory:", check_same_thread=False)
DATABASE.executescript(
    """
    CREATE TABLE person (id INTEGER PRIMARY KEY, email TEXT UNIQUE, age INTEGER CHECK (age >= 0));
    INSERT INTO person (email, age) VALUES ('ada@example.org', 36);
    CREATE TABLE note (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (id), body TEXT NOT NULL);
    PRAGMA foreign_keys = ON;
    """
)


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class OrderNotFoundError(Exception):
    pass


class ShippedError(Exception):
    pass


# Look-ups.


def get_region(region: str):
    return REGIONS[region]


def get_default_region(title: str):
    return title, REGIONS["west"]


def get_size(size: str):
    return Size(size)


def get_own_size(title: str):
    return title, Size("medium")


def get_nested_city(order: dict):
    return order["customer"]["address"]["city"]


def get_own_nested(order_id: int):
    return ORDERS[order_id]["customer"]["address"]


def get_order(order_id: int):
    return ORDERS[order_id]


def get_line(index: int):
    return ["a", "b", "c"][index]


def get_own_line(title: str):
    lines = []
    return lines[0], title


def get_metric(metric: str):
    return getattr(math, metric)


class Report:
    def daily(self):
        return 1

    def weekly(self):
        return 2


REPORT = Report()


def run_report(period: str):
    return getattr(REPORT, period)()


def run_own_report(period: str):
    return REPORT.monthly(), period


def get_customer_name(order_id: int):
    order = ORDERS.get(order_id)
    return order["customer"]["name"]


def get_part_of_customer(order_id: int):
    order = ORDERS.get(order_id)
    customer = order.get("customer")
    return customer["name"]


def find_order(status: str):
    return next(order for order in ORDERS.values() if order["status"] == status)


def load_plugin(plugin: str):
    return importlib.import_module(f"servers_plugins_{plugin}")


def load_own_plugin(title: str):
    return importlib.import_module("servers_plugins_own"), title


# Arithmetic and formats.


def split_bill(total: float, people: int):
    return total / people


def split_by_own(total: float):
    people = len([])
    return total / people


def parse_payload(payload: str):
    return json.loads(payload)


def parse_stored(title: str):
    return json.loads(STORED_SETTINGS), title


def parse_file(name: str):
    return json.loads((FOLDER / name).read_text())


def search_text(pattern: str, text: str):
    return re.search(pattern, text)


def search_own_text(text: str):
    own = "(" + "unclosed"
    return re.search(own, text)


def parse_day(day: str):
    return dt.date.fromisoformat(day)


def convert_amounts(amounts: list):
    return [float(amount) for amount in amounts]


def convert_with_lambda(amounts: list):
    return sorted(amounts, key=lambda amount: float(amount))  # noqa: PLW0108 - as people write it.


def convert_rates(currencies: list):
    return {currency: RATES[currency] for currency in currencies}


def sum_of_own(title: str):
    return [float(each) for each in ("1", "two")], title


def encode_name(name: str):
    return name.encode("ascii")


def unpack_pair(pair: str):
    left, right = pair.split(":")
    return left, right


def unpack_own(title: str):
    left, right = "a:b:c".split(":")  # noqa: SIM905 - as people write it.
    return left, right, title


def mean_of(values: list):
    return max(values)


def repeat_text(text: str, times: int):
    return text + times


def add_own(text: str):
    return text + RATES  # A bug.


def power(base: float, exponent: float):
    return math.pow(base, exponent)


def root(value: float):
    return math.sqrt(value)


# Layers.


def price_in(currency: str, amount: float):
    return _priced(amount, to=currency)


def _priced(amount, *, to):
    return amount * _rate_of(to)


def _rate_of(name):
    return RATES[name]


def price_in_own(amount: float):
    return _priced(amount, to="GBP")


def price_all(amount: float, currencies: list):
    return [_priced(amount, to=currency) for currency in currencies]


class Shop:
    """A server with state of its own."""

    def __init__(self):
        self.prices = {"apple": 1}
        self.region = "west"

    def price(self, item: str):
        return self.prices[item]

    def own_region(self, item: str):
        return REGIONS[self.region], item


class Quote:
    def __init__(self, currency: str):
        self.currency = currency

    def rate(self):
        return RATES[self.currency]


def quote(currency: str):
    return Quote(currency).rate()


@dataclasses.dataclass
class Window:
    start: int
    end: int

    def __post_init__(self):
        if self.end < self.start:
            raise ValueError("a window ends after it starts")


def open_window(start: int, end: int):
    return Window(start, end)


def open_own_window(title: str):
    return Window(5, 1), title


def with_closure(currency: str):
    def rate():
        return RATES[currency]

    return rate()


def with_own_closure(currency: str):
    def rate():
        return RATES["GBP"]

    return rate(), currency


async def in_a_thread(currency: str):
    return await asyncio.to_thread(_rate_of, currency)


async def in_a_thread_of_own(currency: str):
    return await asyncio.to_thread(_rate_of, "GBP"), currency


async def in_a_group(currency: str):
    async with asyncio.TaskGroup() as group:
        group.create_task(_rate_soon(currency))


async def _rate_soon(name):
    return RATES[name]


async def in_a_group_of_own(title: str):
    async with asyncio.TaskGroup() as group:
        group.create_task(_rate_soon("GBP"))
    return title


def audited(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@audited
def decorated(currency: str):
    return RATES[currency]


@audited
def decorated_with_own(currency: str):
    return RATES["GBP"], currency


@contextlib.contextmanager
def session(name):
    yield RATES[name]


def with_session(currency: str):
    with session(currency) as rate:
        return rate


def with_own_session(currency: str):
    with session("GBP") as rate:
        return rate, currency


def rates_of(names):
    for name in names:
        yield RATES[name]


def from_generator(currencies: list):
    return list(rates_of(currencies))


def from_own_generator(title: str):
    return list(rates_of(["GBP"])), title


def with_star_args(*, numbers: list):
    return divmod(*numbers)


def with_star_of_own(title: str):
    return divmod(*(1, 0)), title


def with_kwargs(options: dict):
    return dt.timedelta(**options)


def with_kwargs_of_own(title: str):
    return dt.timedelta(**{"fortnights": 1}), title  # noqa: PIE804 - a bug.


def match_kind(kind: str):
    match kind:
        case "circle":
            return 1
        case _:
            raise ValueError(f"there is no shape {kind}")


def match_own_kind(title: str):
    match REGIONS:
        case {"west": _}:
            return title
        case _:
            raise ValueError("the regions are not loaded")


def with_default(title: str, currency: str = "GBP"):
    return RATES[currency], title


# Checks.


def book_seats(seats: int):
    if seats > 10:
        raise ValueError("at most 10 seats can be booked at once")
    return seats


def book_seats_early(seats: int):
    if seats <= 10:
        return seats
    raise RuntimeError("more than that is not possible in one go")


def check_own_state(title: str):
    if len(REGIONS) < 10:
        raise RuntimeError("the regions have not been loaded yet")
    return title


def assert_positive(amount: int):
    assert amount > 0, "the amount has to be more than nothing"
    return amount


def assert_own(title: str):
    assert REGIONS.get("west"), "the west is always there"
    return title


def cancel_order(order_id: int):
    order = ORDERS.get(order_id)
    if order is None:
        raise OrderNotFoundError(f"nobody has ordered {order_id}")
    if order["status"] == "shipped":
        raise ShippedError("a parcel on its way cannot be called back")
    return order


def reworded(region: str):
    try:
        return REGIONS[region]
    except KeyError as error:
        raise RuntimeError(f"we do not deliver to {region}") from error


def reworded_own(title: str):
    try:
        return REGIONS["west"], title
    except KeyError as error:
        raise RuntimeError("our own map is incomplete") from error


# Files, programs, databases, settings.


def read_note(name: str):
    return (FOLDER / name).read_text()


def read_own_note(title: str):
    return (FOLDER / "index.txt").read_text(), title


def read_note_of_missing_folder(name: str):
    return (FOLDER / "absent" / f"{name}.txt").read_text()


def read_path(path: str):
    with open(path) as file:  # noqa: PTH123 - as people write it.
        return file.read()


def read_setting(title: str):
    return os.environ["ERRATA_NO_SUCH_SETTING"], title


def run_query(sql: str):
    return DATABASE.execute(sql).fetchall()


def run_own_query(email: str):
    return DATABASE.execute("SELECT nickname FROM person WHERE email = ?", (email,)).fetchall()


def count_rows(table: str):
    return DATABASE.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - as people write it.


def add_person(email: str, age: int):
    DATABASE.execute("INSERT INTO person (email, age) VALUES (?, ?)", (email, age))


def add_note(person_id: int, body: str):
    DATABASE.execute("INSERT INTO note (person_id, body) VALUES (?, ?)", (person_id, body))


def get_person_name(email: str):
    row = DATABASE.execute("SELECT id FROM person WHERE email = ?", (email,)).fetchone()
    return row[0]


def run_program(option: str):
    return subprocess.run(
        [sys.executable, "-c", "import sys; sys.exit(f'unknown option {sys.argv[1]}')", option],
        check=True, capture_output=True, text=True,
    )  # fmt: skip


def run_missing_program(title: str):
    return subprocess.run(["errata-no-such-program", title], check=True)  # noqa: S607 - it is not there.


# An upstream.


def _answer(request):
    replies = {
        "400": (400, {"error": {"message": "Invalid value for 'colour': 'mauve'"}}),
        "409": (409, {"message": "an account for ada@example.org is there already"}),
        "422": (422, {"detail": [{"loc": ["body", "email"], "msg": "value is not a valid email address"}]}),
        "absent": (400, {"message": "the plan is missing for 'window'"}),
        "quoting": (400, {"message": "we cannot print 'mauve'"}),
        "parsing": (400, {"message": "we stumbled over 'FORM'"}),
        "camel": (422, {"detail": [{"loc": ["body", "lastName"], "msg": "is too long"}]}),
        "401": (401, {"message": "the key is not valid"}),
        "403": (403, {"message": "email may not be read"}),
    }
    if request.url.path == "/accounts":
        is_known = b"ada@" in request.content
        return httpx2.Response(409 if is_known else 200, json={"message": "this one is there already"})
    status, body = replies.get(request.url.path.split("/")[1], (404, {"message": "no such thing"}))
    return httpx2.Response(status, json=body)


UPSTREAM = httpx2.Client(base_url="https://api.example.org", transport=httpx2.MockTransport(_answer))


def paint(colour: str, width: int):
    return UPSTREAM.post("/400", json={"colour": colour, "width": width}).raise_for_status()


def get_user(user: str):
    return UPSTREAM.get(f"/users/{user}").raise_for_status()


def get_own_resource(title: str):
    return UPSTREAM.get("/v9/status").raise_for_status(), title


def create_account(email: str, plan: str):
    return UPSTREAM.post("/409", json={"email": email, "plan": plan}).raise_for_status()


def register(mail: str, plan: str):
    return UPSTREAM.post("/422", json={"email": mail, "plan": plan}).raise_for_status()


def register_by_name(email: str, plan: str):
    return UPSTREAM.post("/422", json={"email": email, "plan": plan}).raise_for_status()


def read_with_wrong_key(email: str):
    return UPSTREAM.get("/401", params={"email": email}).raise_for_status()


def read_forbidden(email: str):
    return UPSTREAM.get("/403", params={"email": email}).raise_for_status()


# Batches.


def create_accounts(emails: list):
    for email in emails:
        UPSTREAM.post("/accounts", json={"email": email}).raise_for_status()


def list_accounts(emails: list):
    for email in emails:
        UPSTREAM.post("/accounts", json={"email": email}).raise_for_status()


def create_accounts_in_layers(emails: list):
    for email in emails:
        _create_account(email)


def _create_account(email):
    UPSTREAM.post("/accounts", json={"email": email}).raise_for_status()


def delete_files(names: list):
    for name in names:
        os.remove(FOLDER / name)  # noqa: PTH107 - as people write it.


def add_people(people: list):
    for person in people:
        DATABASE.execute("INSERT INTO person (email, age) VALUES (?, ?)", (person, 1))


def set_level(level: str):
    return {"low": 1, "high": 2}[level]


def search_rows(where: str, limit: int):
    rows = [row for row in csv.DictReader(io.StringIO("a,b\n1,2\n")) if row[where]]
    return rows[:limit]


class Customer(pydantic.BaseModel):
    name: str
    age: int


def save_customer(customer: dict):
    return Customer(**customer)


def load_customer(title: str):
    return Customer(name=title, age="old")


# Tools for one kind of evidence each.


def get_name_in_closure(order_id: int):
    def name():
        return ORDERS[order_id]

    return name()


JOBS = []


def submit_job(payload: str):
    JOBS[:] = [payload]
    return _drain()


def _drain():
    return [json.loads(job) for job in JOBS]


def run_strict_program(mode: str):
    return subprocess.run([sys.executable, "-c", "raise SystemExit('that is unsupported here')", mode], check=True, capture_output=True, text=True)  # fmt: skip


def run_tired_program(mode: str):
    return subprocess.run([sys.executable, "-c", "raise SystemExit('it gave up')", mode], check=True, capture_output=True, text=True)  # fmt: skip


def merge_branches(branches: list):
    words = "raise SystemExit('there is a quarrel between alpha and beta')"
    return subprocess.run([sys.executable, "-c", words, *branches], check=True, capture_output=True, text=True)


def reserve_room(floor: int):
    rooms = _load_rooms(floor)
    if rooms["free"] < 1:
        raise LookupError("all the rooms up there are taken")
    return rooms


def _load_rooms(floor):
    return {"free": 0, "floor": ORDERS.get(floor)}


def order_seat(seat: str, plan: str | None = None):
    return UPSTREAM.post("/absent", json=[seat, plan]).raise_for_status()


def send_names(first_name: str, last_name: str):
    fields = {"first_name": first_name, "last_name": last_name}
    body = {re.sub("_(.)", lambda found: found[1].upper(), name): value for name, value in fields.items()}
    return UPSTREAM.post("/camel", json=body).raise_for_status()


def send_initials(initials: str):
    return UPSTREAM.post("/camel", json={"i": initials}).raise_for_status()


def print_in(colour: str, size: str):
    return UPSTREAM.post("/quoting", json=[colour, size]).raise_for_status()


def search_library(query: str, shelf: str):
    return UPSTREAM.post("/parsing", json=[query, shelf]).raise_for_status()


def add_person_by_alias(mail: str, years: int):
    values = {"email": mail, "age": years}
    DATABASE.execute("INSERT INTO person (email, age) VALUES (:email, :age)", values)


def get_member(user: str, group: str):
    return UPSTREAM.get(f"/members/{user}", params={"group": group}).raise_for_status()


def paint_for(user: str, width: int):
    return UPSTREAM.post(f"/400/{user}", json={"width": width}).raise_for_status()


def copy_note(source: str, target: str):
    return shutil.copyfile(FOLDER / source, FOLDER / target)


def list_pages(start: int, stop: int, step: int):
    return list(range(start, stop, step))


def turn_pages(first: int, last: int):
    if first + last > 100:
        raise ValueError(f"the book has no page {last}")


def count_matches(column: str):
    return DATABASE.execute("SELECT nickname FROM person WHERE email = ?", (column,)).fetchall()


def search_broken(file: str):
    path = FOLDER / "broken.db"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"not a database at all, and long enough to be looked at" * 100)
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT * FROM person WHERE email = ?", (file,)).fetchall()


def read_named_setting(setting: str):
    return os.environ[setting]


def manage(age: int):
    if len(REGIONS) < 10:
        raise RuntimeError("the last page is full")
    return age
