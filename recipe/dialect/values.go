package dialect

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

// Key is one allowed key of a map: how its value is read, and how it is
// written ("" where it is not set). One table serves both ways, so that
// nothing that can be read is forgotten when it is written.
type Key struct {
	Name string
	Many bool // takes a list
	Read func(p *Reader, e Entry, origin source.Slot)
	Show func() string
}

// Mapping reads entries by a table of keys. Origins are kept under prefix.
func (p *Reader) Mapping(prefix string, es []Entry, keys []Key) {
	for i, e := range es {
		name := e.Key.Plain()
		if first, dup := p.keyAgain(es, i, prefix); dup {
			p.Problem(e.Key.Off, "", "key %q is given twice: first at line %d", name, p.Line(first)+1).Kind = problem.Twice
			continue
		}
		k := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
		switch {
		case k < 0:
			p.Unknown(e.Key, "key", KeyNames(keys))
		case len(e.items) > 0 && !keys[k].Many:
			p.Problem(e.items[0].Off, "", "key %q takes one value, not a list", name)
		case len(e.items) == 0 && Uncomment(e.Val).Text == "":
			p.Problem(e.Key.Off, noValue(keys[k]), "key %q has no value", name)
		default:
			origin := source.Slot{At: prefix, Name: keys[k].Name}
			p.Note(origin, -1, e.Val.Off)
			keys[k].Read(p, e, origin)
		}
	}
}

// noValue is the next step where a key has no value.
func noValue(k Key) string {
	if k.Many {
		return fmt.Sprintf("write the values behind it, parted by commas; or all keys as bullets, \"- %s:\" with "+
			"a list indented below", k.Name)
	}
	return "leave the line out, or write \"\" for an empty text"
}

// few is how many names are compared one by one rather than through a map.
const few = 20

// keyAgain tells whether the key of the i-th entry was given before, and where.
func (p *Reader) keyAgain(es []Entry, i int, prefix string) (first int, dup bool) {
	if len(es) > few {
		return p.Again("key of "+prefix, es[i].Key)
	}
	for _, e := range es[:i] {
		if e.Key.Text == es[i].Key.Text {
			return e.Key.Off, true
		}
	}
	return 0, false
}

func KeyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Scalar gives the one value of an entry, its comment and quotes removed.
func (p *Reader) Scalar(e Entry) source.Span {
	return p.Unquote(Uncomment(e.Val))
}

// List gives the values of an entry: comma separated, or nested bullets.
func (p *Reader) List(e Entry) (vs []source.Span) {
	parts := e.items
	if len(parts) == 0 {
		parts = Split(Uncomment(e.Val))
	}
	for _, v := range parts {
		v = p.Unquote(v)
		if v.Empty() {
			p.Problem(v.Off, "", "an empty value in the list of %q", e.Key.Plain())
			continue
		}
		vs = append(vs, v)
	}
	return vs
}

func TextKey(name string, to *string) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) { *to = p.Scalar(e).Plain() }, ShowText(to)}
}

// DateKey takes a day, as 2026-03-31.
func DateKey(name string, to *string) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		v := p.Scalar(e)
		if _, err := time.Parse(time.DateOnly, v.Plain()); err != nil {
			p.Problem(v.Off, "", "%s: %q is no day, as 2026-03-31", name, v.Plain())
			return
		}
		*to = v.Plain()
	}, ShowText(to)}
}

func ListKey(name string, to *[]string) Key {
	return Key{name, true, func(p *Reader, e Entry, origin source.Slot) {
		for _, v := range p.List(e) {
			if p.listedTwice(*to, v, origin) {
				p.Problem(v.Off, "", "%q is listed twice", v.Plain()).Kind = problem.Twice
				continue
			}
			p.Note(origin, len(*to), v.Off)
			*to = append(*to, v.Plain())
		}
	}, func() string { return QuoteList(*to) }}
}

// listedTwice tells whether v is in the list already.
func (p *Reader) listedTwice(list []string, v source.Span, origin source.Slot) bool {
	if len(list) < few {
		return slices.Contains(list, v.Plain())
	}
	kind := origin.Key()
	if len(list) == few {
		for _, s := range list {
			p.Again(kind, source.Span{Text: s})
		}
	}
	_, dup := p.Again(kind, v)
	return dup
}

func EnumKey(name string, to *string, allowed ...string) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		p.enum(p.Scalar(e), name, to, allowed)
	}, ShowText(to)}
}

func (p *Reader) enum(v source.Span, name string, to *string, allowed []string) {
	p.Allowed = allowed
	if slices.Contains(allowed, v.Plain()) {
		*to = v.Plain()
		return
	}
	p.Unknown(v, name, allowed)
}

func BoolKey(name string, to *bool) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		switch v := p.Scalar(e); v.Plain() {
		case "true", "false":
			*to = v.Plain() == "true"
		default:
			p.Problem(v.Off, "", "%s: %q is neither true nor false", name, v.Plain()).Kind = problem.NotBool
		}
	}, func() string {
		if *to {
			return "true"
		}
		return ""
	}}
}

func BoolPtrKey(name string, to **bool) Key {
	return Key{name, false, func(p *Reader, e Entry, origin source.Slot) {
		b := new(bool)
		BoolKey(name, b).Read(p, e, origin)
		*to = b
	}, func() string {
		if *to == nil {
			return ""
		}
		return strconv.FormatBool(**to)
	}}
}

