// Package taskfile reads the files of task (taskfile.dev): which commands a task has, where they run and with which
// variables. What a template computes is left as it stands.
package taskfile

import (
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"cookoff/internal/pattern"
	"cookoff/shell"
)

// Names are those that task looks for in a directory, in order.
var Names = []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml",
	"taskfile.dist.yml", "Taskfile.dist.yaml", "taskfile.dist.yaml"}

// File is a Taskfile.
type File struct {
	env      map[string]yaml.Node
	includes map[string]yaml.Node
	tasks    map[string]yaml.Node
}

// Parse reads a Taskfile. A part that is none of task's is an error or holds nothing.
func Parse(text string) (*File, error) {
	var f struct{ Env, Includes, Tasks map[string]yaml.Node }
	if err := yaml.Unmarshal([]byte(text), &f); err != nil {
		return nil, err
	}
	return &File{f.Env, f.Includes, f.Tasks}, nil
}

// task is one of its tasks, or an include.
type task struct {
	Dir        string
	Env        map[string]yaml.Node
	Deps, Cmds []yaml.Node
}

// task gives a task by its name: one of an included file as far as the include tells.
func (f *File) task(name string) (t task, own bool) {
	node, own := f.tasks[name]
	if !own {
		space, _, _ := strings.Cut(name, ":")
		node = f.includes[space]
	}
	switch node.Kind {
	case yaml.ScalarNode:
		t.Cmds = []yaml.Node{node}
	case yaml.SequenceNode:
		_ = node.Decode(&t.Cmds) // nodes decode to nodes
	default:
		_ = node.Decode(&t) // what is none of task's is not there
	}
	return t, own
}

// Has reports whether it has a task of that name itself.
func (f *File) Has(name string) bool {
	_, has := f.tasks[name]
	return has
}

// In gives a command of a task in a shell of its own, in the directory of the task and with its variables.
func (f *File) In(name, command string) string {
	t, _ := f.task(name)
	var b strings.Builder
	b.WriteString("(\n")
	if t.Dir != "" && !strings.Contains(t.Dir, "{{") {
		if dir, err := shell.Quote([]string{path.Clean(t.Dir)}); err == nil {
			b.WriteString("cd " + dir + " || exit\n")
		}
	}
	for _, env := range []map[string]yaml.Node{f.env, t.Env} {
		for _, key := range slices.Sorted(maps.Keys(env)) {
			value := env[key]
			if value.Kind != yaml.ScalarNode || !variable.MatchString(key) || strings.Contains(value.Value, "{{") {
				continue
			}
			if text, err := shell.Quote([]string{value.Value}); err == nil {
				b.WriteString("export " + key + "=" + text + "\n")
			}
		}
	}
	return b.String() + strings.TrimRight(command, "\n") + "\n)\n"
}

var variable = pattern.New(`^[A-Za-z_]\w*$`)

// Scripts gives the commands of tasks, and of those that they depend on or call, as In does.
func (f *File) Scripts(names ...string) (scripts []string) {
	seen := map[string]bool{}
	for todo := names; len(todo) > 0; todo = todo[1:] {
		name := todo[0]
		t, own := f.task(name)
		if seen[name] || !own {
			continue
		}
		seen[name] = true
		for _, c := range t.Cmds {
			command, called := step(c)
			if command != "" {
				scripts = append(scripts, f.In(name, command))
			}
			todo = append(slices.Clone(todo), called...)
		}
		for _, d := range t.Deps {
			name, called := step(d) // a text is a name here
			todo = append(append(slices.Clone(todo), name), called...)
		}
	}
	return scripts
}

// step reads what stands in a list of commands: one, or the name of a task.
func step(n yaml.Node) (command string, called []string) {
	if n.Kind == yaml.ScalarNode {
		return n.Value, nil
	}
	var of struct{ Cmd, Task string }
	_ = n.Decode(&of) // a loop or a defer is neither
	if of.Task != "" {
		called = []string{of.Task}
	}
	return of.Cmd, called
}
