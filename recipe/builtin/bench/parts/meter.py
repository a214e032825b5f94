import os, random, subprocess, sys, tempfile

CORE = {
"go.mod": '''
module example.com/meter

go 1.21
''',
"main.go": '''
// Meter adds up what stations have measured.
package main

import (
	"os"

	"example.com/meter/internal/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:])) }
''',
"internal/cli/cli.go": '''
// Package cli is the command line.
package cli

import (
	"fmt"
	"os"
	"strconv"

	"example.com/meter/internal/export"
	"example.com/meter/internal/plan"
	"example.com/meter/internal/reading"
	"example.com/meter/internal/sums"
)

const usage = `meter sum [-j N] FILE     count, sum and highest of each station
meter bill PLAN FILE      what a customer of a plan pays for it
meter export FILE OUT     readings for the ministry
`

// Run runs a command and gives its exit status.
func Run(args []string) int {
	err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "meter:", err)
		return 1
	}
	return 0
}

func run(args []string) error {
	switch {
	case len(args) >= 2 && args[0] == "sum":
		n := 1
		if args[1] == "-j" && len(args) == 4 {
			var err error
			if n, err = strconv.Atoi(args[2]); err != nil {
				return err
			}
			args = args[2:]
		}
		all, err := sums.File(args[1], n)
		for _, t := range all {
			fmt.Println(t.Station, t.Count, t.Sum, t.Most)
		}
		return err
	case len(args) == 3 && args[0] == "bill":
		p, err := plan.Find(args[1])
		if err != nil {
			return err
		}
		total := 0
		err = reading.Each(args[2], func(r reading.Reading) { total += p.Cents(r) })
		fmt.Println(args[1], total)
		return err
	case len(args) == 3 && args[0] == "export":
		return export.Write(args[1], args[2])
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("no such command")
}
''',
"internal/reading/reading.go": '''
// Package reading reads what stations have measured: "DAY STATION KIND AMOUNT NOTE", a line each.
package reading

import (
	"fmt"
	"strconv"
	"strings"
)

// Reading is one line.
type Reading struct {
	Day, Station, Kind string
	Amount             int
	Note               string
}

// Parse reads a line.
func Parse(line string) (Reading, error) {
	words := strings.SplitN(line, " ", 5)
	if len(words) < 4 {
		return Reading{}, fmt.Errorf("%.40q is no reading", line)
	}
	n, err := strconv.Atoi(words[3])
	if err != nil {
		return Reading{}, fmt.Errorf("%.40q is no reading", line)
	}
	r := Reading{Day: words[0], Station: words[1], Kind: words[2], Amount: n}
	if len(words) == 5 {
		r.Note = words[4]
	}
	return r, nil
}
''',
"internal/reading/file.go": '''
package reading

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// Each calls f for every reading of a file.
func Each(path string, f func(Reading)) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\\n')
		if line = strings.TrimSuffix(line, "\\n"); line != "" {
			r, err := Parse(line)
			if err != nil {
				return err
			}
			f(r)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
''',
"internal/reading/part.go": '''
package reading

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// Part is a piece of a file: the lines that begin at From or later, and before To.
type Part struct{ From, To int64 }

// Parts divides a file into n pieces of about the same size.
func Parts(path string, n int) ([]Part, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	out := make([]Part, n)
	for i := range out {
		out[i] = Part{info.Size() * int64(i) / int64(n), info.Size() * int64(i+1) / int64(n)}
	}
	return out, nil
}

// EachOf calls f for every reading of a part.
func EachOf(path string, p Part, f func(Reading)) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	at := p.From
	if at > 0 {
		at-- // the end of the line before: what follows begins at From
	}
	if _, err := in.Seek(at, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReader(in)
	if p.From > 0 {
		rest, err := lines.ReadString('\\n')
		if err != nil {
			return nil
		}
		at += int64(len(rest))
	}
	for at < p.To {
		line, err := lines.ReadString('\\n')
		at += int64(len(line))
		if line = strings.TrimSuffix(line, "\\n"); line != "" {
			r, err := Parse(line)
			if err != nil {
				return err
			}
			f(r)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
''',
"internal/sums/sums.go": '''
// Package sums adds up by station.
package sums

import (
	"sort"
	"sync"

	"example.com/meter/internal/reading"
)

// Tally is what a station has measured.
type Tally struct {
	Station          string
	Count, Sum, Most int
}

// Table has a Tally of each station.
type Table struct {
	all []*Tally
	of  map[string]*Tally
}

func newTable() *Table { return &Table{of: map[string]*Tally{}} }

// at gives the tally of a station, a new one if need be.
func (t *Table) at(station string) *Tally {
	if got, is := t.of[station]; is {
		return got
	}
	t.all = append(t.all, &Tally{Station: station})
	t.of[station] = t.all[len(t.all)-1]
	return t.of[station]
}

func (t *Table) add(r reading.Reading) {
	at := t.at(r.Station)
	if at.Count == 0 || r.Amount > at.Most {
		at.Most = r.Amount
	}
	at.Count++
	at.Sum += r.Amount
}

// with takes in another table.
func (t *Table) with(o *Table) {
	for _, from := range o.all {
		at := t.at(from.Station)
		if at.Count == 0 || from.Most > at.Most {
			at.Most = from.Most
		}
		at.Count += from.Count
		at.Sum += from.Sum
	}
}

// File adds up a file in n parts at once.
func File(path string, n int) ([]Tally, error) {
	parts, err := reading.Parts(path, n)
	if err != nil {
		return nil, err
	}
	tables, errs := make([]*Table, n), make([]error, n)
	var wait sync.WaitGroup
	for i, p := range parts {
		i, p := i, p
		tables[i] = newTable()
		wait.Add(1)
		go func() {
			defer wait.Done()
			errs[i] = reading.EachOf(path, p, tables[i].add)
		}()
	}
	wait.Wait()
	sum := newTable()
	for i, t := range tables {
		if errs[i] != nil {
			return nil, errs[i]
		}
		sum.with(t)
	}
	var out []Tally
	for _, t := range sum.all {
		out = append(out, *t)
	}
	sort.Slice(out, func(i, k int) bool { return out[i].Station < out[k].Station })
	return out, nil
}
''',
"internal/export/export.go": '''
// Package export writes readings for the ministry.
package export

import (
	"bufio"
	"fmt"
	"os"

	"example.com/meter/internal/reading"
)

// Write writes the readings of a file to another, which is as it was where that fails.
func Write(path, to string) error {
	f, err := os.Create(to + ".new")
	if err != nil {
		return err
	}
	err = lines(path, f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), to)
}

func lines(path string, f *os.File) error {
	w := bufio.NewWriter(f)
	err := reading.Each(path, func(r reading.Reading) {
		fmt.Fprintf(w, "%s;%s;%s;%d;%s\\n", r.Station, r.Day, r.Kind, r.Amount, r.Note)
	})
	if err != nil {
		return err
	}
	return w.Flush()
}
''',
"internal/plan/plan.go": '''
// Package plan knows what customers pay. Each plan is a file.
package plan

import (
	"fmt"

	"example.com/meter/internal/reading"
)

// Rule is what a reading of a kind costs; of the rules of a kind all count.
type Rule struct {
	Kind    string
	Percent int // of the amount
	Cents   int // besides
}

// Plan is a list of rules.
type Plan struct {
	Name  string
	Rules []Rule
}

var plans = map[string]Plan{}

// common are the rules of every plan.
var common = commonRules()

func commonRules() []Rule {
	rules := make([]Rule, 0, 16)
	for _, kind := range []string{"heat", "power", "water"} {
		rules = append(rules, Rule{kind, 100, 5})
	}
	return rules
}

// add makes a plan of the common rules and its own.
func add(name string, own ...Rule) {
	rules := append([]Rule(nil), common...)
	plans[name] = Plan{name, append(rules, own...)}
}

// Find gives a plan by name.
func Find(name string) (Plan, error) {
	p, is := plans[name]
	if !is {
		return Plan{}, fmt.Errorf("no plan is called %q", name)
	}
	return p, nil
}

// Cents is what a reading costs.
func (p Plan) Cents(r reading.Reading) int {
	cents := 0
	for _, rule := range p.Rules {
		if rule.Kind == r.Kind {
			cents += r.Amount*rule.Percent/100 + rule.Cents
		}
	}
	return cents
}
''',
}
PLANS = ("alder aspen bay beech birch box cedar cherry cypress elder elm fig fir gum hazel hemlock hickory holly ivy juniper larch laurel lilac lime linden maple "
         "myrtle oak olive palm pear pecan pine plane plum poplar quince redwood rowan spruce sumac teak thuja walnut willow yew").split()
