package recipe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"cookoff/recipe/dialect"
	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// Value is one thing that a recipe says, and where.
type Value struct {
	Key  string      // "constraints.max_steps", "tasks[0].after[1].script"
	Text string      // as a recipe has it; an empty list is "none"
	Pos  problem.Pos // zero where no file has it
}

// Values gives all that a resolved recipe says, section by section. What is
// not set is left out; a zero that a file sets is there.
func (r *Recipe) Values() []Value {
	w := &walk{r: r}
	w.recipe()
	return w.values
}

// JSON gives a resolved recipe as values that encoding/json writes: the keys
// are those of the file, durations are texts. docs/recipe.schema.json says
// what it may hold.
func (r *Recipe) JSON() map[string]any { return (&walk{r: r}).recipe() }

// walk goes through all that a recipe says.
type walk struct {
	r      *Recipe
	values []Value
}

func (w *walk) recipe() map[string]any {
	out := map[string]any{"version": w.r.Version}
	w.leaf("version", w.r.Version)
	if w.r.Name != "" {
		out["name"] = w.r.Name
		w.leaf("name", w.r.Name)
	}
	v := reflect.ValueOf(w.r).Elem()
	for _, f := range orderedFields() {
		if val, ok := w.value(f.key, v.FieldByName(f.field), false); ok {
			out[f.key] = val
		}
	}
	return out
}

// sectionField is a field of Recipe and the key of its section.
type sectionField struct{ field, key string }

// orderedFields gives the fields of sections in the order of their table.
func orderedFields() []sectionField {
	sections := fieldSections()
	rank := map[string]int{}
	for i, s := range sectionTable() {
		rank[strings.ToLower(s.name)] = i
	}
	var out []sectionField
	for _, f := range slices.SortedFunc(maps.Keys(sections), func(a, b string) int {
		return cmp.Compare(rank[sections[a]], rank[sections[b]])
	}) {
		out = append(out, sectionField{f, dialect.SectionKey(sections[f])})
	}
	return out
}

// value gives what v says, ok is false where that is nothing. A zero that was
// set says something.
func (w *walk) value(key string, v reflect.Value, set bool) (out any, ok bool) {
	if _, written := w.r.written(key); written {
		set = true
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, false
		}
		return w.value(key, v.Elem(), true)
	case reflect.Struct:
		return w.object(key, v, set)
	case reflect.Map:
		return w.mapping(key, v)
	case reflect.Slice:
		return w.list(key, v)
	}
	if v.IsZero() && !set || key == "sub_agent.max_depth" && v.Int() < 0 {
		return nil, false
	}
	out = v.Interface()
	if d, isDuration := out.(time.Duration); isDuration {
		out = dialect.FormatDuration(d)
	}
	w.leaf(key, out)
	return out, true
}

func (w *walk) object(key string, v reflect.Value, set bool) (any, bool) {
	out := map[string]any{}
	for f, val := range v.Fields() {
		name := fieldKey(f)
		if val, ok := w.value(key+"."+name, val, false); ok {
			out[name] = val
		}
	}
	return out, set || len(out) > 0
}

func (w *walk) mapping(key string, v reflect.Value) (any, bool) {
	out := map[string]any{}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, k := range keys {
		out[k.String()], _ = w.value(key+"."+k.String(), v.MapIndex(k), true)
	}
	return out, len(out) > 0
}

func (w *walk) list(key string, v reflect.Value) (any, bool) {
	none := v.Len() == 0 && !v.IsNil() && (key == "tools.allowlist" || strings.HasSuffix(key, "].tools"))
	if none {
		w.values = append(w.values, Value{key, "none", w.r.At(key)})
	}
	out := make([]any, v.Len())
	for i := range out {
		out[i], _ = w.value(source.At(key, i), v.Index(i), true)
	}
	return out, len(out) > 0 || none
}

func (w *walk) leaf(key string, v any) {
	text := fmt.Sprint(v)
	if n, isSize := v.(int64); isSize && strings.HasPrefix(key, "sandbox.") && n > 0 {
		text = dialect.FormatSize(n)
	}
	w.values = append(w.values, Value{key, text, w.r.At(key)})
}

