"""NCBI's E-utilities, as far as one needs them to read: search for articles, fetch them, look up a saved search."""

from upstreams import Reply, Request

_NUMBER_OF_SEARCHES = 100
_MERGED = {"m.sklodowska": "m.curie"}
_TOPICS = (
    "asthma",
    "crispr",
    "dengue",
    "fasting",
    "gout",
    "insulin",
    "malaria",
    "migraine",
    "sepsis",
    "statins",
)

_ARTICLES = {
    "38052100": ("Night shifts and the timing of insulin doses", "Diabetes Pract", 2023, "Okafor N"),
    "38052113": ("Early antibiotics in suspected sepsis: a registry study", "Crit Care Res", 2023, "Lindqvist A"),
    "38052127": ("Lactate or capillary refill to guide treatment of sepsis", "Crit Care Res", 2024, "Moreau J"),
    "38052131": ("Sepsis alerts in the ward: how many are answered", "J Hosp Inform", 2022, "Tanaka R"),
    "38052148": ("Statins after the age of eighty: who continues", "Cardiol Today", 2021, "Petrov D"),
    "38052152": ("Muscle pain under statins in a blinded crossover trial", "Cardiol Today", 2020, "Haddad L"),
    "38052166": ("Base editing of haematopoietic stem cells with CRISPR", "Gene Edit Lett", 2024, "Zhou M"),
    "38052170": ("Off-target effects of CRISPR: what assays miss", "Gene Edit Lett", 2023, "Ferreira C"),
    "38052189": ("CRISPR diagnostics for dengue at the point of care", "Trop Lab Med", 2022, "Nguyen T"),
    "38052193": ("Dengue after two doses of vaccine: five-year follow-up", "Trop Lab Med", 2024, "Santos B"),
    "38052204": ("Rainfall, ovitraps and dengue in three coastal cities", "Vector Ecol", 2021, "Perera S"),
    "38052218": ("Seasonal malaria chemoprevention beyond the Sahel", "Vector Ecol", 2023, "Diallo F"),
    "38052222": ("Malaria rapid tests under field conditions", "Trop Lab Med", 2020, "Mwangi P"),
    "38052237": ("Attractive sugar baits against malaria mosquitoes", "Vector Ecol", 2022, "Kone A"),
    "38052241": ("Inhaled steroids as needed in mild asthma", "Airway Rev", 2021, "Novak E"),
    "38052256": ("Asthma and thunderstorms: a case-crossover study", "Airway Rev", 2019, "Walsh K"),
    "38052260": ("Biologics for severe asthma: switching and stopping", "Airway Rev", 2024, "Romano G"),
    "38052275": ("Intermittent fasting and insulin sensitivity", "Diabetes Pract", 2022, "Berg H"),
    "38052289": ("Ramadan fasting with an insulin pump", "Diabetes Pract", 2024, "Rahman I"),
    "38052293": ("Treating gout to target in general practice", "Joint Care", 2020, "Evans O"),
    "38052308": ("Colchicine when gout meets kidney disease", "Joint Care", 2023, "Schmidt W"),
    "38052312": ("Headache diaries and the diagnosis of migraine", "Neurol Notes", 2021, "Ivanova Y"),
    "38052327": ("Preventing migraine with monthly antibodies", "Neurol Notes", 2023, "Costa R"),
    "20301295": ("Familial migraine: a chapter", "Headache Genetics", 2015, "Jensen V"),
}
"""By PMID: the title, the journal, the year and the first author."""
_CHAPTERS = {"20301295"}
"""What is in a book, and not in a journal."""


def ncbi(request: Request) -> Reply:
    """Answer like NCBI: what is not there is left out, what is no PMID is refused."""
    match request:
        case Request("GET", ("esearch",), {"term": term, "retmax": most}):
            found = [pmid for pmid in _ARTICLES if _has(pmid, term)]
            return Reply({"esearchresult": {"count": str(len(found)), "idlist": found[: int(most)]}})
        case Request("GET", ("efetch",), {"id": ids}):
            return _fetch(ids.split(","))
        case Request("GET", ("myncbi", account, "searches", number)):
            return _saved_search(account, number)
        case _:
            return Reply({"message": f"There is no /{'/'.join(request.path)} here."}, 404)


def _has(pmid: str, term: str) -> bool:
    title, _, year, author = _ARTICLES[pmid]
    return all(word in f"{title} {year} {author}".lower() for word in term.lower().split())


def _fetch(pmids: list[str]) -> Reply:
    for pmid in pmids:
        if not pmid.isdecimal():
            return Reply({"message": f"`id` has {pmid!r} in it; a PMID is a number."}, 400)
    return Reply({"articles": [_record(pmid) for pmid in pmids if pmid in _ARTICLES]})


def _record(pmid: str) -> dict[str, object]:
    title, name, year, author = _ARTICLES[pmid]
    source = {"book" if pmid in _CHAPTERS else "journal": name}
    return {"pmid": pmid, "title": title, "source": source, "year": year, "author": author}


def _saved_search(account: str, number: str) -> Reply:
    if account in _MERGED:
        there = f"/myncbi/{_MERGED[account]}/searches/{number}"
        return Reply({"message": "This account was merged into another."}, 308, {"Location": there})
    if not number.isdecimal() or not 1 <= int(number) <= _NUMBER_OF_SEARCHES:
        return Reply({"message": f"`{account}` has no saved search {number}."}, 404)
    tens, ones = divmod(int(number) - 1, len(_TOPICS))
    return Reply({"id": int(number), "term": f"{_TOPICS[ones]} {2015 + tens}"})
