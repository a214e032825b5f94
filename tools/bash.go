package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cookoff/sandbox"
)

const (
	maxCommand = 1 << 20  // bytes of one command, quoted
	maxOutput  = 64 << 10 // bytes of output that a model is shown
	bashDoc    = `Runs a command in bash and returns its output and, when it is not 0, its exit status. ` +
		`The working directory is kept from call to call; variables and functions are not. ` +
		`There is no terminal and no input to type. A process started with & lives on after the call.`
)

type bashArgs struct {
	Command string `json:"command" description:"the command, or several lines of a script"`
	Timeout int    `json:"timeout,omitempty" description:"seconds after which the command is ended; never more than the limit of the session"`
}

// bashBackArgs are the arguments where bash_job is there to ask for news.
type bashBackArgs struct {
	Command    string `json:"command" description:"the command, or several lines of a script"`
	Timeout    int    `json:"timeout,omitempty" description:"seconds after which the command is ended; never more than the limit of the session"`
	Background bool   `json:"background,omitempty" description:"let it run on, and return at once with the number of the job"`
}

// newBash makes bash, with the argument background only where bash_job is
// offered as well.
func newBash(opt Options) Tool {
	doc := bashDoc
	if opt.Background {
		doc += " With background true it returns at once, and bash_job reads what the command prints and stops it."
	}
	if opt.BashPrefixes != nil {
		doc += " Only commands that start with these words may run: " + strings.Join(opt.BashPrefixes, ", ") + "."
	}
	b := basher{rules: newPrefixRules(opt.BashPrefixes), limit: opt.BashTimeout}
	if opt.Background {
		return New("bash", doc, b.runOrLaunch)
	}
	return New("bash", doc, b.run)
}

// basher runs commands of a model.
type basher struct {
	rules prefixRules
	limit time.Duration
}

// script checks a command and wraps it.
func (b basher) script(a bashArgs, wrap func(string) string) (string, error) {
	switch {
	case strings.TrimSpace(a.Command) == "":
		return "", badArgs("command: empty")
	case strings.ContainsRune(a.Command, 0):
		return "", badArgs("command: contains a NUL character")
	case a.Timeout < 0:
		return "", badArgs("timeout: %d is negative", a.Timeout)
	}
	if err := b.rules.allow(a.Command); err != nil {
		return "", err
	}
	script := wrap(a.Command)
	if len(script) > maxCommand {
		return "", badArgs("command: %d bytes are more than the %d that one command may have; "+
			"hint: write a script with write_file and run it", len(a.Command), maxCommand)
	}
	return script, nil
}

func (b basher) run(ctx context.Context, sb sandbox.Sandbox, a bashArgs) (Result, error) {
	script, err := b.script(a, keepDirectory)
	if err != nil {
		return Result{}, err
	}
	limit := b.limit
	if a.Timeout > 0 && int64(a.Timeout) < int64(limit/time.Second) {
		limit = time.Duration(a.Timeout) * time.Second
	}
	r, err := sb.Exec(ctx, sandbox.Cmd{Script: script, Timeout: limit, Else: true})
	if err != nil {
		return Result{}, err
	}
	return Finished(r, limit), nil
}

// keepDirectory wraps a command so that it starts where the last one of the
// trial ended. The place is kept in the trial's own /tmp: a tool knows no
// trial, and a file there is no drift of project or home. All of it is one line, so that eval keeps
// the command's own line numbers; whatever it does (exit, set -e, a trap of
// its own) its status is the status of the call.
func keepDirectory(command string) string {
	return toDirectory +
		`__keep_cwd() { local s=$?; if [[ ! -e $__cwd || -f $__cwd ]]; then builtin printf '%s\0%s\0' "$PWD" "${OLDPWD-}" >|"$__cwd"; fi; return $s; }; ` +
		`trap '{ __keep_cwd; } 2>/dev/null' EXIT; ` +
		`eval ` + quote(command) + "\n{ __keep_cwd; } 2>/dev/null\n"
}

// toDirectory goes where the last command of the trial ended.
const toDirectory = `__cwd=${TMPDIR:-/tmp}/.bash-cwd; ` +
	`if [[ -f $__cwd && -r $__cwd ]]; then ` +
	`{ IFS= builtin read -r -d '' __to; IFS= builtin read -r -d '' __old; } <"$__cwd"; ` +
	`if [[ $__to != /* ]]; then :; ` +
	`elif builtin cd -- "$__to" 2>/dev/null; then OLDPWD=${__old:-$PWD}; ` +
	`elif [[ $(LC_ALL=C builtin cd -- "$__to" 2>&1) == *denied* ]]; then builtin printf 'bash: %s can\x27t be entered: permission denied; the working directory is %s\n' "$__to" "$PWD" >&2; ` +
	`else builtin printf 'bash: %s is gone; the working directory is %s\n' "$__to" "$PWD" >&2; fi; ` +
	`unset __to __old; fi; `

// quote makes s one word of bash that stands on one line.
func quote(s string) string {
	return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(s) + "'"
}

// Finished tells a model how a command ended: what it wrote, and the status
// on a last line of its own when it is not 0. limit is the time it was given;
// 0 when the sandbox's own limit held.
func Finished(r sandbox.Result, limit time.Duration) Result {
	text, cut := Output(r)
	if e := ending(r, limit); e != "" {
		text += "\n" + e
	}
	return Result{Text: text, Failed: !r.OK(), Cut: cut, Wrote: true}
}

// Output is what a command wrote, made safe and cut to what a model is shown:
// stdout, then stderr under a line that says so. It gives how many bytes were
// left out.
func Output(r sandbox.Result) (string, int64) {
	out, cutOut := keepEnds(Clean(r.Stdout), maxOutput)
	errs, cutErr := keepEnds(Clean(r.Stderr), maxOutput/2)
	out, errs = strings.TrimSuffix(out, "\n"), strings.TrimSuffix(errs, "\n")
	switch {
	case out == "" && errs == "":
		out = "(no output)"
	case out == "":
		out = "[stderr]\n" + errs
	case errs != "":
		out += "\n[stderr]\n" + errs
	}
	return out, r.Cut + cutOut + cutErr
}

// ending is "" for a command that exited 0 by itself.
func ending(r sandbox.Result, limit time.Duration) string {
	switch {
	case r.Reason == "timeout" && limit > 0:
		return fmt.Sprintf("[ended after %s: timeout]", limit)
	case r.Reason != "":
		return fmt.Sprintf("[ended by the sandbox: limit of %s]", r.Reason)
	case r.Signal != "":
		return fmt.Sprintf("[exit status %d: ended by %s]", r.Exit, r.Signal)
	case r.Exit != 0:
		return fmt.Sprintf("[exit status %d]", r.Exit)
	}
	return ""
}
