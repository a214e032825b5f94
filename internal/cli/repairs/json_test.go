package repairs

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"cookoff/internal/cli"
	"cookoff/internal/contract"
	"cookoff/internal/mend"
)

// keys are the JSON keys of a type and of what it holds.
func keys(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return keys(t.Elem())
	case reflect.Struct:
	default:
		return nil
	}
	var all []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" {
			all = append(all, name)
		}
		if f.Anonymous || name != "" && strings.HasPrefix(f.Type.String(), "[]") {
			all = append(all, keys(f.Type)...)
		}
	}
	return all
}

// TestRepairJSONIsDocumented: every key, status and command is in the guide.
func TestRepairJSONIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/repair-commands.md")
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"pass", "fail", "skip", "contracts", "os", "arch", "distro", "has_tool"}
	for _, v := range []any{repairView{}, choice{}, contract.Outcome{}, auditLine{}} {
		words = append(words, keys(reflect.TypeOf(v))...)
	}
	words = append(words, keys(reflect.TypeOf(cli.ProblemsJSON(nil)))...)
	for _, s := range []mend.Status{mend.Fixed, mend.NotFixed, mend.Refused, mend.Declined, mend.Printed, mend.Planned,
		mend.NoFix} {
		words = append(words, string(s))
	}
	if len(words) < 40 {
		t.Fatalf("only %d words: %v", len(words), words)
	}
	for _, w := range words {
		if !strings.Contains(string(doc), "`"+w+"`") {
			t.Errorf("the guide does not say what `%s` is", w)
		}
	}
	for _, c := range newRepairs(&cli.Common{}).Commands() {
		if !strings.Contains(string(doc), "`repair "+c.Name()) {
			t.Errorf("the guide does not name repair %s", c.Name())
		}
	}
}
