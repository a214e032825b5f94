package export

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/recipe"
)

// written is all that becomes of a task: what is refused, what is told, and the files.
func written(t *testing.T, r *recipe.Recipe, task recipe.Task) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(strings.Join(slices.Concat(Refused(r, task), Lost(r, task)), "\n"))
	out := filepath.Join(t.TempDir(), "task")
	if err := Task(out, Given{Recipe: r, Image: "x", Name: "a/b"}, task); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(out, path)
		b.WriteString("\n" + rel + "\n" + string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// filled gives a value that is set.
func filled(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.String:
		v.SetString("patch")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(3 * time.Minute)) // as bytes: some
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(of.Elem())))
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(filled(of.Elem()))
	case reflect.Struct:
		for i := range of.NumField() {
			if of.Field(i).IsExported() {
				v.Field(i).Set(filled(of.Field(i).Type))
			}
		}
	}
	return v
}

// TestNothingIsDropped: whatever a task may say is written, refused or told, but for what
// has no meaning there.
func TestNothingIsDropped(t *testing.T) {
	const planted = "of what plant: makes, which is refused"
	meaningless := map[string]string{"MayChange": "what may be changed is for its tests to say", "MayAdd": "the same",
		"Others": "one solution is enough", "Date": "a label", "Variants": planted, "Seed": planted, "Faults": planted,
		"Below": planted, "Harbor": "its tasks stand in its place before anything is written",
		"Project": "its files are given", "JudgeFiles": "they are given", "Hidden": "they are given",
		"User": "there, all is done by root",
		"Warm": "how fast it is here", "Vary": "it is drawn before anything is written",
		"VerifyEnv": "there, tests run as the agent did", "Probe": "of tasks made here"}
	base := recipe.Task{Title: "a", Prompt: "p", After: []recipe.Check{{Script: "true"}}}
	r := &recipe.Recipe{Sandbox: recipe.SandboxConfig{Network: "full"}}
	was := written(t, r, base)
	for f := range reflect.TypeFor[recipe.Task]().Fields() {
		task := base
		if v := reflect.ValueOf(&task).Elem().FieldByIndex(f.Index); v.CanSet() {
			v.Set(filled(f.Type))
		}
		if f.Name == "Network" {
			task.Network = "none"
		}
		dropped := written(t, r, task) == was
		if _, known := meaningless[f.Name]; dropped != known {
			t.Errorf("%s of a task is dropped: %v; known to be: %v", f.Name, dropped, known)
		}
	}
}
