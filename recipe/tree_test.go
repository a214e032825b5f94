package recipe

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func indented(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheSchemaIsThatOfTheTypes(t *testing.T) {
	golden(t, "../docs/recipe.schema.json", indented(t, Schema()))
}

// fits tells where v, decoded JSON, does not fit a schema as Schema makes
// them, "" where it does.
func fits(v any, schema map[string]any, at string) string {
	is := map[string]bool{"string": false, "boolean": false, "number": false, "integer": false, "array": false,
		"object": false}
	switch v := v.(type) {
	case string:
		is["string"] = true
	case bool:
		is["boolean"] = true
	case float64:
		is["number"], is["integer"] = true, v == float64(int64(v))
	case []any:
		is["array"] = true
		for i, e := range v {
			if d := fits(e, schema["items"].(map[string]any), fmt.Sprintf("%s[%d]", at, i)); d != "" {
				return d
			}
		}
	case map[string]any:
		is["object"] = true
		for k, e := range v {
			sub, ok := schema["additionalProperties"].(map[string]any)
			if props, some := schema["properties"].(map[string]any); some {
				sub, ok = props[k].(map[string]any)
			}
			if !ok {
				return at + "." + k + " is unknown"
			}
			if d := fits(e, sub, at+"."+k); d != "" {
				return d
			}
		}
	}
	if want, some := schema["type"].(string); some && !is[want] {
		return fmt.Sprintf("%s is %v, want %s", at, v, want)
	}
	if words, some := schema["enum"].([]any); some && !slices.Contains(words, v) {
		return fmt.Sprintf("%s is %v, want one of %v", at, v, words)
	}
	return ""
}

// decoded gives v as it comes back from its JSON.
func decoded(t *testing.T, v any) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(indented(t, v)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryRecipeFitsTheSchema(t *testing.T) {
	schema := decoded(t, Schema())
	content, err := os.ReadFile("../testdata/recipes/good/everything.recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseContent(content)
	if err != nil {
		t.Fatal(err)
	}
	recipes := []*Recipe{r, Default()}
	for seed := range uint64(100) {
		recipes = append(recipes, gen{rand.New(rand.NewPCG(seed, 3))}.recipe())
	}
	for i, r := range recipes {
		if d := fits(decoded(t, r.JSON()), schema, "recipe"); d != "" {
			t.Errorf("recipe %d: %s", i, d)
		}
	}
	bad := decoded(t, r.JSON())
	bad["sandbox"].(map[string]any)["network"] = "open"
	if d := fits(bad, schema, "recipe"); !strings.Contains(d, "recipe.sandbox.network is open") {
		t.Errorf("a word that is not allowed: %q", d)
	}
}

// TestEveryKeyIsAProperty keeps keys of the file and of the JSON the same.
func TestEveryKeyIsAProperty(t *testing.T) {
	seen := 0
	for f := range reflect.TypeFor[Recipe]().Fields() {
		typ := f.Type
		if typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		for _, k := range keyTable(typ) {
			seen++
			if !slices.ContainsFunc(slices.Collect(typ.Fields()),
				func(f reflect.StructField) bool { return fieldKey(f) == k.Name }) {
				t.Errorf("%s: key %q is no field", typ, k.Name)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d keys were looked at", seen)
	}
}

func TestEveryValueHasItsPlace(t *testing.T) {
	f := world(t, files(
		"recipe.md",
		"# Top\n\nversion: 1\n\n## Models\n\n- a/b\n\n## Metadata\n\n- extends: sub/base.md\n\n## Constraints\n\n"+
			"- max_steps: 0\n",
		"sub/base.md",
		"version: 1\n\n## Tasks\n\n### One\n\nDo it.\n\n```sh after\ntrue\n```\ntools: none\n\n"+
			"## Model Parameters\n\n- temperature: 0\n\n## Sandbox\n\n- memory: 1MiB\n",
	))
	r, err := f.Discover("")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range r.Values() {
		got[v.Key] = v.Text + " " + v.Pos.String()
	}
	for key, want := range map[string]string{
		"name":                         "Top recipe.md:1:3",
		"models[0]":                    "a/b recipe.md:7:3",
		"constraints.max_steps":        "0 recipe.md:15:14",
		"tasks[0].after[0].script":     "true sub/base.md:10:1",
		"tasks[0].tools":               "none sub/base.md:12:8",
		"model_parameters.temperature": "0 sub/base.md:16:16",
		"sandbox.memory":               "1MiB sub/base.md:20:11",
	} {
		same(t, key, got[key], want)
	}
	for _, key := range []string{"constraints.timeout", "tools.allowlist[0]"} {
		if v, ok := got[key]; ok {
			t.Errorf("%s, which nobody set, is %q", key, v)
		}
	}
	if v := got["system_prompt"]; !strings.Contains(v, " "+FromDefaults+":") {
		t.Errorf("an inherited prompt comes from %q", v)
	}
}
