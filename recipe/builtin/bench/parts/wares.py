import os, random, sys

CORE = {
"money.py": '''
"""Amounts are whole cents; a share of one is rounded half up, away from zero."""
from decimal import ROUND_HALF_UP, Decimal


def cents(value):
    """The whole cents nearest to a Decimal, an int or a text."""
    return int(Decimal(value).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def share(amount, percent):
    """So many percent of an amount, percent being a text as "7.5"."""
    return cents(Decimal(amount) * Decimal(percent) / 100)


def show(amount):
    sign = "-" if amount < 0 else ""
    return f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02d}"
''',
"models.py": '''
"""What an order is made of."""
from dataclasses import dataclass, field
from datetime import date


@dataclass(frozen=True)
class Line:
    sku: str
    amount: int


@dataclass
class Order:
    number: int
    customer: str
    country: str
    carrier: str
    day: date
    lines: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    @classmethod
    def read(cls, raw):
        lines = [Line(sku, int(n)) for sku, n in raw["lines"]]
        return cls(raw["number"], raw["customer"], raw["country"], raw["carrier"], date.fromisoformat(raw["day"]), lines)

    def count(self):
        return sum(line.amount for line in self.lines)
''',
"registry.py": '''
"""Carriers and countries by name. A module in the packages carriers and countries adds its own."""
import importlib
import pkgutil


class Registry:
    def __init__(self, package):
        self.package = package
        self.known = {}

    def add(self, name, thing):
        if name in self.known:
            raise ValueError(f"{name} is known already")
        self.known[name] = thing

    def load(self):
        package = importlib.import_module(self.package)
        for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
            importlib.import_module(f"{self.package}.{info.name}")

    def get(self, name):
        if not self.known:
            self.load()
        return self.known[name]


carriers = Registry("wares.carriers")
countries = Registry("wares.countries")
''',
"prices.py": '''
"""Prices of articles by day. A price holds from its day until the next one."""
from datetime import date, timedelta
from functools import lru_cache

from .catalog import PRICES


@lru_cache(maxsize=4096)
def price(sku, day):
    found = None
    for since, cents in PRICES[sku]:
        if date.fromisoformat(since) <= day:
            found = cents
    if found is None:
        raise KeyError(f"{sku} had no price on {day}")
    return found


def history(sku, first, last):
    day = first
    while day <= last:
        yield day, price(sku, day)
        day += timedelta(days=1)
''',
"discount.py": '''
"""Rebates by how many articles an order has, and for customers who come again."""
from .money import share

STEPS = ((100, "12.5"), (50, "7.5"), (20, "4"))


def rebate(order, amount):
    for least, percent in STEPS:
        if order.count() >= least:
            return share(amount, percent)
    return 0


class Loyalty:
    """Every fifth order of a customer is two percent cheaper."""

    def __init__(self):
        self.seen = {}

    def rebate(self, order, amount):
        n = self.seen.get(order.customer, 0) + 1
        self.seen[order.customer] = n
        return share(amount, "2") if n % 5 == 0 else 0
''',
"shipping.py": '''
"""What carriers share: zones, weights, surcharges."""
from .catalog import WEIGHTS


class Carrier:
    name = ""
    base = 0
    per_kilo = 0
    zones = {}
    surcharges = ()

    def weight(self, order):
        return sum(WEIGHTS[line.sku] * line.amount for line in order.lines)

    def applies(self, order):
        return [s for s in self.surcharges if s.when(self, order)]

    def cost(self, order):
        kilos = -(-self.weight(order) // 1000)
        zone = self.zones.get(order.country, max(self.zones.values()))
        return self.base * zone + self.per_kilo * kilos + sum(s.cents for s in self.applies(order))


class Surcharge:
    def __init__(self, label, cents, when):
        self.label, self.cents, self.when = label, cents, when


def heavier(grams):
    return lambda carrier, order: carrier.weight(order) > grams


def within(first, last):
    """Between two days of a year, as (month, day), both included; over the turn of the year as well."""
    def when(carrier, order):
        at = (order.day.month, order.day.day)
        return first <= at <= last if first <= last else at >= first or at <= last
    return when
''',
"calendar.py": '''
"""Days on which somebody works, and when what was ordered arrives."""
from datetime import timedelta

from .registry import countries


def works(day, country):
    return day.weekday() < 5 and (day.month, day.day) not in countries.get(country).holidays


def arrival(order, transit):
    """The day after so many days of work, the day of the order not counted."""
    day = order.day
    while transit > 0:
        day += timedelta(days=1)
        if works(day, order.country):
            transit -= 1
    return day


def week(day):
    """The week of a day, as 2026-W53: the year is that of the week."""
    return day.strftime("%G-W%V")
''',
"tax.py": '''
"""Taxes by country: each line has the rate of its article's group."""
from .catalog import GROUPS
from .money import share
from .prices import price
from .registry import countries


def tax(order, factor="100"):
    """Tax is rounded line by line; factor is what is left of a line after rebates, in percent."""
    rates = countries.get(order.country).rates
    return sum(share(share(price(line.sku, order.day) * line.amount, factor), rates[GROUPS[line.sku]]) for line in order.lines)
''',
"invoice.py": '''
"""An invoice: goods, rebates, shipping, tax."""
from dataclasses import dataclass
from datetime import date

from .calendar import arrival
from .discount import rebate
from .money import show
from .prices import price
from .registry import carriers
from .tax import tax


@dataclass
class Invoice:
    order: object
    goods: int
    rebates: int
    shipping: int
    tax: int
    arrives: date

    def total(self):
        return self.goods - self.rebates + self.shipping + self.tax

    def text(self):
        parts = [self.order.number, self.order.customer, show(self.goods), show(self.rebates), show(self.shipping), show(self.tax), show(self.total()), self.arrives]
        return " ".join(str(p) for p in parts)


def invoice(order, loyalty):
    goods = sum(price(line.sku, order.day) * line.amount for line in order.lines)
    rebates = rebate(order, goods)
    rebates += loyalty.rebate(order, goods - rebates)
    carrier = carriers.get(order.carrier)
    return Invoice(order, goods, rebates, carrier.cost(order), tax(order), arrival(order, carrier.transit(order.country)))
''',
"store.py": '''
"""Orders in a file, a JSON object a line."""
import json

from .models import Order


class Store:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.orders = [Order.read(json.loads(line)) for line in f if line.strip()]

    def all(self):
        return sorted(self.orders, key=lambda o: (o.day, o.number))

    def page(self, customer, after, size):
        """Up to size orders of a customer behind (day, number), the oldest first."""
        mine = [o for o in self.all() if o.customer == customer]
        if after is not None:
            mine = [o for o in mine if (o.day, o.number) > after]
        return mine[:size]
''',
"export.py": '''
"""All orders of a customer, page by page, as a web client fetches them."""

SIZE = 4


def pages(store, customer, size=SIZE):
    after = None
    while True:
        page = store.page(customer, after, size)
        if not page:
            return
        yield page
        after = (page[-1].day, page[-1].number)
''',
"summary.py": '''
"""Sums by week of arrival, and by carrier."""
from .calendar import week
from .money import show


def by_week(invoices):
    sums = {}
    for i in invoices:
        key = week(i.arrives)
        sums[key] = sums.get(key, 0) + i.total()
    return [f"{key} {show(cents)}" for key, cents in sorted(sums.items())]


def by_carrier(invoices):
    sums = {}
    for i in invoices:
        n, cents = sums.get(i.order.carrier, (0, 0))
        sums[i.order.carrier] = (n + 1, cents + i.shipping)
    return [f"{name} {n} {show(cents)}" for name, (n, cents) in sorted(sums.items())]
''',
"cli.py": '''
"""wares invoices FILE | weeks FILE | carriers FILE | orders FILE CUSTOMER"""
import sys

from .discount import Loyalty
from .export import pages
from .invoice import invoice
from .store import Store
from .summary import by_carrier, by_week


def main(argv):
    if len(argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    store, loyalty = Store(argv[2]), Loyalty()
    if argv[1] == "orders":
        for page in pages(store, argv[3]):
            for order in page:
                print(order.number, order.day, order.count())
        return 0
    invoices = [invoice(order, loyalty) for order in store.all()]
    if argv[1] == "weeks":
        print("\\n".join(by_week(invoices)))
    elif argv[1] == "carriers":
        print("\\n".join(by_carrier(invoices)))
    else:
        print("\\n".join(i.text() for i in invoices))
    return 0
''',
}
CARRIERS = "alba bora cita delo enco faro gila hano ivos juno kiro lumo mira nexo orba pela quin rano silo tavo ulmo vero wilo xeno yara zeta".split()
COUNTRIES = "at be ch cz de dk es fi fr hu ie it lu nl no pl pt ro se si sk uk".split()
GROUPS = ["books", "food", "tools", "toys", "wine"]


