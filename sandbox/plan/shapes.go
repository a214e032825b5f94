package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"

	"cookoff/sandbox/wire"
)

// Shapes is short for the shape of everything that the two sides of a sandbox say
// to each other.
func Shapes() string {
	h := sha256.New()
	seen := map[reflect.Type]bool{}
	for _, m := range append(wire.Messages(), Plan{}) {
		shape(h, reflect.TypeOf(m), seen)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func shape(w io.Writer, t reflect.Type, seen map[reflect.Type]bool) {
	fmt.Fprintln(w, t, t.Kind())
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			fmt.Fprintln(w, f.Name, f.Tag)
			shape(w, f.Type, seen)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		shape(w, t.Elem(), seen)
	}
}
