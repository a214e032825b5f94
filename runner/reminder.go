package runner

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/tools"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// reminder is a text that is said when its trigger turns from false to true.
type reminder struct {
	name, text string
	trigger    *vm.Program
	manual     bool // the trigger names manual: a person may say it by hand
}

// armed is a reminder in one loop. on is what its trigger last was.
type armed struct {
	reminder
	on bool
}

func arm(rs []reminder) []armed {
	out := make([]armed, len(rs))
	for i, r := range rs {
		out[i].reminder = r
	}
	return out
}

// triggerVars are the variables of a trigger, as they are before a trial's
// first request. Beside them stands the name of every tool, so that
// "tool_used == bash" reads as people write it.
func triggerVars() map[string]any {
	return map[string]any{
		"step": 1, "steps_left": math.MaxInt32, "turn_count": 0,
		"tool_calls": 0, "tool_errors": 0, "tool_used": "", "last_tool_call_failed": false, "writes": 0,
		"last_response_tokens": 0, "context_usage": 0.0, "elapsed_seconds": 0.0, "seconds_left": 0.0, "cost": 0.0,
		"manual": false,
	}
}

// triggerEnv is what triggers may name: variables and tools.
func (r *Runner) triggerEnv() map[string]any {
	env := triggerVars()
	names := append(tools.Names(), spawnTool)
	for _, t := range r.tasks {
		names = append(names, r.toolset(t, nil).names...)
	}
	for _, n := range names {
		if _, taken := env[n]; !taken {
			env[n] = n
		}
	}
	return env
}

// now gives the variables of triggers as they are.
func (l *loop) now() map[string]any {
	env := maps.Clone(l.r.triggers)
	env["step"], env["turn_count"] = l.out.Steps+1, l.out.Steps
	if l.maxSteps > 0 {
		env["steps_left"] = l.maxSteps - l.out.Steps
	}
	env["tool_calls"], env["tool_errors"], env["writes"] = l.out.Counters.ToolCalls, l.failed, l.wrote
	env["tool_used"], env["last_tool_call_failed"] = l.recent.tool, l.recent.failed
	env["last_response_tokens"] = l.recent.output
	env["context_usage"] = float64(l.estimate()) / float64(l.budget)
	env["elapsed_seconds"], env["seconds_left"] = l.used.Seconds(), (l.timeout - l.used).Seconds()
	env["cost"] = l.spent
	return env
}

// remind says every reminder whose trigger has turned from false to true since
// it was last looked at, and those that a person asks for and that are due.
func (l *loop) remind() error {
	if len(l.reminders) == 0 {
		return nil
	}
	env := l.now()
	for i := range l.reminders {
		a := &l.reminders[i]
		asked := slices.Contains(l.manual, a.name)
		env["manual"] = asked
		v, err := vm.Run(a.trigger, env)
		if err != nil {
			return fmt.Errorf("the trigger of reminder %q: %w", a.name, err)
		}
		on := v == true
		if asked && !on {
			l.rec.Note("unsaid", fmt.Sprintf("%s: asked for by hand, and the rest of its trigger does not hold", a.name))
		}
		if on && (asked || !a.on) {
			l.out.Counters.Reminders++
			l.rec.Note("reminded", a.name)
			l.mention("system-reminder", a.text)
		}
		a.on = on
	}
	l.manual = nil
	return l.rec.Err()
}

// reminders compiles the triggers.
func (c *checker) reminders() {
	c.runner.triggers = c.runner.triggerEnv()
	for i, s := range c.recipe.SystemReminders {
		key := fmt.Sprintf("system_reminders[%d].trigger", i)
		program, err := expr.Compile(s.Trigger, expr.Env(c.runner.triggers), expr.AsBool(), expr.DisableAllBuiltins())
		if err != nil {
			c.trigger(key, err)
			continue
		}
		manual := c.named(key, program)
		c.runner.reminders = append(c.runner.reminders, reminder{s.Name, s.Content, program, manual})
	}
}

// trigger reports an expression that can't be read, where it can't be.
func (c *checker) trigger(key string, err error) {
	msg, column := err.Error(), 0
	if bad := (*file.Error)(nil); errors.As(err, &bad) {
		msg, column = bad.Message, bad.Column
	}
	hint := "a trigger is a condition over " + strings.Join(slices.Sorted(maps.Keys(triggerVars())), ", ")
	if name, ok := strings.CutPrefix(msg, "unknown name "); ok {
		if n := recipe.Nearest(name, slices.Sorted(maps.Keys(c.runner.triggers))); n != "" {
			hint = fmt.Sprintf("did you mean %s? %s", n, hint)
		}
	}
	c.at(key, hint, "trigger: %s", msg)
	if at := &c.problems[len(c.problems)-1].Pos; at.Line > 0 {
		at.Col += column
	}
}

// named looks at the variables that a trigger uses: one that nothing could
// ever tell is a mistake of the recipe. It reports whether one is manual.
func (c *checker) named(key string, program *vm.Program) (manual bool) {
	used := variables{}
	node := program.Node()
	ast.Walk(&node, used)
	if used["manual"] && c.env.Front == nil {
		c.warn(key, "", "a reminder that a person says by hand is never said in a run")
	}
	for _, id := range c.recipe.Models {
		if _, priced := c.runner.cost(id, model.Usage{Known: true}); used["cost"] && !priced {
			c.at(key, "add its price under [prices] in your cookoff.toml", "trigger: the cost of %s is not known", id)
		}
	}
	return used["manual"]
}

// variables are the names that an expression uses.
type variables map[string]bool

// Visit notes a name.
func (v variables) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		v[id.Value] = true
	}
}