def carrier(r, name):
    zones = {c: r.randrange(1, 5) for c in COUNTRIES}
    transit = {c: r.randrange(1, 7) for c in COUNTRIES}
    table = lambda d: "".join(f'    "{k}": {v},\n' for k, v in d.items())
    months = r.sample(range(1, 13), 2)
    return f'''"""{name.title()}: zones, times and surcharges as of their list of {r.randrange(2022, 2027)}."""
from ..registry import carriers
from ..shipping import Carrier, Surcharge, heavier, within

ZONES = {{
{table(zones)}}}
TRANSIT = {{
{table(transit)}}}


class {name.title()}(Carrier):
    name = "{name}"
    base = {r.randrange(200, 700, 10)}
    per_kilo = {r.randrange(10, 90, 5)}
    zones = ZONES
    surcharges = (
        Surcharge("heavy", {r.randrange(100, 900, 50)}, heavier({r.randrange(5, 40) * 1000})),
        Surcharge("season", {r.randrange(50, 300, 10)}, within(({months[0]}, {r.randrange(1, 28)}), ({months[1]}, {r.randrange(1, 28)}))),
    )

    def transit(self, country):
        return TRANSIT[country]


carriers.add("{name}", {name.title()}())
'''


def country(r, code):
    rates = "".join(f'        "{g}": "{r.choice(["5", "5.5", "7", "7.7", "10", "19", "20", "21", "25.5"])}",\n' for g in GROUPS)
    days = sorted({(1, 1), (12, 25), (12, 26)} | {(r.randrange(2, 12), r.randrange(1, 29)) for _ in range(8)})
    return f'''"""{code.upper()}: taxes and holidays."""
from ..registry import countries


class {code.title()}:
    code = "{code}"
    rates = {{
{rates}    }}
    holidays = frozenset((
{"".join(f"        {d}," + chr(10) for d in days)}    ))


countries.add("{code}", {code.title()})
'''


