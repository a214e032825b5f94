package recipe

import (
	"reflect"
	"slices"
	"time"

	"cookoff/recipe/dialect"
	"cookoff/recipe/source"
)

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
