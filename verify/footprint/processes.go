package footprint

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/internal/ui/text"
	"cookoff/sandbox"
)

// Process is one that runs in a trial's world beside PID 1 and the shell that
// looks.
type Process struct {
	pid, Parent int
	Name        string   // of its program
	Args        []string // as it was started
	Writes      []string // files of project and home that it holds open for writing, as in a manifest
	script      string   // what it was told to run, in one line: by -c, or as a file outside of project and home
}

// processList prints the processes of a world: a line "p PID PARENT", one "x
// PROGRAM", one "a ARGUMENT" each, one "s SCRIPT", and one "w FILE" for each file open for
// writing. A process whose first thread has ended while others go on looks dead, and is
// shown by another of its threads. One that just ends has lost its program, and has the name that
// the kernel's table keeps. It says nothing where the shell is no child of PID 1: then the
// processes are not those of this world alone.
const processList = `[ "$PPID" = 1 ] || exit 0
for d in /proc/[0-9]*; do
	pid=${d#/proc/}
	[ "$pid" = 1 ] || [ "$pid" = "$$" ] && continue
	{ read -r stat < "$d/stat"; } 2>/dev/null || continue
	comm=${stat#*(}; comm=${comm%)*}; stat=${stat##*) }; set -- $stat
	if [ "$1" = Z ] && [ "${18}" -gt 1 ]; then
		for t in "$d"/task/*; do [ "$t" = "$d/task/$pid" ] || d=$t; done
	elif [ "$1" = Z ] || [ "$1" = X ]; then
		continue
	fi
	[ "$2" = "$$" ] && continue
	printf 'p %s %s\n' "$pid" "$2"
	exe=$(readlink "$d/exe" 2>/dev/null); printf 'x %s\n' "${exe:-$comm}"
	mapfile -d '' -t args < "$d/cmdline" 2>/dev/null
	for a in "${args[@]:0:20}"; do printf 'a %s\n' "${a//$'\n'/ }"; done
	s=
	for i in 1 2 3 4; do
		case ${args[i]} in
		-c) s=${args[i+1]}; break ;;
		/tmp/* | /var/tmp/* | /dev/shm/* | /run/*) s=$(head -c 4000 "${args[i]}" 2>/dev/null | tr -d '\0'); break ;;
		esac
	done
	[ -z "$s" ] || printf 's %s\n' "${s//$'\n'/ }"
	for f in "$d"/fdinfo/*; do
		{ read -r _; read -r _ flags; } < "$f" 2>/dev/null || continue
		case $flags in *[12]) printf 'w %s\n' "$(readlink "$d/fd/${f##*/}" 2>/dev/null)" ;; esac
	done
done`

// Processes lists the processes of a world; env is that of a check in it.
// Errors are the sandbox's.
func Processes(ctx context.Context, w sandbox.Sandbox, env []string) ([]Process, error) {
	res, err := w.Exec(ctx, sandbox.Cmd{Script: processList, Env: env})
	if err != nil {
		return nil, err
	}
	return ReadProcesses(string(res.Stdout)), nil
}

// ReadProcesses reads what processList prints.
func ReadProcesses(out string) (list []Process) {
	for line := range strings.Lines(out) {
		kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if kind == "p" {
			pid, parent, _ := strings.Cut(rest, " ")
			p := Process{}
			p.pid, _ = strconv.Atoi(pid)
			p.Parent, _ = strconv.Atoi(parent)
			list = append(list, p)
			continue
		}
		if len(list) == 0 {
			continue
		}
		p := &list[len(list)-1]
		switch kind {
		case "x":
			p.Name = path.Base(strings.TrimSuffix(rest, " (deleted)"))
		case "a":
			p.Args = append(p.Args, rest)
		case "s":
			p.script = rest
		case "w":
			for dir, in := range map[string]string{sandbox.WorkDir + "/": "", sandbox.HomeDir + "/": "~/"} {
				if file, is := strings.CutPrefix(rest, dir); is {
					p.Writes = append(p.Writes, in+file)
				}
			}
		}
	}
	return list
}

// maxShown bounds what is shown of a command line, in bytes.
const maxShown = 80

