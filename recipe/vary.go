package recipe

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// drawnSeed is the name that stands for a number of the task's own, made of the
// run's seed.
const drawnSeed = "seed"

// drawnName is a name in a text of a task that stands for what is drawn for it.
var drawnName = pattern.New(`\{\{([a-z][a-z0-9_]*)\}\}`)

// variation is one item of vary: a name, and what is drawn for it.
type variation struct {
	name   string
	spec   string // as it is written
	values []string
	lo, hi int // where values is nil: whole numbers, both ends included
}

var (
	variedName  = pattern.New(`^[a-z][a-z0-9_]*$`)
	variedRange = pattern.New(`^(\d{1,9})\.\.(\d{1,9})$`)
)

// parseVariation reads "name=a|b|c", "name=20000..29999" or "seed".
func parseVariation(s string) (v variation, why string) {
	name, spec, set := strings.Cut(s, "=")
	v.name, v.spec = strings.TrimSpace(name), strings.TrimSpace(spec)
	switch {
	case !set && v.name == drawnSeed:
		return v, ""
	case !set || !variedName.MatchString(v.name):
		return v, "is no name=a|b|c, name=1..9 or seed"
	case v.name == drawnSeed:
		return v, "gives seed values: it is a number of its own"
	}
	if m := variedRange.FindStringSubmatch(v.spec); m != nil {
		v.lo, _ = strconv.Atoi(m[1])
		v.hi, _ = strconv.Atoi(m[2])
		if v.lo >= v.hi {
			return v, "is a range that ends before it begins"
		}
		return v, ""
	}
	for one := range strings.SplitSeq(v.spec, "|") {
		one = strings.TrimSpace(one)
		if one == "" || slices.Contains(v.values, one) {
			return v, "has a value that is empty, or one twice"
		}
		v.values = append(v.values, one)
	}
	if len(v.values) < 2 {
		return v, "has one value: there is nothing to draw"
	}
	return v, ""
}

func (v variation) count() int {
	if v.values != nil {
		return len(v.values)
	}
	return v.hi - v.lo + 1
}

func (v variation) value(i int) string {
	if v.values != nil {
		return v.values[i]
	}
	return strconv.Itoa(v.lo + i)
}

// varyKey reads what a task draws.
func varyKey(to *[]string) dialect.Key {
	k := dialect.ListKey("vary", to)
	return dialect.Key{Name: "vary", Many: true, Read: func(p *dialect.Reader, e dialect.Entry, origin source.Slot) {
		alike, names := map[string]int{}, []string{}
		for _, item := range p.List(e) {
			v, why := parseVariation(item.Plain())
			switch {
			case why != "":
				p.Problem(item.Off, "write vary: name=a|b|c, port=20000..29999, seed", "vary: %q %s", item.Plain(), why)
				continue
			case slices.Contains(names, v.name):
				p.Problem(item.Off, "", "vary: %q is drawn twice", v.name).Kind = problem.Twice
				continue
			}
			names = append(names, v.name)
			if alike[v.spec]++; v.name != drawnSeed && alike[v.spec] > v.count() {
				p.Problem(item.Off, "names with the same list draw different values",
					"vary: there is no value left for %q", v.name)
			}
			p.Note(origin, len(*to), item.Off)
			*to = append(*to, item.Plain())
		}
	}, Show: k.Show}
}

// varied checks that the texts of a task and what it draws go together. Where
// nothing is drawn, "{{name}}" is text.
func (p *taskReader) varied(t *Task, from int) {
	if t.Vary == nil {
		return
	}
	var names []string
	for _, s := range t.Vary {
		v, _ := parseVariation(s)
		names = append(names, v.name)
	}
	known, unused := slices.Clone(names), slices.Clone(names)
	at := func(name string) int {
		if i := strings.Index(p.Plain[from:], "{{"+name+"}}"); i >= 0 {
			return from + i
		}
		return from
	}
	eachText(reflect.ValueOf(t).Elem(), func(text string) string {
		for _, m := range drawnName.FindAllStringSubmatch(text, -1) {
			unused = slices.DeleteFunc(unused, func(n string) bool { return n == m[1] })
			if !slices.Contains(known, m[1]) {
				known = append(known, m[1])
				p.Problem(at(m[1]), "vary: draws "+strings.Join(names, ", ")+"; write {{ "+m[1]+" }} for the text",
					"task %q draws nothing called %q", t.Title, m[1])
			}
		}
		return text
	})
	for _, name := range unused {
		p.Problem(from, "write {{"+name+"}} where it belongs, or take it out of vary",
			"task %q draws %q, and nothing in it says {{%[2]s}}", t.Title, name)
	}
	if strings.Contains(t.Prompt, "{{"+drawnSeed+"}}") {
		p.Problem(at(drawnSeed), "models are not told what their task was drawn from",
			"the prompt of task %q says {{seed}}", t.Title)
	}
}

// Drawn gives the recipe with what its tasks vary drawn from the seed of
// Comparison (0: 1): the same seed gives the same tasks. One that varies nothing
// is itself.
func (r *Recipe) Drawn() *Recipe {
	if !slices.ContainsFunc(r.Tasks, func(t Task) bool { return t.Vary != nil }) {
		return r
	}
	out := *r
	out.Tasks = slices.Clone(r.Tasks)
	for i, t := range out.Tasks {
		if t.Vary != nil {
			out.Tasks[i] = t.drawn(cmp.Or(r.Comparison.Seed, 1))
		}
	}
	return &out
}

// drawn gives the task that a seed means.
func (t Task) drawn(seed int64) Task {
	values := t.draw(seed)
	t.Vary = nil
	eachText(reflect.ValueOf(&t).Elem(), func(text string) string {
		return drawnName.ReplaceAllStringFunc(text, func(m string) string {
			if v, ok := values[m[2:len(m)-2]]; ok {
				return v
			}
			return m
		})
	})
	return t
}

// draw gives each name a value. Names whose lists are the same have different ones.
func (t Task) draw(seed int64) map[string]string {
	number := func(about string) *big.Int {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", seed, t.Title, about))
		return new(big.Int).SetBytes(sum[:])
	}
	out, taken := map[string]string{}, map[string][]string{}
	for _, s := range t.Vary {
		v, _ := parseVariation(s)
		if v.name == drawnSeed {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00own", seed, t.Title))
			out[v.name] = strconv.FormatUint(uint64(binary.BigEndian.Uint32(sum[:])>>1), 10)
			continue
		}
		n := int64(v.count())
		i := new(big.Int).Mod(number(v.name), big.NewInt(n)).Int64()
		for slices.Contains(taken[v.spec], v.value(int(i))) {
			i = (i + 1) % n
		}
		out[v.name] = v.value(int(i))
		taken[v.spec] = append(taken[v.spec], out[v.name])
	}
	return out
}

// eachText replaces every text of a task but its name, its tags and what it
// draws; lists are made anew.
func eachText(v reflect.Value, put func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if s := put(v.String()); s != v.String() {
			v.SetString(s)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		for i := range own.Len() {
			eachText(own.Index(i), put)
		}
		v.Set(own)
	case reflect.Struct:
		for i := range v.NumField() {
			switch v.Type().Field(i).Name {
			case "Title", "Tags", "Date", "Vary":
			default:
				eachText(v.Field(i), put)
			}
		}
	}
}