// fieldKey gives the key of a field as a recipe has it.
func fieldKey(f reflect.StructField) string {
	if tag := f.Tag.Get("toml"); tag != "" {
		return tag
	}
	var b strings.Builder
	for i, c := range f.Name {
		if unicode.IsUpper(c) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// Digest gives the SHA-256, in hex, of everything in the recipe that can
// change the outcome of a trial, and of nothing else: not its names, labels
// and tags, what it extends (the result counts), where a value was written, or
// how outcomes are counted and compared afterwards.
func (r *Recipe) Digest() string {
	c := *r
	c.Name = ""
	c.SectionsPresent = nil
	c.Comparison = ComparisonConfig{}
	c.Metadata = MetadataConfig{ProjectRoot: r.Metadata.ProjectRoot}
	c.Verify = reasonless(r.Verify)
	c.Tasks = slices.Clone(r.Tasks)
	for i := range c.Tasks {
		t := &c.Tasks[i]
		t.Title, t.Tags, t.Date = "", nil, ""
		t.Verify = reasonless(t.Verify)
	}
	noTools := make([]bool, len(r.Tasks))
	for i, t := range r.Tasks {
		noTools[i] = t.Tools != nil && len(t.Tools) == 0
	}
	content, err := json.Marshal(c)
	var tree any
	if err == nil {
		err = json.Unmarshal(content, &tree)
	}
	if err == nil {
		// What is pruned as empty, but says something: no tools at all.
		content, err = json.Marshal([]any{prune(tree), r.Tools != nil, noTools})
	}
	if err != nil {
		panic("a recipe that can't be written as JSON: " + err.Error()) // a NaN set by code
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// prune drops what is empty from decoded JSON, so that no list and a list of
// nothing are the same. Zeros and empty texts stay.
func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if v[k] = prune(e); v[k] == nil {
				delete(v, k)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func reasonless(blocks []VerifyBlock) []VerifyBlock {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		blocks[i].Reason = ""
	}
	return blocks
}

// Schema gives the JSON Schema (2020-12) of what Recipe.JSON gives, made of
// the types themselves and of the words that their keys allow.
func Schema() map[string]any {
	props := map[string]any{
		"version": map[string]any{"const": MaxVersion},
		"name":    map[string]any{"type": "string"},
	}
	t := reflect.TypeFor[Recipe]()
	for _, f := range orderedFields() {
		field, _ := t.FieldByName(f.field)
		props[f.key] = schemaOf(field.Type)
	}
	out := object(props)
	out["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	out["title"] = "A resolved recipe, as cookoff show --format json prints it"
	out["required"] = []string{"version"}
	return out
}

func object(props map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": props, "additionalProperties": false}
}

func schemaOf(t reflect.Type) map[string]any {
	if t == reflect.TypeFor[time.Duration]() {
		return map[string]any{"type": "string", "pattern": `^([0-9.]+(h|m|s|ms|µs|ns))+$`}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		props := map[string]any{}
		words := allowedWords(t)
		for f := range t.Fields() {
			name := fieldKey(f)
			prop := schemaOf(f.Type)
			if w := words[name]; len(w) > 0 {
				prop["enum"] = slices.Clone(w)
			}
			props[name] = prop
		}
		return object(props)
	}
	return map[string]any{"type": "integer"}
}

// keyTable gives the keys of a type that is read from a map.
func keyTable(t reflect.Type) []dialect.Key {
	switch t {
	case reflect.TypeFor[ModelParamsConfig]():
		return modelParamsKeys(&ModelParamsConfig{})
	case reflect.TypeFor[ConstraintsConfig]():
		return constraintsKeys(&ConstraintsConfig{})
	case reflect.TypeFor[ContextConfig]():
		return contextKeys(&ContextConfig{})
	case reflect.TypeFor[SubAgentConfig]():
		return subAgentKeys(&SubAgentConfig{})
	case reflect.TypeFor[SandboxConfig]():
		return sandboxKeys(&SandboxConfig{})
	case reflect.TypeFor[SystemReminderConfig]():
		return reminderKeys(&SystemReminderConfig{})
	case reflect.TypeFor[HookConfig]():
		return hookKeys(&HookConfig{})
	case reflect.TypeFor[OutputRuleConfig]():
		return outputKeys(&OutputRuleConfig{})
	case reflect.TypeFor[ModelProfileConfig]():
		return profileKeys(&ModelProfileConfig{})
	case reflect.TypeFor[ComparisonConfig]():
		return comparisonKeys(&ComparisonConfig{})
	case reflect.TypeFor[MetadataConfig]():
		return metadataKeys(&MetadataConfig{})
	case reflect.TypeFor[ContestantConfig]():
		return contestantKeys(&ContestantConfig{}, &halves{})
	case reflect.TypeFor[Task]():
		return taskKeys(&Task{})
	}
	return nil
}

// allowedWords gives, for the keys of a type that take one of a few words,
// those words: each key is asked with a word that it does not know.
func allowedWords(t reflect.Type) map[string][]string {
	out := map[string][]string{}
	if t == reflect.TypeFor[Criterion]() {
		out["kind"] = criterionKinds
	}
	for _, k := range keyTable(t) {
		p := dialect.NewReader(source.Line("?"))
		k.Read(p, dialect.Entry{Val: source.Span{Text: "?"}}, source.Slot{At: k.Name})
		if p.Allowed != nil {
			out[k.Name] = p.Allowed
		}
	}
	return out
}
