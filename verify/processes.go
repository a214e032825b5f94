package verify

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/ui/text"
	"cookoff/sandbox"
	"cookoff/trial"
)

// process is one that runs in a trial's world beside PID 1 and the shell that
// looks.
type process struct {
	pid, parent int
	name        string   // of its program
	args        []string // as it was started
	writes      []string // files of project and home that it holds open for writing, as in a manifest
}

// processList prints the processes of a world: a line "p PID PARENT", one "x
// PROGRAM", one "a ARGUMENT" each, and one "w FILE" for each file open for
// writing. It says nothing where the shell is no child of PID 1: then the
// processes are not those of this world alone.
const processList = `[ "$PPID" = 1 ] || exit 0
for d in /proc/[0-9]*; do
	pid=${d#/proc/}
	[ "$pid" = 1 ] || [ "$pid" = "$$" ] && continue
	{ read -r stat < "$d/stat"; } 2>/dev/null || continue
	stat=${stat##*) }; set -- $stat
	[ "$1" = Z ] || [ "$1" = X ] || [ "$2" = "$$" ] && continue
	printf 'p %s %s\n' "$pid" "$2"
	printf 'x %s\n' "$(readlink "$d/exe" 2>/dev/null)"
	mapfile -d '' -t args < "$d/cmdline" 2>/dev/null
	for a in "${args[@]:0:20}"; do printf 'a %s\n' "${a//$'\n'/ }"; done
	for f in "$d"/fdinfo/*; do
		{ read -r _; read -r _ flags; } < "$f" 2>/dev/null || continue
		case $flags in *[12]) printf 'w %s\n' "$(readlink "$d/fd/${f##*/}" 2>/dev/null)" ;; esac
	done
done`

// processesOf lists the processes of a world; env is that of a check in it.
// Errors are the sandbox's.
func processesOf(ctx context.Context, w sandbox.Sandbox, env []string) ([]process, error) {
	res, err := w.Exec(ctx, sandbox.Cmd{Script: processList, Env: env, Timeout: defaultScriptTimeout})
	if err != nil {
		return nil, err
	}
	return readProcesses(string(res.Stdout)), nil
}

func readProcesses(out string) (list []process) {
	for line := range strings.Lines(out) {
		kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if kind == "p" {
			pid, parent, _ := strings.Cut(rest, " ")
			p := process{}
			p.pid, _ = strconv.Atoi(pid)
			p.parent, _ = strconv.Atoi(parent)
			list = append(list, p)
			continue
		}
		if len(list) == 0 {
			continue
		}
		p := &list[len(list)-1]
		switch kind {
		case "x":
			p.name = path.Base(strings.TrimSuffix(rest, " (deleted)"))
		case "a":
			p.args = append(p.args, rest)
		case "w":
			for dir, in := range map[string]string{sandbox.WorkDir + "/": "", sandbox.HomeDir + "/": "~/"} {
				if file, is := strings.CutPrefix(rest, dir); is {
					p.writes = append(p.writes, in+file)
				}
			}
		}
	}
	return list
}

// maxShown bounds what is shown of a command line, in bytes.
const maxShown = 80

// String is the command line, as far as it is shown.
func (p process) String() string {
	s := strings.Join(p.args, " ")
	if s == "" {
		s = p.name
	}
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return text.Line(s)
}

// longestSleep bounds the sleeps whose end is not waited for: what sleeps longer
// holds something open.
const longestSleep = 24 * time.Hour

// sleeps reports whether a process only waits for a time to pass, and another
// waits for it.
func (p process) sleeps() bool {
	if p.parent == 1 || p.name != "sleep" && p.name != "coreutils" && p.name != "busybox" || len(p.args) == 0 || path.Base(p.args[0]) != "sleep" {
		return false
	}
	var sum time.Duration
	for _, a := range p.args[1:] {
		unit := time.Second
		switch {
		case strings.HasSuffix(a, "m"):
			unit = time.Minute
		case strings.HasSuffix(a, "h"):
			unit = time.Hour
		case strings.HasSuffix(a, "d"):
			unit = 24 * time.Hour
		}
		n, err := strconv.ParseFloat(strings.TrimRight(a, "smhd"), 64)
		if err != nil || n < 0 || n > longestSleep.Seconds() {
			return false
		}
		sum += time.Duration(n * float64(unit))
	}
	return sum <= longestSleep
}

// running is a process that was left running, as a deed.
func running(p process) deed {
	return deed{key: "process " + p.name, path: "process: " + p.String(), what: "left running", kind: left}
}

// left are the processes that run in a world and did not when it was staged.
// Errors are the sandbox's.
func (s *Start) left(ctx context.Context, w sandbox.Sandbox) ([]process, error) {
	if w == nil {
		return nil, nil
	}
	list, err := processesOf(ctx, w, trustedEnv(s.path))
	return slices.DeleteFunc(list, func(p process) bool { return slices.Contains(s.running, p.name) }), err
}

// holding gives the deeds of processes that were left. One that could still
// write a file that the solutions mend is a trap.
func holding(list []process, foot *footprint) (deeds []deed) {
	for _, p := range list {
		d := running(p)
		for _, file := range p.writes {
			if foot.has("content " + file) {
				d.why = fmt.Sprintf("it holds %q open for writing, which is what was to be mended", text.Line(file))
			}
		}
		deeds = append(deeds, d)
	}
	return deeds
}

// hasten has what sleeps among processes go on now, and waits a moment for what
// follows. Nothing comes of it that would not come by itself. false: none sleeps.
func hasten(ctx context.Context, w sandbox.Sandbox, s *Start, list []process) (bool, error) {
	var pids, parents []string
	for _, p := range list {
		if p.sleeps() {
			pids, parents = append(pids, strconv.Itoa(p.pid)), append(parents, strconv.Itoa(p.parent))
		}
	}
	if pids == nil {
		return false, nil
	}
	_, err := w.Exec(ctx, sandbox.Cmd{Env: trustedEnv(s.path), Timeout: defaultScriptTimeout, Script: "kill -9 " + strings.Join(pids, " ") + ` 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	more=
	for p in ` + strings.Join(parents, " ") + `; do [ "$p" != 1 ] && [ -e "/proc/$p" ] && more=1; done
	[ "$more" ] || break
	sleep 0.1
done`})
	return true, err
}

// undone asks what held for the user once more, now and when the processes that
// were left and sleep have gone on: what holds before and not behind is undone by
// one of them. Nil: nothing is. Errors are the sandbox's.
func (c *Case) undone(ctx context.Context, b *bench, s *Start, list []process) (*trial.Verdict, error) {
	if b.user == nil || !slices.ContainsFunc(list, process.sleeps) {
		return nil, nil
	}
	var held []question
	for _, q := range b.asked {
		if v, err := q(ctx, *b.user); err != nil {
			return nil, err
		} else if v.Status == trial.Held {
			held = append(held, q)
		}
	}
	if _, err := hasten(ctx, b.user.world, s, list); err != nil {
		return nil, err
	}
	for _, q := range held {
		v, err := q(ctx, *b.user)
		if err != nil {
			return nil, err
		}
		if v.Status == trial.NotHeld {
			i := slices.IndexFunc(list, process.sleeps)
			return &trial.Verdict{Check: "trap", Kind: trial.KindProtect, Status: trial.NotHeld, Cause: trial.CauseTrap, Evidence: v.Evidence,
				Detail: fmt.Sprintf("a process that was left running undoes it: when %q has ended, %s does not hold any more: %s", list[i], v.Check, v.Detail)}, nil
		}
	}
	return nil, nil
}