def catalog(r):
    skus = [f"{r.choice('ABCDEFGH')}{i:03d}" for i in range(60)]
    out = '"""Articles: their groups, weights in grams, and prices in cents by day."""\n\n'
    out += "GROUPS = {\n" + "".join(f'    "{s}": "{r.choice(GROUPS)}",\n' for s in skus) + "}\n\n"
    out += "WEIGHTS = {\n" + "".join(f'    "{s}": {r.randrange(20, 4000)},\n' for s in skus) + "}\n\nPRICES = {\n"
    for s in skus:
        days = sorted({f"2025-{r.randrange(2, 13):02d}-{r.randrange(1, 28):02d}" for _ in range(r.randrange(1, 6))})
        out += f'    "{s}": [\n' + "".join(f'        ("{d}", {r.randrange(99, 9999)}),\n' for d in ["2024-01-01", *days]) + "    ],\n"
    return out + "}\n"


def base(to, seed):
    """Writes the program to a directory."""
    r = random.Random(seed)
    files = {f"wares/{k}": v.lstrip("\n") for k, v in CORE.items()}
    files["wares/__init__.py"] = files["wares/carriers/__init__.py"] = files["wares/countries/__init__.py"] = ""
    for n in CARRIERS:
        files[f"wares/carriers/{n}.py"] = carrier(r, n)
    for c in COUNTRIES:
        files[f"wares/countries/{c}.py"] = country(r, c)
    files["wares/catalog.py"] = catalog(r)
    files["run"] = '#!/bin/sh\ncd "$(dirname "$0")" && exec python3 -c "import sys; from wares.cli import main; sys.exit(main(sys.argv))" "$@"\n'
    for path, text in files.items():
        path = os.path.join(to, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
    os.chmod(os.path.join(to, "run"), 0o755)


def orders(path, seed, n, year=2025):
    """Writes orders, many of a customer on one day, some at the turn of the year."""
    import datetime, json
    r = random.Random(seed)
    with open(path, "w") as f:
        for i in range(1, n + 1):
            day = datetime.date(year, 1, 1) + datetime.timedelta(days=r.choice([r.randrange(365), r.randrange(350, 370), r.randrange(0, 5), 100]))
            lines = [[s, r.choice([1, 1, 2, 3, 7, 25, 60, -1])] for s in r.sample(SKUS, r.randrange(1, 6))]
            f.write(json.dumps({"number": i, "customer": r.choice("abcd"), "country": r.choice(COUNTRIES), "carrier": r.choice(CARRIERS), "day": str(day), "lines": lines}) + "\n")
    os.utime(path, (1700000000 + seed % 86400, 1700000000 + seed % 86400))  # they came before


def fault(to, path, *pairs):
    path = os.path.join(to, path)
    text = open(path).read()
    for a, b in pairs:
        assert a in text, (path, a)
        text = text.replace(a, b, 1)
    open(path, "w").write(text)


def skus(to):
    names = {}
    exec(open(os.path.join(to, "wares/catalog.py")).read(), names)
    return sorted(names["WEIGHTS"])


def asks(to, paths, asked):
    """What the program says to each command, of each file."""
    import json, subprocess
    play = """
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
from wares.cli import main
out = []
for path in json.loads(sys.argv[2]):
    for words in json.loads(sys.argv[3]):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            status = main(["wares", words[0], path, *words[1:]])
        out.append([status, text.getvalue()])
print(json.dumps(out))
"""
    words = json.dumps([a.split() for a in asked])
    got = subprocess.run([sys.executable, "-B", "-c", play, to, json.dumps(paths), words], capture_output=True, text=True, timeout=30)
    return (got.returncode, got.stdout)


def same(to, seed, draws, asked=("invoices", "weeks"), n=100, also=None, years=(2025,)):
    """Says whether the program answers as the one without a fault does, for orders drawn, of years in turn."""
    global SKUS
    import json, shutil, subprocess, tempfile
    ref, data = tempfile.mkdtemp(), tempfile.mkdtemp()
    base(ref, seed)
    if also:
        also(ref)
    SKUS = skus(ref)
    paths = [os.path.join(data, f"orders{i}.jsonl") for i in range(len(draws))]
    for i, (path, draw) in enumerate(zip(paths, draws)):
        orders(path, draw, n, years[i % len(years)])
    want = asks(ref, paths, asked)
    shutil.rmtree(ref)  # before the program runs that is judged: it could run this one
    got = asks(os.path.abspath(to), paths, asked)
    words = asked[0].split()
    ran = subprocess.run([os.path.join(os.path.abspath(to), "run"), words[0], paths[0], *words[1:]], capture_output=True, text=True, timeout=30)
    shutil.rmtree(data)
    return want[0] == 0 and got == want and ran.stdout.strip() == json.loads(want[1])[0][1].strip()