KINDS = ["heat", "power", "water", "cold", "steam", "gas"]


def rules(seed):
    """The rules of each plan: kind, percent, cents."""
    r = random.Random(seed)
    return {p: [(r.choice(KINDS), r.randrange(-40, 150), r.randrange(-20, 90)) for _ in range(1 + i % 4 + r.randrange(3) * (i % 4 > 0))] for i, p in enumerate(PLANS)}


def base(to, seed):
    """Writes the program to a directory."""
    r = random.Random(seed)
    files = {k: v.lstrip("\n") for k, v in CORE.items()}
    for name, own in rules(seed).items():
        lines = "".join(f"\t\tRule{{{k!r}, {p}, {c}}},\n".replace("'", '"') for k, p, c in own)
        towns = "".join(f'\t{t!r}: {r.randrange(10, 900)},\n'.replace("'", '"') for t in sorted({f"{name[:3]}{r.choice(['ham', 'ton', 'by', 'wick', 'ford'])}-{i}" for i in range(30)}))
        width = max((len(t.split(":")[0]) for t in towns.split("\n")), default=0)
        towns = "".join(t.split(": ")[0] + ":" + " " * (width - len(t.split(":")[0]) + 1) + t.split(": ")[1] + "\n" for t in towns.split("\n") if t)
        files[f"internal/plan/{name}.go"] = f'''package plan

// {name.title()}, since {r.randrange(1990, 2026)}.
func init() {{
	add("{name}",
{lines}	)
	towns["{name}"] = {name}Towns
}}

// {name}Towns are where it is sold, and to how many.
var {name}Towns = map[string]int{{
{towns}}}
'''
    files["internal/plan/towns.go"] = "package plan\n\n// towns are where plans are sold.\nvar towns = map[string]map[string]int{}\n"
    for path, text in files.items():
        path = os.path.join(to, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)


