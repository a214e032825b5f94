// Package services starts and stops the services of a task in its worlds.
package services

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/verify/printed"
)

// Dir holds, in a world, a program NAME that controls each service, and NAME.log, what
// it prints. It is no part of the state.
const Dir = "/run/services"

// DefaultTimeout is how long a service that names no time may take to be ready.
const DefaultTimeout = 30 * time.Second

// slack is what a script may take beside what it waits for.
const slack = 10 * time.Second

// State says how a service stands in a world.
type State string

// States of a service.
const (
	Ready State = "ready"
	Ended State = "ended" // its processes are gone
	Late  State = "late"  // it runs, and was not ready in time
)

// Report is how a service stands, and why it is not ready.
type Report struct {
	Name   string
	State  State
	Took   time.Duration // allowed until it is ready
	Output string        // by its ready check, when that held last did not
	Log    string        // the last lines that it printed
}

// String says it in words, with the last lines that the service printed.
func (r Report) String() string {
	s := fmt.Sprintf("%s is ready", r.Name)
	switch r.State {
	case Ended:
		s = r.Name + " ended and is not ready; a service stays in the foreground"
	case Late:
		s = fmt.Sprintf("%s was not ready within %s", r.Name, r.Took)
	}
	if r.State != Ready && r.Output != "" {
		s += fmt.Sprintf(" (the ready check says: %s)", r.Output)
	}
	if r.Log == "" {
		return s + "; it printed nothing"
	}
	return s + "; it printed:\n" + r.Log
}

// limit is how long a service may take to be ready.
func limit(s recipe.Service) time.Duration { return cmp.Or(s.Timeout, DefaultTimeout) }

// control is the program that starts and stops a service, in whoever's hands.
const control = `#!/bin/bash
# %[1]s start, stop, restart or status of the service %[2]s, which prints to %[1]s.log
it=%[1]s
run() {
%[3]s
}
alive() { p=; { read -r p < "$it.pid"; } 2>/dev/null; [ -n "$p" ] && kill -0 -- "-$p" 2>/dev/null; }
start() {
	if alive; then echo "%[2]s runs already, as process $p"; return; fi
	set -m
	( exec < /dev/null >> "$it.log" 2>&1; cd %[5]s || exit; %[4]srun ) &
	p=$!
	set +m
	disown "$p"
	echo "$p" > "$it.pid"
	echo "%[2]s runs as process $p"
}
stop() {
	alive || { echo "%[2]s does not run"; return; }
	kill -TERM -- "-$p"
	for ((i = 0; i < 100; i++)); do alive || break; sleep 0.05; done
	for ((i = 0; i < 60; i++)); do alive || break; kill -KILL -- "-$p"; sleep 0.05; done
	echo "%[2]s is stopped"
}
case $1 in
start) start ;;
stop) stop ;;
restart) stop; start ;;
status) if alive; then echo "%[2]s runs as process $p"; else echo "%[2]s does not run"; exit 3; fi ;;
*) echo "usage: %[1]s start|stop|restart|status" >&2; exit 2 ;;
esac
`

// Control is the text of the program that controls a service.
func Control(s recipe.Service) string {
	return fmt.Sprintf(control, path.Join(Dir, s.Name), s.Name, strings.TrimRight(s.Command, "\n"), exports(s),
		sandbox.WorkDir)
}

// exports sets the variables of a service in a shell.
func exports(s recipe.Service) string {
	var b strings.Builder
	for _, e := range s.Env {
		name, value, _ := strings.Cut(e, "=")
		if q, err := syntax.Quote(value, syntax.LangBash); err == nil { // else the recipe refused it
			b.WriteString("export " + name + "=" + q + "; ")
		}
	}
	return b.String()
}

// asking defines alive and ready in a script.
func asking(s recipe.Service) string {
	return fmt.Sprintf("it=%s\nalive() { p=; { read -r p < \"$it.pid\"; } 2>/dev/null; "+
		"[ -n \"$p\" ] && kill -0 -- \"-$p\" 2>/dev/null; }\nready() (\n%s\n%s\n)\n",
		path.Join(Dir, s.Name), exports(s), strings.TrimRight(s.Ready, "\n"))
}

// Exit statuses of the scripts.
const (
	endedStatus = 91
	lateStatus  = 92
)

// wait has a script wait until the service is ready, for some seconds.
const wait = `until said=$(ready 2>&1 < /dev/null); do
	alive || { printf %%s "$said"; exit 91; }
	((SECONDS < %d)) || { printf %%s "$said"; exit 92; }
	sleep 0.05
done
alive || exit 91`

