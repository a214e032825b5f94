package recipe

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// key is one allowed key of a map: how its value is read, and how it is
// written ("" where it is not set). One table serves both ways, so that
// nothing that can be read is forgotten when it is written.
type key struct {
	name string
	many bool // takes a list
	read func(p *reader, e entry, origin source.Slot)
	show func() string
}

// mapping reads entries by a table of keys. Origins are kept under prefix.
func (p *reader) mapping(prefix string, es []entry, keys []key) {
	for i, e := range es {
		name := e.key.Plain()
		if first, dup := p.keyAgain(es, i, prefix); dup {
			p.problem(e.key.Off, "", "key %q is given twice: first at line %d", name, p.Line(first)+1).Kind = problem.Twice
			continue
		}
		k := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		switch {
		case k < 0:
			p.unknown(e.key, "key", keyNames(keys))
		case len(e.items) > 0 && !keys[k].many:
			p.problem(e.items[0].Off, "", "key %q takes one value, not a list", name)
		case len(e.items) == 0 && uncomment(e.val).Text == "":
			p.problem(e.key.Off, noValue(keys[k]), "key %q has no value", name)
		default:
			origin := source.Slot{At: prefix, Name: keys[k].name}
			p.Note(origin, -1, e.val.Off)
			keys[k].read(p, e, origin)
		}
	}
}

// noValue is the next step where a key has no value.
func noValue(k key) string {
	if k.many {
		return fmt.Sprintf("write the values behind it, parted by commas; or all keys as bullets, \"- %s:\" with "+
			"a list indented below", k.name)
	}
	return "leave the line out, or write \"\" for an empty text"
}

// few is how many names are compared one by one rather than through a map.
const few = 20

// keyAgain tells whether the key of the i-th entry was given before, and where.
func (p *reader) keyAgain(es []entry, i int, prefix string) (first int, dup bool) {
	if len(es) > few {
		return p.again("key of "+prefix, es[i].key)
	}
	for _, e := range es[:i] {
		if e.key.Text == es[i].key.Text {
			return e.key.Off, true
		}
	}
	return 0, false
}

func keyNames(keys []key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// scalar gives the one value of an entry, its comment and quotes removed.
func (p *reader) scalar(e entry) source.Span {
	return p.unquote(uncomment(e.val))
}

// list gives the values of an entry: comma separated, or nested bullets.
func (p *reader) list(e entry) (vs []source.Span) {
	parts := e.items
	if len(parts) == 0 {
		parts = split(uncomment(e.val))
	}
	for _, v := range parts {
		v = p.unquote(v)
		if v.Empty() {
			p.problem(v.Off, "", "an empty value in the list of %q", e.key.Plain())
			continue
		}
		vs = append(vs, v)
	}
	return vs
}

func textKey(name string, to *string) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) { *to = p.scalar(e).Plain() }, showText(to)}
}

// dateKey takes a day, as 2026-03-31.
func dateKey(name string, to *string) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		v := p.scalar(e)
		if _, err := time.Parse(time.DateOnly, v.Plain()); err != nil {
			p.problem(v.Off, "", "%s: %q is no day, as 2026-03-31", name, v.Plain())
			return
		}
		*to = v.Plain()
	}, showText(to)}
}

func listKey(name string, to *[]string) key {
	return key{name, true, func(p *reader, e entry, origin source.Slot) {
		for _, v := range p.list(e) {
			if p.listedTwice(*to, v, origin) {
				p.problem(v.Off, "", "%q is listed twice", v.Plain()).Kind = problem.Twice
				continue
			}
			p.Note(origin, len(*to), v.Off)
			*to = append(*to, v.Plain())
		}
	}, func() string { return quoteList(*to) }}
}

// listedTwice tells whether v is in the list already.
func (p *reader) listedTwice(list []string, v source.Span, origin source.Slot) bool {
	if len(list) < few {
		return slices.Contains(list, v.Plain())
	}
	kind := origin.Key()
	if len(list) == few {
		for _, s := range list {
			p.again(kind, source.Span{Text: s})
		}
	}
	_, dup := p.again(kind, v)
	return dup
}

func enumKey(name string, to *string, allowed ...string) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) { p.enum(p.scalar(e), name, to, allowed) }, showText(to)}
}

func (p *reader) enum(v source.Span, name string, to *string, allowed []string) {
	p.allowed = allowed
	if slices.Contains(allowed, v.Plain()) {
		*to = v.Plain()
		return
	}
	p.unknown(v, name, allowed)
}

func boolKey(name string, to *bool) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		switch v := p.scalar(e); v.Plain() {
		case "true", "false":
			*to = v.Plain() == "true"
		default:
			p.problem(v.Off, "", "%s: %q is neither true nor false", name, v.Plain()).Kind = problem.NotBool
		}
	}, func() string {
		if *to {
			return "true"
		}
		return ""
	}}
}

func boolPtrKey(name string, to **bool) key {
	return key{name, false, func(p *reader, e entry, origin source.Slot) {
		b := new(bool)
		boolKey(name, b).read(p, e, origin)
		*to = b
	}, func() string {
		if *to == nil {
			return ""
		}
		return strconv.FormatBool(**to)
	}}
}

