package mine

import (
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cookoff/internal/history"
	"cookoff/internal/mine/candidate"
	"cookoff/internal/mine/declared"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/patches"
	"cookoff/internal/mine/prompt"
	"cookoff/internal/mine/refusal"
	"cookoff/internal/mine/sides"
	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/shell"
)

// Task is an admitted task.
type Task struct {
	Recipe      recipe.Task `json:"recipe"`
	Files       string      `json:"files"` // directory of its judge's files, in Options.Files
	Sum         string      `json:"sum"`   // their digest
	Tests       []string    `json:"tests"` // that only the fix makes pass
	Kept        int         `json:"kept"`  // tests that pass before and after
	Flaky       []string    `json:"flaky,omitempty"`
	Always      []string    `json:"failing,omitempty"`  // tests that fail here with the fix, too: they don't judge
	Half        []string    `json:"half,omitempty"`     // parts of the fix that no test asks for
	Weak        []string    `json:"weak,omitempty"`     // faults planted in the fix that no test misses
	Vague       []string    `json:"vague,omitempty"`    // what the tests ask for and nothing says
	Untold      []string    `json:"untold,omitempty"`   // tests of which nothing says what they ask for
	FromMessage string      `json:"said,omitempty"`     // what the prompt has of the commit's message
	New         []string    `json:"new,omitempty"`      // identifiers that only the fix has
	Declared    []string    `json:"declared,omitempty"` // what the tests name and the prompt says how to declare
	Lines       int         `json:"lines"`              // of the fix, added and removed
	Paths       []string    `json:"paths"`              // that the fix changes
	Secret      []string    `json:"secret,omitempty"`   // the longest lines of the fix
	Searched    bool        `json:"searched,omitempty"` // its world does not hold them
	Unread      []string    `json:"unread,omitempty"`   // what of its world was not looked through in time
	Prepared    string      `json:"prepared,omitempty"` // what its world has beside the project, see world

	judge    []sandbox.Item
	judgeDir string // the directory that has them until the task is recorded; "": they are where they belong
}

// tagDeclared marks a task whose prompt says what the tests use and is to be declared.
const tagDeclared = "interface"

// writer makes a task of what was tried.
type writer struct{ *attempt }

// write puts the task together.
func (w *writer) write(ctx context.Context) (*Task, error) {
	patch, err := w.repo.Patch(ctx, w.c.Parent, w.c.Now(), 3, paths(w.c.Fix))
	if err != nil {
		return nil, err
	}
	from := ""
	if w.ranged() {
		from = w.c.Parent
	}
	t := &Task{
		Files: judgesDir(w.c.ID, from), Tests: w.broken, Kept: w.kept, Flaky: w.flaky,
		Always: w.always, Paths: paths(w.c.Fix),
	}
	pairs, err := sides.Read(w.world.contents, w.c.Fix)
	if err != nil {
		return nil, err
	}
	pairs, _ = sides.Joined(pairs)
	t.Secret, t.Prepared = sides.SecretLines(pairs), w.world.prepared
	if t.Secret, err = w.tracked(ctx, t.Secret); err != nil {
		return nil, err
	}
	t.Lines = linesOf(pairs)
	r := &t.Recipe
	fresh := sides.NewWords(pairs)
	for _, d := range w.declared {
		delete(fresh, d.Name) // it is told
		t.Declared = append(t.Declared, d.Name)
	}
	tests, err := sides.Read(w.world.contents, w.c.Tests)
	if err != nil {
		return nil, err
	}
	for name := range sides.UsedBy(tests, fresh) {
		delete(fresh, name) // tests ask for it: a message that names it says what they want
	}
	code := sides.CodeOf(pairs)
	t.FromMessage, t.New = prompt.Symptom(w.c.FullMessage, fresh, code), slices.Sorted(maps.Keys(fresh))
	w.output = w.excerpt(w.broken, code)
	r.Prompt = prompt.Text(t.FromMessage, w.output, w.command, declared.Text(w.declared), w.fails(), w.c.Registers()...)
	r.Title = prompt.Title(w.c.ID, w.c.FullMessage)
	limit := max(2*time.Minute, (slowness * w.took).Round(time.Minute))
	r.After = []recipe.Check{{Script: w.command}}
	switch {
	case w.hung:
		r.After[0].Timeout = w.patience(w.took)
	case limit > 2*time.Minute:
		r.After[0].Timeout = limit
	}
	if w.whole != "" {
		r.After = append(r.After, recipe.Check{Script: w.whole})
		if w.hung {
			r.After[1].Timeout = w.patience(w.wholeBy)
		}
	}
	r.Solution = patches.Script(patch)
	r.Base, r.Project, r.JudgeFiles = w.c.Base(), "", path.Join(w.Beside, t.Files)
	r.MayChange, r.Path = mayChange(w.c), w.Path
	r.Date = w.c.Time.UTC().Format(time.DateOnly)
	if err := w.unsaid(ctx, t, code, patches.OnlyDeclares(patch)); err != nil {
		return nil, err
	}
	r.Tags = tags(w.c, t)
	if len(w.absent) > 0 && t.FromMessage == "" && !declared.Documented(w.declared) {
		return nil, refusal.New(refusal.NewNames, w.failing.NewNames()+"; nothing says what it does")
	}
	if t.Unclear() && !w.Options.Vague {
		return nil, refusal.New(refusal.Hidden, t.Unsaid())
	}
	if err := w.lay(t); err != nil {
		return nil, err
	}
	switch {
	case len(w.c.Needs) > 0:
		r.Setup, err = w.backwards(ctx)
	case w.c.Apart != nil:
		r.Setup, err = w.outOfCode(ctx)
	default:
		r.Setup, err = w.setup(ctx)
	}
	if r.Setup != "" {
		r.Setup = Proven + r.Setup
	}
	return t, err
}

