"""A warehouse system of 1994 behind a CGI script: one address, verbs in the body, and 200 with a return code for all."""

from upstreams import Reply, Request

_STOCK = {"MUG-1": 400, "LAMP-7": 0}
_states = {"1001": "PD", "1002": "SH", "1003": "PD", "1004": "Q7"}


def depot(request: Request) -> Reply:
    """Answer like the depot. Somebody has order 1003 open all day; nobody remembers what state `Q7` is."""
    match request:
        case Request("POST", ("cgi-bin", "depot"), _, {"verb": str(verb), "arg": str(argument)}):
            return _run(verb, argument)
        case _:
            return _failed(98, "?BADREQ")


def _run(verb: str, argument: str) -> Reply:
    match verb:
        case "ORDER.GET" | "ORDER.SHIP" if argument not in _states:
            return _failed(44, f"?ORDNF {argument} WHSE1 USR=SVC-MCP PW=letmein94")
        case "ORDER.GET":
            return _done(no=argument, st=_states[argument], items="MUG-1*1")
        case "ORDER.SHIP":
            return _ship(argument)
        case "STOCK.GET" if argument in _STOCK:
            return _done(sku=argument, qty=f"{_STOCK[argument]:06}")
        case "STOCK.GET":
            return _failed(45, f"?SKUNF {argument}")
        case _:
            return _failed(97, f"?VERB {verb}")


def _ship(number: str) -> Reply:
    if number == "1003":
        return _failed(70, f"?RECLCK {number} BY OPER7 CUST ANN LEE ann.lee@acme.io", again="Y")
    if (state := _states[number]) != "PD":
        return _failed(61, f"?ORDST {number} {state} CUST ANN LEE ann.lee@acme.io")
    _states[number] = "SH"
    return _done(no=number, st="SH", items="MUG-1*1")


def _done(**out: str) -> Reply:
    return Reply({"rc": 0, "out": out})


def _failed(code: int, text: str, again: str = "N") -> Reply:
    return Reply({"rc": code, "text": text, "again": again})