// Start starts a service with variables of a world's own and waits until it is ready.
// Errors are the sandbox's.
func Start(ctx context.Context, sb sandbox.Sandbox, s recipe.Service, env []string) (Report, error) {
	if why, err := put(ctx, sb, s); why != "" || err != nil {
		return Report{Name: s.Name, State: Ended, Took: limit(s), Output: why}, err
	}
	script := asking(s) + "chmod 755 \"$it\"\n\"$BASH\" --noprofile --norc \"$it\" start > /dev/null || exit\n" +
		fmt.Sprintf(wait, int(math.Ceil(limit(s).Seconds())))
	return run(ctx, sb, s, sandbox.Cmd{Script: script, Env: env, Timeout: limit(s) + slack})
}

// Ask says how a service stands that was started before.
func Ask(ctx context.Context, sb sandbox.Sandbox, s recipe.Service, env []string) (Report, error) {
	script := asking(s) + fmt.Sprintf(wait, 2)
	return run(ctx, sb, s, sandbox.Cmd{Script: script, Env: env, Timeout: limit(s) + slack})
}

// run runs a script that ends as wait does.
func run(ctx context.Context, sb sandbox.Sandbox, s recipe.Service, cmd sandbox.Cmd) (Report, error) {
	r := Report{Name: s.Name, State: Ready, Took: limit(s)}
	res, err := sb.Exec(ctx, cmd)
	if err != nil {
		return r, err
	}
	switch {
	case res.OK():
		return r, nil
	case res.Exit == endedStatus:
		r.State = Ended
	case res.Exit == lateStatus, res.Reason != "":
		r.State = Late
	default:
		r.State = Ended
	}
	r.Output = lastLine(printed.Tail(slices.Concat(res.Stdout, res.Stderr)))
	r.Log, err = lastLines(ctx, sb, path.Join(Dir, s.Name+".log"))
	return r, err
}

func lastLine(s string) string { return s[strings.LastIndex(s, "\n")+1:] }

// maxLog bounds what is read of a log, in bytes.
const maxLog = 8 << 10

// lastLines gives the last of what a service printed; "" where there is no log.
func lastLines(ctx context.Context, sb sandbox.Sandbox, log string) (string, error) {
	got, err := sb.FS().Read(ctx, log, 0, 1)
	if err == nil {
		got, err = sb.FS().Read(ctx, log, max(0, got.Size-maxLog), maxLog)
	}
	var none *sandbox.FileError
	if errors.As(err, &none) {
		return "", nil
	}
	return printed.LastLines(printed.Tail(got.Data)), err
}

// Stop ends services, the last one first, each with the time to write what it must:
// what belongs to it by its number, and nothing else. Errors are the sandbox's.
func Stop(ctx context.Context, sb sandbox.Sandbox, list []recipe.Service) error {
	for _, s := range slices.Backward(list) {
		if _, err := put(ctx, sb, s); err != nil {
			return err
		}
		program := path.Join(Dir, s.Name)
		if _, err := sb.Exec(ctx, sandbox.Cmd{Argv: []string{"/bin/bash", "--noprofile", "--norc", program, "stop"},
			Timeout: slack}); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	_, err := sb.Exec(ctx, sandbox.Cmd{Script: clean, Timeout: slack})
	return err
}

// clean takes away what anybody may have put where services are controlled.
const clean = "chmod 755 /run " + Dir + " 2> /dev/null; rm -rf " + Dir

// put puts the program that controls a service into its place, whatever is there; why
// is "" unless that can't be done. Errors are the sandbox's.
func put(ctx context.Context, sb sandbox.Sandbox, s recipe.Service) (why string, err error) {
	program := path.Join(Dir, s.Name)
	var file *sandbox.FileError
	err = sb.FS().Write(ctx, program, []byte(Control(s)))
	if errors.As(err, &file) {
		if _, err := sb.Exec(ctx, sandbox.Cmd{Script: clean, Timeout: slack}); err != nil {
			return "", err
		}
		err = sb.FS().Write(ctx, program, []byte(Control(s)))
	}
	if errors.As(err, &file) {
		return file.Error(), nil
	}
	return "", err
}

// Answers reports whether the ready check of a service holds, whoever answers.
func Answers(ctx context.Context, sb sandbox.Sandbox, s recipe.Service, env []string) (bool, error) {
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: asking(s) + "ready > /dev/null 2>&1 < /dev/null", Env: env,
		Timeout: slack})
	return res.OK(), err
}

// Clear ends every process of a world and waits until they are gone. Errors are the sandbox's.
func Clear(ctx context.Context, sb sandbox.Sandbox) error {
	_, err := sb.Exec(ctx, sandbox.Cmd{Script: "for ((i = 0; i < 100; i++)); do kill -KILL -1 2> /dev/null || break; " +
		"sleep 0.05; done", Timeout: slack})
	return err
}

// Told is what the prompt of a task says of its services; "": it has none.
func Told(list []recipe.Service) string {
	if len(list) == 0 {
		return ""
	}
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	one := path.Join(Dir, names[0])
	return fmt.Sprintf("\n\nServices of this environment: %s. `%s start|stop|restart|status` controls %s, "+
		"and `%s.log` has what it prints. Before your work is judged they are stopped and started again.",
		strings.Join(names, ", "), one, names[0], one)
}
