package recipe

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"cookoff/recipe/dialect"
)

// noOutcome says which keys can't change the outcome of a trial: names,
// labels, reasons, and how outcomes are counted and compared afterwards.
var noOutcome = regexp.MustCompile(
	`^(name|comparison\..*|metadata\.(name|description|tags|author|version|extends|contribute)|tasks\.(title|tags|date)|(tasks\.)?verify\.reason)$`)

// everything is a recipe that sets every field.
func everything(t *testing.T) *Recipe {
	t.Helper()
	content, err := os.ReadFile("../testdata/recipes/good/everything.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseContent(content)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// changes calls try for every way to change one value below v: key names it as
// Schema does, and change makes the change and gives what undoes it.
func changes(key string, v reflect.Value, try func(key, what string, change func() (undo func()))) {
	set := func(what string, to func() reflect.Value) {
		try(key, what, func() func() {
			was := reflect.New(v.Type()).Elem()
			was.Set(v)
			v.Set(to())
			return func() { v.Set(was) }
		})
	}
	switch v.Kind() {
	case reflect.Struct:
		for f, val := range v.Fields() {
			if f.IsExported() && f.Name != "SectionsPresent" {
				changes(strings.TrimPrefix(key+"."+keyOfField(v.Type(), f), "."), val, try)
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			set("set to zero", func() reflect.Value { return reflect.New(v.Type().Elem()) })
			return
		}
		if v.Elem().Kind() != reflect.Struct {
			set("unset", func() reflect.Value { return reflect.Zero(v.Type()) })
		}
		changes(key, v.Elem(), try)
	case reflect.Slice:
		for i := range v.Len() {
			changes(key, v.Index(i), try)
		}
		if v.Len() > 0 {
			set("one less", func() reflect.Value { return v.Slice(0, v.Len()-1) })
		}
		if v.Len() > 1 {
			set("the other way round", func() reflect.Value {
				out := reflect.MakeSlice(v.Type(), 0, v.Len())
				for i := range v.Len() {
					out = reflect.Append(out, v.Index(v.Len()-1-i))
				}
				return out
			})
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(k))
			changes(key, elem, func(key, what string, change func() func()) {
				try(key, what, func() func() {
					was, undo := v.MapIndex(k), change()
					v.SetMapIndex(k, elem)
					return func() { undo(); v.SetMapIndex(k, was) }
				})
			})
			try(key, "another name", func() func() {
				was, other := v.MapIndex(k), reflect.ValueOf(k.String()+"x")
				v.SetMapIndex(k, reflect.Value{})
				v.SetMapIndex(other, was)
				return func() { v.SetMapIndex(other, reflect.Value{}); v.SetMapIndex(k, was) }
			})
		}
	case reflect.String:
		set("another text", func() reflect.Value { return reflect.ValueOf(v.String() + "x").Convert(v.Type()) })
	case reflect.Bool:
		set("the opposite", func() reflect.Value { return reflect.ValueOf(!v.Bool()) })
	case reflect.Float64:
		set("another number", func() reflect.Value { return reflect.ValueOf(v.Float() + 0.25) })
	default:
		set("another number", func() reflect.Value {
			if v.Type() == reflect.TypeFor[time.Duration]() {
				return reflect.ValueOf(time.Duration(v.Int()) + time.Second)
			}
			return reflect.ValueOf(v.Int() + 1).Convert(v.Type())
		})
	}
}

// keyOfField gives the key of a field as Schema names it.
func keyOfField(in reflect.Type, f reflect.StructField) string {
	if in == reflect.TypeFor[Recipe]() {
		if section, ok := fieldSections()[f.Name]; ok {
			return dialect.SectionKey(section)
		}
	}
	return fieldKey(f)
}

// TestDigestIsWhatCanChangeAnOutcome changes every value of a recipe that sets
// all of them, one at a time: the digest changes with each, but for those that
// can't change the outcome of a trial.
func TestDigestIsWhatCanChangeAnOutcome(t *testing.T) {
	r := everything(t)
	base := r.Digest()
	tried := map[string]bool{}
	changes("", reflect.ValueOf(r).Elem(), func(key, what string, change func() func()) {
		tried[key] = true
		undo := change()
		if changed := r.Digest() != base; changed == noOutcome.MatchString(key) {
			t.Errorf("%s, %s: the digest changes is %v", key, what, changed)
		}
		undo()
		if r.Digest() != base {
			t.Fatalf("%s, %s: not undone", key, what)
		}
	})
	if len(tried) < 100 {
		t.Errorf("only %d keys were tried", len(tried))
	}
	for _, key := range []string{"models", "tools.guidance", "mcp_servers.command", "constraints.timeout",
		"model_profiles.system_role", "tasks.after.live", "tasks.verify.additional.stream",
		"output_processing.max_lines"} {
		if !tried[key] {
			t.Errorf("%s was not tried: there are %v", key, tried)
		}
	}
}