// String is the command line, as far as it is shown.
func (p Process) String() string {
	s := strings.Join(p.Args, " ")
	if s == "" {
		s = p.Name
	}
	if len(s) > maxShown {
		s = strings.ToValidUTF8(s[:maxShown], "") + "…"
	}
	return text.Line(s)
}

// longestSleep bounds the sleeps whose end is not waited for: what sleeps longer
// holds something open.
const longestSleep = 24 * time.Hour

// Sleeps reports whether a process only waits for a time to pass, and another
// waits for it.
func (p Process) Sleeps() bool { return p.Parent != 1 && p.isSleep() && p.naps() }

// isSleep reports whether a process is the program sleep.
func (p Process) isSleep() bool {
	programs := []string{"sleep", "coreutils", "busybox"}
	return slices.Contains(programs, p.Name) && len(p.Args) > 0 && path.Base(p.Args[0]) == "sleep"
}

// limits reports whether a process ends another after a time.
func (p Process) limits() bool {
	return (p.Name == "timeout" || p.Name == "coreutils" || p.Name == "busybox") && len(p.Args) > 2 &&
		path.Base(p.Args[0]) == "timeout"
}

// alarm tells processes that end others after a time that it has passed. Errors are the sandbox's.
func alarm(ctx context.Context, w sandbox.Sandbox, env []string, list []Process) error {
	var numbers []string
	for _, p := range list {
		if p.limits() {
			numbers = append(numbers, strconv.Itoa(p.pid))
		}
	}
	if numbers == nil {
		return nil
	}
	_, err := w.Exec(ctx, sandbox.Cmd{Env: env, Script: "kill -ALRM " + strings.Join(numbers, " ") + ` 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do
	more=
	for p in ` + strings.Join(numbers, " ") + `; do [ -e "/proc/$p" ] && more=1; done
	[ "$more" ] || break
	sleep 0.1
done`})
	return err
}

// Wakes is learnt where what a solution leaves running ends when its sleep is cut short.
const Wakes = "wakes"

// EndsWhenWoken reports whether that is so: live checks can't be asked again then.
func (f *Footprint) EndsWhenWoken() bool { return f != nil && f.Has(Wakes) }

// Unlimited are processes but for those that end others after a time, where a solution leaves such.
func (f *Footprint) Unlimited(list []Process) []Process {
	if f == nil {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(p Process) bool { return p.limits() && f.Has("process "+p.Name) })
}