// judgesDir names the directory of the judge of a commit, or of the range from another to
// it; "": it is none.
func judgesDir(id, from string) string {
	if from != "" {
		return id[:12] + "-" + from[:6]
	}
	return id[:12]
}

// Proven begins the setup of a task whose tests were seen to fail after it.
const Proven = "# lint: allow no-before: the tests that judge fail after it, which was proven\n"

// longestName is how many bytes a file's name may have.
const longestName = 255

// lay gathers the files of the judge: tests as the commit has them, by names that the project's
// own runner of tests does not know.
func (w *writer) lay(t *Task) error {
	for _, ch := range w.c.Tests {
		if ch.Now.ID == "" {
			continue
		}
		it, err := w.world.item(ch.Now)
		if err != nil {
			return err
		}
		if it.Path += recipe.JudgeSuffix; len(path.Base(it.Path)) > longestName {
			return refusal.New(refusal.OddPath, fmt.Sprintf("%.40q…: a test with a name so long", path.Base(it.Path)))
		}
		t.judge = append(t.judge, it)
	}
	return nil
}

// setup takes the tests out that the commit removes, and shows the others where
// that is asked for.
func (w *writer) setup(ctx context.Context) (string, error) {
	if w.Show {
		patch, err := w.repo.Patch(ctx, w.c.Parent, w.c.Now(), 3, paths(w.c.Tests))
		return patches.Script(patch), err
	}
	var gone []string
	for _, ch := range w.c.Tests {
		if ch.Now.ID == "" {
			gone = append(gone, ch.Path)
		}
	}
	if len(gone) == 0 {
		return "", nil
	}
	list, err := shell.Quote(append([]string{"rm", "-f", "--"}, gone...))
	if err != nil {
		return "", refusal.New(refusal.TooLarge, "a name that no shell takes")
	}
	return list, nil
}

// mayChange are the files that a repair may change though the solution does not: tests,
// which judges have as they should be, and documents.
func mayChange(c *candidate.Candidate) (out []string) {
	for _, ch := range slices.Concat(c.Tests, c.Beside) {
		if ch.Was.ID != "" {
			out = append(out, literalGlob(ch.Path))
		}
	}
	slices.Sort(out)
	return out
}

// literalGlob is a glob that means this path alone.
func literalGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(p)
}

// tags say how large a task is, where it lies and what is to be known of it.
func tags(c *candidate.Candidate, t *Task) []string {
	out := []string{"mined", sizeOf(t.Lines)}
	add := func(tag string) {
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	for _, ch := range c.Fix {
		if l := kind.Language(ch.Path); l != "" {
			add(l)
		}
		dir, _, below := strings.Cut(ch.Path, "/")
		if below && tagName(dir) {
			add("in-" + dir)
		}
	}
	if strings.HasPrefix(strings.ToLower(c.FullMessage), "revert") {
		add("revert")
	}
	switch {
	case c.Commits == 2:
		add("two-commits")
	case c.Commits > 2:
		add("several-commits")
	}
	if len(c.Needs) > 0 {
		add("needs")
	}
	if len(t.Half) > 0 {
		add("half")
	}
	if len(t.Weak) > 0 {
		add("weak")
	}
	if len(t.Declared) > 0 {
		add(tagDeclared)
	}
	if t.Unclear() {
		add(underspecified)
	}
	return out
}

func tagName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	})
}

// alone puts the files of a task's judge beside where they belong, and beside them a recipe
// of the task alone, whose path it gives.
func (m *miner) alone(t *Task) (_ string, err error) {
	if t.judgeDir, err = m.ground.Lay(t.Files, t.judge); err != nil {
		return "", err
	}
	if t.Sum = m.ground.Sum(t.judgeDir); t.Sum == "" {
		return "", fmt.Errorf("%s can't be read back", filepath.Join(m.Files, t.judgeDir))
	}
	alone := t.Recipe
	alone.JudgeFiles = t.judgeDir
	return m.ground.Temporary(t.Files+".*.proof.md", m.Document([]recipe.Task{alone}, nil).MarshalMarkdown())
}

// Document is a recipe of tasks.
func (o Options) Document(tasks []recipe.Task, models []string) *recipe.Recipe {
	r := &recipe.Recipe{Version: recipe.MaxVersion, Name: "Tasks from the history of " + filepath.Base(o.Dir),
		Models: models, Tasks: tasks,
		Constraints: recipe.ConstraintsConfig{MaxSteps: 60, Timeout: 20 * time.Minute},
		SubAgent:    recipe.SubAgentConfig{MaxDepth: -1}}
	if len(models) == 0 {
		r.Models = []string{"baseline/noop", "baseline/oracle"}
	}
	r.Sandbox.Prepare = o.Prepare
	r.Sandbox.Env = o.Env
	return r
}

// paths gives those of changes.
func paths(list []history.Change) (out []string) {
	for _, ch := range list {
		out = append(out, ch.Path)
	}
	return out
}
