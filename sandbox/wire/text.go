package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// raw begins a string that travels as the base64 of its bytes: file names may be
// any bytes, and JSON can't carry all of them.
const raw = "\x00"

// Encode gives v as JSON. Its strings keep every byte.
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil || !bytes.Contains(b, []byte(`\ufffd`)) && !bytes.Contains(b, []byte(`"\u0000`)) {
		return b, err
	}
	return json.Marshal(mapped(reflect.ValueOf(v), wrap).Interface())
}

// Decode is the inverse of Encode.
func Decode(b []byte, v any) error {
	if err := json.Unmarshal(b, v); err != nil || !bytes.Contains(b, []byte(`"\u0000`)) {
		return err
	}
	var failed error
	to := reflect.ValueOf(v).Elem()
	to.Set(mapped(to, func(s string) string {
		s, err := unwrap(s)
		if err != nil {
			failed = err
		}
		return s
	}))
	return failed
}

func wrap(s string) string {
	if utf8.ValidString(s) && !strings.HasPrefix(s, raw) {
		return s
	}
	return raw + base64.StdEncoding.EncodeToString([]byte(s))
}

func unwrap(s string) (string, error) {
	text, ok := strings.CutPrefix(s, raw)
	if !ok {
		return s, nil
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("a string that is no base64: %w", err)
	}
	return string(b), nil
}

// mapped gives a copy of v with each of its strings changed. What v has no
// exported field for is shared.
func mapped(v reflect.Value, change func(string) string) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		to := reflect.New(v.Type()).Elem()
		if inner := mapped(v.Elem(), change); v.Kind() == reflect.Interface {
			to.Set(inner)
		} else {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(inner)
		}
		return to
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
			return v
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			to.Index(i).Set(mapped(v.Index(i), change))
		}
		return to
	case reflect.Struct:
		to := reflect.New(v.Type()).Elem()
		to.Set(v)
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				to.Field(i).Set(mapped(v.Field(i), change))
			}
		}
		return to
	case reflect.String:
		return reflect.ValueOf(change(v.String())).Convert(v.Type())
	}
	return v
}