// naps reports whether the program sleep was told to sleep no longer than is looked at.
func (p Process) naps() bool {
	var sum time.Duration
	for _, a := range p.Args[1:] {
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

// Running is a process that was left running, as a difference.
func Running(p Process) Difference {
	return Difference{Key: "process " + p.Name, Path: "process: " + p.String(), What: "left running", Kind: left}
}

// OfProcess reports whether a difference is a process that runs on, which no state holds.
func (d Difference) OfProcess() bool { return d.Kind == left }

// Left are the processes that run in a world and did not when it was staged.
// env is that of a check in it. Errors are the sandbox's.
func (s *Start) Left(ctx context.Context, w sandbox.Sandbox, env []string) ([]Process, error) {
	if w == nil {
		return nil, nil
	}
	list, err := Processes(ctx, w, env)
	return slices.DeleteFunc(list, func(p Process) bool { return slices.Contains(s.Running, p.Name) }), err
}

// Holds gives the files of those that the solutions mend which a process could still write.
func (f *Footprint) Holds(p Process) []string {
	return slices.DeleteFunc(slices.Clone(p.Writes), func(file string) bool { return !f.Has("content " + file) })
}

// Holding gives the differences of processes that were left. One that could still
// write a file that the solutions mend is a trap, and so is a loop that meddles where no solution leaves its like.
func (f *Footprint) Holding(list []Process) (differences []Difference) {
	for _, p := range list {
		d := Running(p)
		if p.meddles() && !f.Has(d.Key) {
			d.What, d.Why = meddles, "it goes on and on, and ends others or changes files"
		}
		for _, file := range f.Holds(p) {
			d.Why = fmt.Sprintf("it holds %q open for writing, which is what was to be mended", text.Line(file))
		}
		differences = append(differences, d)
	}
	return differences
}

// meddles is what such a process does, also in a task that leaves others running.
const meddles = "left running, and meddles"

// meddling is a script that goes on and on, and ends others or changes files.
var meddling = pattern.New(`(?:\b(?:while|until)\b|\bfor \(\(\s*;).*(?:` +
	`\b(?:pkill|killall|kill|fuser|rm|mv|cp|ln|chmod|chown|truncate|git|sed -i)\s|` +
	`\bos\.(?:kill|remove|unlink|rename|replace|chmod|system)\b|\b(?:shutil|subprocess)\.)`)

// lineByLine begins a loop that ends with what it reads.
var lineByLine = pattern.New(`\bwhile (?:IFS=\S* )?read\b`)

// meddles reports whether a process does so that is no program of the project's.
func (p Process) meddles() bool {
	return meddling.MatchString(lineByLine.ReplaceAllString(p.script, ""))
}

// SameProgram reports whether two processes were started alike.
func SameProgram(a, b Process) bool { return a.Name == b.Name && slices.Equal(a.Args, b.Args) }

// Sleepers are those of the processes that Hasten would have go on.
func Sleepers(w sandbox.Sandbox, list []Process) []Process {
	waker, _ := w.(sandbox.Waker)
	var asleep []int
	if waker != nil {
		asleep = waker.Sleeping(pids(list))
	}
	return slices.DeleteFunc(slices.Clone(list), func(p Process) bool {
		return !p.limits() && !p.Sleeps() && (!slices.Contains(asleep, p.pid) || p.isSleep() && !p.naps())
	})
}

func pids(list []Process) []int {
	var out []int
	for _, p := range list {
		out = append(out, p.pid)
	}
	return out
}

// Bounds of what is waited for when sleeps were cut short.
const (
	wakings   = 3 // sleeps behind one another
	followUp  = 2 * time.Second
	followGap = 50 * time.Millisecond
)

// Hasten has what sleeps among processes go on now, and waits a moment for what
// follows. Nothing comes of it that would not come by itself. Errors are the sandbox's.
func (s *Start) Hasten(ctx context.Context, w sandbox.Sandbox, env []string, list []Process) error {
	waker, _ := w.(sandbox.Waker)
	if err := alarm(ctx, w, env, list); err != nil {
		return err
	}
	list = slices.DeleteFunc(slices.Clone(list), Process.limits)
	for range wakings {
		asleep := Sleepers(w, list)
		if len(asleep) == 0 {
			return nil
		}
		if waker == nil || waker.Wake(pids(asleep)) == 0 {
			return end(ctx, w, env, asleep)
		}
		var err error
		if list, err = s.after(ctx, w, env, asleep); err != nil {
			return err
		}
	}
	return nil
}

// after waits until those who were woken, and who waited for them, have ended, or
// somebody sleeps again, and gives who is left.
func (s *Start) after(ctx context.Context, w sandbox.Sandbox, env []string, woken []Process) ([]Process, error) {
	concerned := map[int]bool{}
	for _, p := range woken {
		concerned[p.pid], concerned[p.Parent] = true, p.Parent != 1
	}
	for began := time.Now(); ; time.Sleep(followGap) {
		list, err := s.Left(ctx, w, env)
		if err != nil {
			return nil, err
		}
		live := slices.ContainsFunc(list, func(p Process) bool { return concerned[p.pid] })
		waited := time.Since(began)
		if !live || waited > followUp || waited > followUp/10 && len(Sleepers(w, list)) > 0 {
			return list, nil
		}
	}
}

// end ends what sleeps, where it can't be woken: what waits for its end only goes on,
// what waits for it to end well does not.
func end(ctx context.Context, w sandbox.Sandbox, env []string, list []Process) error {
	var numbers, parents []string
	for _, p := range list {
		if p.Sleeps() {
			numbers, parents = append(numbers, strconv.Itoa(p.pid)), append(parents, strconv.Itoa(p.Parent))
		}
	}
	if numbers == nil {
		return nil
	}
	_, err := w.Exec(ctx, sandbox.Cmd{Env: env, Script: "kill -9 " + strings.Join(numbers, " ") + ` 2>/dev/null
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	more=
	for p in ` + strings.Join(parents, " ") + `; do [ "$p" != 1 ] && [ -e "/proc/$p" ] && more=1; done
	[ "$more" ] || break
	sleep 0.1
done`})
	return err
}
