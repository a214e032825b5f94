package trial

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// fill sets every text within v, and everything that could hold one.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.ValueOf(json.RawMessage(`"` + text + `"`)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(k, text)
		fill(e, text)
		v.SetMapIndex(k, e)
	case reflect.Struct:
		for f, field := range v.Fields() {
			if f.IsExported() && f.Type.String() != "time.Time" {
				fill(field, text)
			}
		}
	}
}

// told gives the paths of what holds text in decoded JSON.
func told(path string, v any, text string) []string {
	var out []string
	switch v := v.(type) {
	case string:
		if strings.Contains(v, text) {
			out = append(out, path)
		}
	case []any:
		for _, e := range v {
			out = append(out, told(path, e, text)...)
		}
	case map[string]any:
		for k, e := range v {
			out = append(out, told(path+"."+k, e, text)...)
			if strings.Contains(k, text) {
				out = append(out, path)
			}
		}
	}
	return out
}

// TestMetricsTellNothingElse: of an event in which every text is a secret,
// only names, ids and words of ours are left.
func TestMetricsTellNothingElse(t *testing.T) {
	left := map[string]bool{}
	for f := range reflect.TypeFor[Event]().Fields() {
		if f.Type.Kind() != reflect.Pointer && f.Type.Kind() != reflect.Slice {
			continue
		}
		var e Event
		fill(reflect.ValueOf(&e).Elem().FieldByIndex(f.Index), "secret")
		content, err := json.Marshal(Metrics(e))
		if err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(content, &tree); err != nil {
			t.Fatal(err)
		}
		for _, path := range told("", tree, "secret") {
			left[path] = true
		}
	}
	if e := Metrics(Event{Kind: TrialStarted, Host: "secret"}); e.Host != "" {
		t.Error("the name of a machine is passed on")
	}
	allowed := []string{
		".run.schema", ".run.id", ".run.version", ".run.recipe", ".run.digest", ".run.models", ".run.contestants.name",
		".run.contestants.model", ".run.contestants.agent", ".run.tasks", ".run.baseline", ".run.prices", ".run.mcp",
		".run.mcp.secret", ".run.sub_agent",
		".run.trials.id", ".run.trials.model", ".run.trials.task", ".run.shard.tasks",
		".run.excluded.task", ".run.excluded.phase",
		".start.id", ".start.model", ".start.task", ".replied.reply.message.role", ".replied.reply.message.call_id",
		".replied.reply.message.name", ".replied.reply.finish", ".replied.reply.served",
		".tool.call_id", ".tool.name", ".returned.call_id", ".returned.name", ".hook.name", ".hook.point",
		".hook.decision", ".note.kind", ".note.failure.kind", ".note.failure.model", ".note.failure.what",
		".request.dialect", ".request.to", ".request.served", ".request.outcome",
		".outcome.status", ".outcome.caveats", ".outcome.cause", ".outcome.stop", ".outcome.verdicts.check",
		".outcome.verdicts.status", ".outcome.verdicts.strength",
		".verdicts.check", ".verdicts.status", ".verdicts.strength",
	}
	for path := range left {
		if !slices.Contains(allowed, path) {
			t.Errorf("%s is passed on", path)
		}
	}
	for _, path := range allowed {
		if !left[path] {
			t.Errorf("%s is not passed on, or is no field any more", path)
		}
	}
}
