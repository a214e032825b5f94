package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sashabaranov/go-openai/jsonschema"
)

// maxArgs bounds the arguments of one call, in bytes.
const maxArgs = 10 << 20

// Decode reads the arguments of a call into the struct or map that v points
// to, as strictly as def is written: JSON types are kept, an unknown, doubled
// or missing field is an error. No arguments at all are an empty object, and
// null is no value for an optional field. Every error is a *CallError of kind
// BadArguments, in words for the model.
func Decode(def *jsonschema.Definition, raw json.RawMessage, v any) error {
	if len(raw) > maxArgs {
		return badArgs("arguments: %d bytes are more than the %d that one call may carry", len(raw), maxArgs)
	}
	if !utf8.Valid(raw) {
		return badArgs("arguments are not JSON: invalid UTF-8 at byte %d", invalidAt(raw))
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	if err := syntaxError(raw); err != nil {
		return err
	}
	if at := loneSurrogate(raw); at >= 0 {
		return badArgs("arguments: half a surrogate pair at byte %d is no character", at)
	}
	c := argChecker{defs: def.Defs}
	if err := c.check("", def, raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			return badArgs("%s: %s does not fit the parameter", te.Field, te.Value)
		}
		return badArgs("arguments: %s", Clean([]byte(err.Error())))
	}
	return nil
}

func badArgs(format string, a ...any) *CallError {
	return &CallError{Kind: BadArguments, Reason: Clean(fmt.Appendf(nil, format, a...))}
}

// syntaxError says where raw stops being JSON.
func syntaxError(raw []byte) error {
	var skip json.RawMessage
	err := json.Unmarshal(raw, &skip)
	if err == nil {
		return nil
	}
	at := int64(len(raw))
	var se *json.SyntaxError
	if errors.As(err, &se) {
		at = se.Offset
	}
	return badArgs("arguments are not JSON: %s at byte %d of %d", Clean([]byte(err.Error())), at, len(raw))
}

func invalidAt(b []byte) int {
	at := 0
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at, b = at+n, b[n:]
	}
	return -1
}

// loneSurrogate finds a \ud800-like escape without its other half, which
// package json would replace in silence. raw is valid JSON.
func loneSurrogate(raw []byte) int {
	unit := func(i int) (rune, bool) {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0, false
		}
		var r rune
		fmt.Sscanf(string(raw[i+2:i+6]), "%x", &r)
		return r, true
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, escaped := unit(i)
		switch {
		case !escaped:
			i++
		case r >= 0xd800 && r < 0xdc00:
			if low, ok := unit(i + 6); !ok || low < 0xdc00 || low > 0xdfff {
				return i
			}
			i += 11
		case r >= 0xdc00 && r < 0xe000:
			return i
		default:
			i += 5
		}
	}
	return -1
}

// argChecker holds valid JSON against a schema.
type argChecker struct {
	defs map[string]jsonschema.Definition
}

// check holds one value against its schema: its kind, then what is in it. at is its path
// among the arguments.
func (c argChecker) check(at string, def *jsonschema.Definition, raw json.RawMessage) error {
	if name, ok := strings.CutPrefix(def.Ref, "#/$defs/"); ok {
		d := c.defs[name]
		def = &d
	}
	raw = bytes.TrimSpace(raw)
	found := jsonKind(raw)
	switch {
	case def.Type == jsonschema.Integer && found == "a number":
		if bytes.ContainsAny(raw, ".eE") {
			return badArgs("%s: expected an integer, found %s", where(at), Clip(string(raw), 40))
		}
	case found != kindNames[def.Type]:
		return badArgs("%s: expected %s, found %s", where(at), kindNames[def.Type], found)
	}
	switch def.Type {
	case jsonschema.Object:
		return c.object(at, def, raw)
	case jsonschema.Array:
		return c.array(at, def, raw)
	case jsonschema.String:
		return checkEnum(at, def, raw)
	}
	return nil
}

// object checks an object among the arguments of a call: each key once, none that the
// schema does not have, none missing. at is the path of the object, "" at the top.
func (c argChecker) object(at string, def *jsonschema.Definition, raw json.RawMessage) error {
	seen := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.Token() // the brace: raw is a valid object
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return badArgs("%s: %v", where(at), err)
		}
		name := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return badArgs("%s: %v", where(at), err)
		}
		field, known := def.Properties[name]
		if !known {
			return badArgs("%s: unknown field %q; allowed: %s", where(at), Clip(Clean([]byte(name)), 60),
				fieldNames(def))
		}
		if seen[name] {
			return badArgs("%s: given twice", join(at, name))
		}
		if string(value) == "null" && !slices.Contains(def.Required, name) {
			continue
		}
		seen[name] = true
		if err := c.check(join(at, name), &field, value); err != nil {
			return err
		}
	}
	for _, name := range def.Required {
		if !seen[name] {
			return badArgs("%s: missing; required: %s", join(at, name), strings.Join(def.Required, ", "))
		}
	}
	return nil
}

// array checks each element of an array against the schema of elements.
func (c argChecker) array(at string, def *jsonschema.Definition, raw json.RawMessage) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.Token() // the bracket: raw is a valid array
	for i := 0; dec.More(); i++ {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return badArgs("%s: %v", where(at), err)
		}
		if err := c.check(fmt.Sprintf("%s[%d]", at, i), def.Items, value); err != nil {
			return err
		}
	}
	return nil
}

func checkEnum(at string, def *jsonschema.Definition, raw json.RawMessage) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return badArgs("%s: %v", where(at), err)
	}
	if len(def.Enum) > 0 && !slices.Contains(def.Enum, s) {
		return badArgs("%s: %q is not one of %s", where(at), Clip(Clean([]byte(s)), 60), strings.Join(def.Enum, ", "))
	}
	return nil
}

var kindNames = map[jsonschema.DataType]string{
	jsonschema.Object: "an object", jsonschema.Array: "a list", jsonschema.String: "a string",
	jsonschema.Number: "a number", jsonschema.Integer: "an integer", jsonschema.Boolean: "true or false",
}

func jsonKind(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

func fieldNames(def *jsonschema.Definition) string {
	if len(def.Properties) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(def.Properties)), ", ")
}

func where(at string) string {
	if at == "" {
		return "arguments"
	}
	return at
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
