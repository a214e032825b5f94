package cookoff

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/contestant"
	"cookoff/internal/cachedir"
	"cookoff/internal/faults"
	"cookoff/internal/host"
	"cookoff/internal/ui/text"
	"cookoff/recipe"
	"cookoff/recipe/problem"
	"cookoff/report/decide"
	"cookoff/runner"
	"cookoff/trial/final"
)

// preparation is a checked recipe on its way to a runner: what it is run with, made
// ready step by step. Each step is for who needs it: a run takes all, lint some.
type preparation struct {
	opt    Options
	recipe *recipe.Recipe   // with the options laid over it
	tasks  []string         // the names of all, in order
	sets   []recipe.Planted // of tasks that are not made yet: see plant

	*means
	proofs   *host.Proofs
	expected map[string]float64 // USD of a trial, by model
	copied   func(runner.ProjectCopy)
	closing  func(n int)
	asking   func(context.Context) error // asks the providers as a run goes on; nil: nobody does
	atStep   func(task, step string)     // is told of proofs; nil: nobody is
	decider  *decide.Watch               // nil: all trials are run

	atMost int             // trials at once that the user wants; 0: any number
	keep   func(io.Closer) // takes what is to be closed in the end

	env    runner.Env
	runner *runner.Runner // nil until it is built
}

// narrow leaves the tasks that Options.Select picks.
func (p *preparation) narrow() error {
	picked, err := p.opt.pick(p.tasks, p.recipe.Context.TaskMode == "sequential")
	if err == nil {
		p.env.Only = func(name string) bool { return slices.Contains(picked, name) }
	}
	return err
}

// tryAgents sees that the agents of the plan start and speak their protocol, before
// anything is paid or waited for.
func (p *preparation) tryAgents(ctx context.Context) error {
	list := p.runner.UnprovenAgents()
	if len(list) == 0 {
		return nil
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = text.Line(a.Name)
	}
	p.opt.Notify(Notice{Text: "trying whether these agents start: " + strings.Join(names, ", ")})
	err := p.runner.Try(ctx, list)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return faults.Machinef("%w", err)
}

// warm chooses sandboxes that start with a warm Go cache, and looks at what programs
// there are.
func (p *preparation) warm(ctx context.Context) error {
	return p.sandboxes(p.host.GoCache(ctx, p.recipe))
}

// cold is warm, and compiles nothing: a Go cache is used where one is there.
func (p *preparation) cold(ctx context.Context) error {
	return p.sandboxes(p.host.GoCache(ctx, nil))
}

func (p *preparation) sandboxes(goCache string) (err error) {
	p.env.Tools, p.env.Programs = host.Programs(p.env.ToolPaths), host.EachProgram(p.env.ToolPaths)
	p.env.Backend, err = p.host.Backend(p.recipe, goCache, p.env.ToolPaths)
	return err
}

// limit says how much is run, and what is kept of it.
func (p *preparation) limit() {
	o := &p.opt
	p.env = o.Replay.Env(p.env)
	p.env.Parallel, p.env.Retries, p.env.MaxCost = o.Parallel, o.Retries, o.MaxCost
	if o.Replay != nil {
		p.env.Retries = 0 // another attempt would get the same answers
	}
	if !o.Dry { // which writes nothing
		p.env.Kept = filepath.Join(o.Dir, ".cookoff", "cache")
	}
	p.env.ProviderWait, p.env.StopOnLoss = o.ProviderWait, o.StopOnLoss
	p.env.Shard = o.Shard
	p.env.Keep, p.env.States, p.env.Outputs, p.env.Front = o.Keep, o.States, o.Outputs, o.Front
	if p.env.States == nil {
		p.env.States = final.NewWriter(p.secrets)
	}
	p.env.Copied = func(one runner.ProjectCopy) {
		if p.copied != nil {
			p.copied(one)
		}
	}
	p.atStep = o.Proving
	p.env.AtStep = func(task, step string) {
		if p.atStep != nil {
			p.atStep(task, step)
		}
	}
	p.env.Closing = func(n int) {
		if p.closing != nil {
			p.closing(n)
		}
	}
	p.env.Asking = func(ctx context.Context) error {
		if p.asking == nil {
			return nil
		}
		return p.asking(ctx)
	}
	if o.Resume != nil {
		p.env.Journal = o.Resume.earlier
		p.env.OnDivergence, p.env.DespiteChanges = o.Resume.OnDivergence, o.Resume.DespiteChanges
	}
	p.proving()
	p.expected = map[string]float64{}
	p.env.Expect = func(model string) (float64, bool) {
		usd, ok := p.expected[model]
		return usd, ok
	}
}

// proving has admissions remembered. A dry run writes nothing.
func (p *preparation) proving() {
	if p.opt.Dry {
		return
	}
	if err := cachedir.Writable(); err != nil {
		p.opt.Notify(Notice{Warning: true, Text: err.Error() + "\n" +
			"  hint: XDG_CACHE_HOME names a directory that can be"})
	}
	if p.proofs = host.NewProofs(); p.proofs != nil {
		p.env.Proofs, p.env.Proving = p.proofs, host.Proving(p.env.Tools)
	}
}

// build makes the runner. This is the one place that does.
func (p *preparation) build() error {
	bound, err := p.recipe.BuildRunner()
	if err != nil {
		return err
	}
	if p.decider = p.watch(); p.decider != nil {
		p.env.Decider = p.decider
		if p.opt.Resume == nil && !p.decider.Answerable() {
			return problem.List{p.unanswerable()}
		}
	}
	p.env.Spoken = p.opt.Spoken
	p.runner, err = runner.New(bound, p.env)
	return err
}

// asked are the models that the comparison needs, those of agents and of sub-agents
// too, each once.
func (p *preparation) asked() []string {
	var out []string
	for _, name := range append(p.recipe.Names(), p.recipe.SubAgent.Model) {
		if id := contestant.Model(p.recipe.Behind(name)); !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
