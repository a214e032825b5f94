package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/model/scripted"
	"cookoff/recipe"
	"cookoff/runner/clock"
	"cookoff/runner/record"
	v1 "cookoff/runner/v1"
	"cookoff/runner/worlds"
	"cookoff/sandbox"
	"cookoff/sandbox/native"
	"cookoff/trial"
)

// built gives the runner of a recipe with one task, whose model nobody asks.
func built(t *testing.T, sections string, env Env) (*Runner, error) {
	t.Helper()
	env.Chat = func(string) (model.Chat, error) { return scripted.New(), nil }
	rec, err := recipe.ParseContent([]byte("# Mend\nversion: 1\n\n## Models\n- test/model\n\n" + sections +
		"## Tasks\n### Write the file\nMake a file called done.\n\n```sh after\ntest -e done\n```\n"))
	if err != nil {
		t.Fatal(err)
	}
	rr, err := rec.BuildRunner()
	if err != nil {
		t.Fatal(err)
	}
	return New(rr, env)
}

// TestWholeHost: a recipe sees the whole host with the user's word only, and
// never its own answers; models are told, and so is who reads the report.
func TestWholeHost(t *testing.T) {
	build := func(sections string, edit func(*Env)) (*Runner, error) {
		t.Helper()
		env := Env{Machine: worlds.Machine{Backend: native.New(native.Options{})}, Project: worlds.Project{Dir: t.TempDir()}}
		if edit != nil {
			edit(&env)
		}
		return built(t, sections, env)
	}
	const whole = "## Sandbox\nfilesystem: unrestricted\n"
	allowed := func(e *Env) { e.Allow = []string{"unrestricted"} }
	for _, c := range []struct {
		sections, want string
		edit           func(*Env)
	}{
		{whole, "filesystem: unrestricted needs your permission", nil},
		{whole, "filesystem: unrestricted needs your permission",
			func(e *Env) { e.Allow = []string{"network", "hosts"} }}, {whole, "<nil>", allowed},
		{whole + "backend: native\n", "<nil>", allowed},
		{whole + "backend: container\nimage: x\n", "needs the native backend, and the recipe asks for container",
			allowed},
		{whole + "isolation: strong\n", "needs the native backend, and the recipe asks for gvisor", allowed},
		{whole + "image: x\n", "an image brings its own", allowed},
		{whole, "here that is everything", func(e *Env) { e.Allow, e.Dir = []string{"unrestricted"}, "/" }},
	} {
		if _, err := build(c.sections, c.edit); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s gave %v, want %s", c.sections, err, c.want)
		}
	}
	r, err := build(whole, func(e *Env) {
		allowed(e)
		e.Hidden, e.Concealed = []string{"/repairs"}, []string{"/own"}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []sandbox.Profile{sandbox.Agent, sandbox.Verify} {
		spec := r.Spec(r.TaskOf["Write the file"], p)
		for _, want := range []string{r.env.Dir, "/repairs", "/own"} {
			if spec.Filesystem != sandbox.Unrestricted || !slices.Contains(spec.Concealed, want) {
				t.Errorf("%s: %s, %q does not conceal %s", p, spec.Filesystem, spec.Concealed, want)
			}
		}
	}
	if text := v1.System(r.Recipe, nil); !strings.Contains(text, "$HOST_HOME") || !strings.Contains(text,
		"There is no network.") {
		t.Errorf("models are told %s", text)
	}
	if run := r.describeRun("run", nil); len(run.Warnings) != 1 || !strings.Contains(run.Warnings[0], "unrestricted") {
		t.Errorf("the report is to say %q", run.Warnings)
	}
}

// partial is a world that lacks some of the host.
type partial struct {
	sandbox.Sandbox
	left, changed []string
	more          int
}

func (p partial) NotShown() []string                { return p.left }
func (p partial) ChangedElsewhere() ([]string, int) { return p.changed, p.more }

// sunk are the notes that were emitted.
type sunk []string

func (s *sunk) Emit(e trial.Event) error {
	*s = append(*s, e.Note.Kind+": "+e.Note.Text)
	return nil
}

// TestWholeHostNotes: the journal says what of the host was not in view, and what
// was changed where nothing is kept.
func TestWholeHostNotes(t *testing.T) {
	var got sunk
	rec := &record.Recorder{Sink: &got, Clock: clock.Real{}}
	for _, sb := range []sandbox.Sandbox{nil, partial{},
		partial{left: []string{"/net: far"}, changed: []string{"/etc/x", "/srv/\xff"}, more: 3}} {
		rec.NotShown(sb)
		rec.Elsewhere(sb)
	}
	want := sunk{"host: not shown:\n/net: far",
		"host: changed outside of /work and the home, where nothing is kept:\n/etc/x\n/srv/\uFFFD\nand 3 more"}
	if !slices.Equal(got, want) {
		t.Errorf("noted %q", got)
	}
}