def fault(to, path, *pairs):
    path = os.path.join(to, path)
    text = open(path).read()
    for a, b in pairs:
        assert a in text, (path, a)
        text = text.replace(a, b, 1)
    open(path, "w").write(text)


def readings(path, seed, n, stations=40, note=lambda r: "x" * r.randrange(0, 30), same=False):
    """Writes readings, of one length each if same, and gives them."""
    r = random.Random(seed)
    out = []
    for _ in range(n):
        station = f"s{r.randrange(100, 100 + stations)}"
        out.append((f"2026-{r.randrange(1, 13):02d}-{r.randrange(1, 29):02d}", station, "steam" if same else r.choice(KINDS), r.randrange(100, 1000) if same else r.randrange(-50, 9000), "ok" if same else note(r)))
    with open(path, "w") as f:
        f.write("".join(" ".join(map(str, x)).rstrip() + "\n" for x in out))
    return out


def built(to):
    """Builds the program and gives where it lies."""
    at = tempfile.mkdtemp()
    subprocess.run(["go", "build", "-o", os.path.join(at, "meter"), "."], cwd=to, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.path.join(at, "meter")


def ask(*words, **more):
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, **more)
    return ran.returncode, ran.stdout


def sums(all):
    """What sum has to print."""
    t = {}
    for _, s, _, n, _ in all:
        c, total, most = t.get(s, (0, 0, n))
        t[s] = (c + 1, total + n, max(most, n))
    return 0, "".join(f"{s} {c} {total} {most}\n" for s, (c, total, most) in sorted(t.items()))


def bill(seed, plan, all):
    """What bill has to print."""
    of = [(k, 100, 5) for k in KINDS[:3]] + rules(seed)[plan]
    cents = lambda n, p: int(n * p / 100) if n * p % 100 == 0 else (abs(n * p) // 100) * (1 if n * p > 0 else -1)
    return 0, f"{plan} {sum(cents(n, p) + c for _, _, k, n, _ in all for kind, p, c in of if kind == k)}\n"


def lines(all):
    """What export has to write."""
    return "".join(f"{s};{d};{k};{n};{note}\n" for d, s, k, n, note in all)
