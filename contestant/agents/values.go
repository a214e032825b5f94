package agents

import (
	"encoding/json"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// Values are what an agent is given in one trial.
type Values struct {
	Model  string // as the provider calls it
	Token  string
	Prompt string
}

// known are the placeholders: where the gateway is, what the model is called there,
// the token for it, the agent's package and its scratch directory, the project, and
// the task.
var known = []string{"{gateway}", "{model}", "{token}", "{package}", "{dir}", "{work}", "{prompt}"}

var placeholder = pattern.New(`\{[a-z_]+\}`)

// placeholders gives what in a text stands for something.
func placeholders(text string) []string { return placeholder.FindAllString(text, -1) }

// fill puts the values into a text, each as quote writes it. What a value holds is
// not looked into: a task may speak of {model}.
func (a Agent) fill(text string, v Values, quote func(string) string) string {
	all := map[string]string{
		"{gateway}": BaseURL, "{model}": v.Model, "{token}": v.Token, "{prompt}": v.Prompt,
		"{package}": inside + "/" + a.Name, "{dir}": ScratchDir, "{work}": sandbox.WorkDir,
	}
	return placeholder.ReplaceAllStringFunc(text, func(word string) string {
		if value, ok := all[word]; ok {
			return quote(value)
		}
		return word
	})
}

func plain(s string) string { return s }

// inJSON writes a value as it stands between the quotes of JSON, which are TOML's too.
func inJSON(s string) string {
	b, _ := json.Marshal(s) // of a string: never fails
	return string(b[1 : len(b)-1])
}

// Run is how an installed agent is started in a world, for one trial.
type Run struct {
	Argv  []string
	Env   []string
	Stdin string            // of exec
	Files map[string]string // to be written first; paths as sandbox.FS takes them
	State []string          // to be removed at the end, of the project what is new; paths as in a sandbox.Manifest
}

// Run fills in the values of a trial.
func (i Installed) Run(v Values) Run {
	a := i.Agent
	r := Run{Files: map[string]string{}, Stdin: a.fill(a.Stdin, v, plain)}
	for _, p := range a.State {
		r.State = append(r.State, strings.TrimPrefix(p, "{work}/"))
	}
	r.Argv = append(r.Argv, i.argv...)
	for _, s := range a.Args {
		r.Argv = append(r.Argv, a.fill(s, v, plain))
	}
	for k, s := range a.Env {
		r.Env = append(r.Env, k+"="+a.fill(s, v, plain))
	}
	for path, s := range a.Files {
		quote := plain
		if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".toml") {
			quote = inJSON
		}
		r.Files[a.fill(path, v, plain)] = a.fill(s, v, quote)
	}
	return r
}
