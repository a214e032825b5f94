// Package reminder says texts when their triggers hold.
package reminder

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// Reminder is a text that is said when its trigger turns from false to true.
type Reminder struct {
	Name, Text string
	Manual     bool // the trigger names manual: a person may say it by hand
	trigger    *vm.Program
	uses       variables
}

// Uses reports whether the trigger names a variable.
func (r Reminder) Uses(variable string) bool { return r.uses[variable] }

// Error says why a trigger can't be read.
type Error struct {
	Msg     string
	Column  int    // in bytes from the beginning of the trigger; 0: not known
	Unknown string // the name in it that there is not; "": something else is wrong
}

func (e *Error) Error() string { return e.Msg }

// Compile reads a trigger over names. Its error is an *Error.
func Compile(name, text, trigger string, names map[string]any) (Reminder, error) {
	program, err := expr.Compile(trigger, expr.Env(names), expr.AsBool(), expr.DisableAllBuiltins())
	if bad := (*file.Error)(nil); errors.As(err, &bad) {
		e := &Error{Msg: bad.Message, Column: bad.Column}
		if name, ok := strings.CutPrefix(bad.Message, "unknown name "); ok { // the words of expr
			e.Unknown = name
		}
		return Reminder{}, e
	} else if err != nil {
		return Reminder{}, &Error{Msg: err.Error()}
	}
	r := Reminder{Name: name, Text: text, trigger: program, uses: variables{}}
	node := program.Node()
	ast.Walk(&node, r.uses)
	r.Manual = r.uses["manual"]
	return r, nil
}

// Armed is a reminder in one conversation. on is what its trigger last was.
type Armed struct {
	Reminder
	on bool
}

// Arm begins with reminders.
func Arm(rs []Reminder) []Armed {
	out := make([]Armed, len(rs))
	for i, r := range rs {
		out[i].Reminder = r
	}
	return out
}

// Due looks at the trigger with the variables as they are. due: it has turned from
// false to true, or it holds and a person asks for it. idle: a person asks for it,
// and it does not hold.
func (a *Armed) Due(vars map[string]any, asked bool) (due, idle bool, err error) {
	vars["manual"] = asked
	v, err := vm.Run(a.trigger, vars)
	if err != nil {
		return false, false, fmt.Errorf("the trigger of reminder %q: %w", a.Name, err)
	}
	on := v == true
	due, idle = on && (asked || !a.on), asked && !on
	a.on = on
	return due, idle, nil
}

// Variables are the variables of a trigger, as they are before a trial's
// first request. Beside them stands the name of every tool, so that
// "tool_used == bash" reads as people write it.
func Variables() map[string]any {
	return map[string]any{
		"step": 1, "steps_left": math.MaxInt32, "turn_count": 0,
		"tool_calls": 0, "tool_errors": 0, "tool_used": "", "last_tool_call_failed": false, "writes": 0,
		"last_response_tokens": 0, "context_usage": 0.0, "elapsed_seconds": 0.0, "seconds_left": 0.0, "cost": 0.0,
		"manual": false,
	}
}

// Names are what triggers may name: the variables, and tools.
func Names(tools []string) map[string]any {
	env := Variables()
	for _, n := range tools {
		if _, taken := env[n]; !taken {
			env[n] = n
		}
	}
	return env
}

// variables are the names that an expression uses.
type variables map[string]bool

// Visit notes a name.
func (v variables) Visit(n *ast.Node) {
	if id, ok := (*n).(*ast.IdentifierNode); ok {
		v[id.Value] = true
	}
}