// IntKey reads an integer of at least least. Not set is 0, or -1 where 0 is
// not the least.
func IntKey[T int | int64](name string, to *T, least int64) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		v := p.Scalar(e)
		n, err := strconv.ParseInt(v.Plain(), 10, 64)
		if err != nil || n < least || int64(T(n)) != n {
			p.Problem(v.Off, "", "%s: %q is not an integer%s", name, v.Plain(), atLeast(float64(least)))
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

func IntPtrKey[T int | int64](name string, to **T, least int64) Key {
	return Key{name, false, func(p *Reader, e Entry, origin source.Slot) {
		n := new(T)
		IntKey(name, n, least).Read(p, e, origin)
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

// Bounds are the ends of a range of numbers; open ends do not belong to it.
type Bounds struct {
	low, High         float64
	OpenLow, OpenHigh bool
}

func (b Bounds) has(f float64) bool {
	return (f > b.low || f == b.low && !b.OpenLow) && (f < b.High || f == b.High && !b.OpenHigh)
}

func (b Bounds) String() string {
	low, high := "of at least", "at most"
	if b.OpenLow {
		low = "above"
	}
	if b.OpenHigh {
		high = "below"
	}
	if math.IsInf(b.High, 1) {
		return fmt.Sprintf("%s %v", low, b.low)
	}
	return fmt.Sprintf("%s %v and %s %v", low, b.low, high, b.High)
}

func (p *Reader) Float(v source.Span, name string, b Bounds) (float64, bool) {
	f, err := strconv.ParseFloat(v.Plain(), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || !b.has(f) || strings.ContainsAny(v.Plain(), "_xXpP") {
		p.Problem(v.Off, "", "%s: %q is not a number %s", name, v.Plain(), b)
		return 0, false
	}
	return f, true
}

func FloatKey(name string, to *float64, b Bounds) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		if f, ok := p.Float(p.Scalar(e), name, b); ok {
			*to = f
		}
	}, func() string {
		if *to == 0 {
			return ""
		}
		return FormatFloat(*to)
	}}
}

func FloatPtrKey(name string, to **float64, b Bounds) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		if f, ok := p.Float(p.Scalar(e), name, b); ok {
			*to = &f
		}
	}, func() string {
		if *to == nil {
			return ""
		}
		return FormatFloat(**to)
	}}
}

// Duration reads a Go duration, or bare seconds.
func (p *Reader) Duration(v source.Span, name string) time.Duration {
	s := v.Plain()
	if _, err := strconv.ParseUint(s, 10, 64); err == nil {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		p.Problem(v.Off, "write 90s, 5m, 1.5h, or whole seconds without a unit", "%s: %q is no duration",
			name, v.Plain())
		return 0
	}
	return d
}

func DurationKey(name string, to *time.Duration) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		*to = p.Duration(p.Scalar(e), name)
	}, func() string {
		if *to == 0 {
			return ""
		}
		return FormatDuration(*to)
	}}
}

// SomeDurationKey is DurationKey of one that is above zero; without is what there is where none is written.
func SomeDurationKey(name string, to *time.Duration, without string) Key {
	k := DurationKey(name, to)
	k.Read = func(p *Reader, e Entry, _ source.Slot) {
		v, before := p.Scalar(e), len(p.Problems)
		if *to = p.Duration(v, name); *to == 0 && len(p.Problems) == before {
			p.Problem(v.Off, "leave it out for "+without, "%s: one that may take no time", name)
		}
	}
	return k
}

// SizeKey reads bytes: an integer, perhaps with KiB, MiB or GiB.
func SizeKey(name string, to *int64) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		v := p.Scalar(e)
		digits := strings.TrimRight(v.Plain(), "KMGiB ")
		shift, known := map[string]uint{"": 0, "KiB": 10, "MiB": 20,
			"GiB": 30}[strings.TrimSpace(v.Plain()[len(digits):])]
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n < 0 || !known || n > math.MaxInt64>>shift {
			p.Problem(v.Off, "write 512MiB, 2GiB, or bytes without a unit", "%s: %q is no size", name, v.Plain())
			return
		}
		*to = n << shift
	}, func() string { return FormatSize(*to) }}
}

// ModelKey reads a model id.
func ModelKey(name string, to *string) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		v := p.Scalar(e)
		p.ModelID(v)
		*to = v.Plain()
	}, ShowText(to)}
}

// ContestantKey reads the name of a contestant: a model, an agent and its model, or
// one of Contestants, which may be those of another file.
func ContestantKey(name string, to *string) Key {
	return Key{name, false, func(p *Reader, e Entry, _ source.Slot) {
		v := p.Scalar(e)
		if *to = v.Plain(); strings.Contains(*to, "/") {
			v, _ = p.Contestant(v)
			*to = v.Plain()
		}
	}, ShowText(to)}
}

// ModelID checks the shape provider/model; whether there is such a provider is
// for the runner to say.
func (p *Reader) ModelID(v source.Span) bool {
	provider, id, ok := strings.Cut(v.Plain(), "/")
	if !ok || provider == "" || id == "" || strings.ContainsAny(v.Plain(), " \t\n,") {
		p.Problem(v.Off, "for example openai/gpt-5-mini, or opencode: openai/gpt-5-mini for an agent",
			"model id %q is not of the shape provider/model", v.Plain())
		return false
	}
	return true
}

// Glob reports a pattern that could never match.
func (p *Reader) Glob(v source.Span) {
	if _, err := path.Match(strings.ReplaceAll(v.Plain(), "**", "*"), ""); err != nil {
		p.Problem(v.Off, "", "%q is no well-formed glob", v.Plain())
	}
}
