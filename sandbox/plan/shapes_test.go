package plan

import (
	"reflect"
	"strings"
	"testing"

	"cookoff/sandbox/wire"
)

// TestWire wants two programs to be told apart by what they say: by a type that
// only one has, and by a field.
func TestWire(t *testing.T) {
	type other struct {
		Exit int `json:"code"`
	}
	of := func(m any) string {
		var b strings.Builder
		shape(&b, reflect.TypeOf(m), map[reflect.Type]bool{})
		return b.String()
	}
	type inner struct {
		Exit int `json:"exit"`
	}
	if a, b := of(other{}), of(inner{}); strings.ReplaceAll(a, "other", "inner") == b {
		t.Errorf("a name of a field makes no difference: %s", a)
	}
	if all := of(wire.Reply{}); !strings.Contains(all, "Reason") {
		t.Errorf("a type behind a pointer is not looked at: %s", all)
	}
	if once, again := Shapes(), Shapes(); once != again {
		t.Errorf("it is %s, and then %s", once, again)
	}
}