// intKey reads an integer of at least least. Not set is 0, or -1 where 0 is
// not the least.
func intKey[T int | int64](name string, to *T, least int64) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		v := p.scalar(e)
		n, err := strconv.ParseInt(v.Plain(), 10, 64)
		if err != nil || n < least || int64(T(n)) != n {
			p.problem(v.Off, "", "%s: %q is not an integer%s", name, v.Plain(), atLeast(float64(least)))
			return
		}
		*to = T(n)
	}, func() string {
		if *to == 0 && least != -1 || *to == -1 && least == -1 {
			return ""
		}
		return strconv.FormatInt(int64(*to), 10)
	}}
}

func intPtrKey[T int | int64](name string, to **T, least int64) key {
	return key{name, false, func(p *reader, e entry, origin source.Slot) {
		n := new(T)
		intKey(name, n, least).read(p, e, origin)
		*to = n
	}, func() string {
		if *to == nil {
			return ""
		}
		return strconv.FormatInt(int64(**to), 10)
	}}
}

func atLeast(n float64) string {
	if n == math.MinInt64 {
		return ""
	}
	return fmt.Sprintf(" of at least %v", n)
}

// bounds are the ends of a range of numbers; open ends do not belong to it.
type bounds struct {
	low, high         float64
	openLow, openHigh bool
}

func (b bounds) has(f float64) bool {
	return (f > b.low || f == b.low && !b.openLow) && (f < b.high || f == b.high && !b.openHigh)
}

func (b bounds) String() string {
	low, high := "of at least", "at most"
	if b.openLow {
		low = "above"
	}
	if b.openHigh {
		high = "below"
	}
	if math.IsInf(b.high, 1) {
		return fmt.Sprintf("%s %v", low, b.low)
	}
	return fmt.Sprintf("%s %v and %s %v", low, b.low, high, b.high)
}

func (p *reader) float(v source.Span, name string, b bounds) (float64, bool) {
	f, err := strconv.ParseFloat(v.Plain(), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || !b.has(f) || strings.ContainsAny(v.Plain(), "_xXpP") {
		p.problem(v.Off, "", "%s: %q is not a number %s", name, v.Plain(), b)
		return 0, false
	}
	return f, true
}

func floatKey(name string, to *float64, b bounds) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		if f, ok := p.float(p.scalar(e), name, b); ok {
			*to = f
		}
	}, func() string {
		if *to == 0 {
			return ""
		}
		return formatFloat(*to)
	}}
}

func floatPtrKey(name string, to **float64, b bounds) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		if f, ok := p.float(p.scalar(e), name, b); ok {
			*to = &f
		}
	}, func() string {
		if *to == nil {
			return ""
		}
		return formatFloat(**to)
	}}
}

// duration reads a Go duration, or bare seconds.
func (p *reader) duration(v source.Span, name string) time.Duration {
	s := v.Plain()
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		p.problem(v.Off, "write 90s, 5m, 1.5h, or whole seconds without a unit", "%s: %q is no duration",
			name, v.Plain())
		return 0
	}
	return d
}

func durationKey(name string, to *time.Duration) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) { *to = p.duration(p.scalar(e), name) }, func() string {
		if *to == 0 {
			return ""
		}
		return formatDuration(*to)
	}}
}

// sizeKey reads bytes: an integer, perhaps with KiB, MiB or GiB.
func sizeKey(name string, to *int64) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		v := p.scalar(e)
		digits := strings.TrimRight(v.Plain(), "KMGiB ")
		shift, known := map[string]uint{"": 0, "KiB": 10, "MiB": 20,
			"GiB": 30}[strings.TrimSpace(v.Plain()[len(digits):])]
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || !known || n > math.MaxInt64>>shift {
			p.problem(v.Off, "write 512MiB, 2GiB, or bytes without a unit", "%s: %q is no size", name, v.Plain())
			return
		}
		*to = n << shift
	}, func() string { return formatSize(*to) }}
}

// modelKey reads a model id.
func modelKey(name string, to *string) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		v := p.scalar(e)
		p.modelID(v)
		*to = v.Plain()
	}, showText(to)}
}

// contestantKey reads the name of a contestant: a model, an agent and its model, or
// one of Contestants, which may be those of another file.
func contestantKey(name string, to *string) key {
	return key{name, false, func(p *reader, e entry, _ source.Slot) {
		v := p.scalar(e)
		if *to = v.Plain(); strings.Contains(*to, "/") {
			v, _ = p.contestant(v)
			*to = v.Plain()
		}
	}, showText(to)}
}

// modelID checks the shape provider/model; whether there is such a provider is
// for the runner to say.
func (p *reader) modelID(v source.Span) bool {
	provider, id, ok := strings.Cut(v.Plain(), "/")
	if !ok || provider == "" || id == "" || strings.ContainsAny(v.Plain(), " \t\n,") {
		p.problem(v.Off, "for example openai/gpt-5-mini, or opencode: openai/gpt-5-mini for an agent",
			"model id %q is not of the shape provider/model", v.Plain())
		return false
	}
	return true
}

// glob reports a pattern that could never match.
func (p *reader) glob(v source.Span) {
	if _, err := path.Match(strings.ReplaceAll(v.Plain(), "**", "*"), ""); err != nil {
		p.problem(v.Off, "", "%q is no well-formed glob", v.Plain())
	}
}
