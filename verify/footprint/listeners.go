package footprint

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/verify/tree"
)

// Listener is a socket that a process waits at, and what program that process is.
type Listener struct {
	Socket  string   // "tcp:8080", or "unix:" and its path
	inode   string   // of the socket: children may have it open as well
	Program []string // files that may be its program, the likeliest first: absolute, links followed
	Text    bool     // its program was handed over, as by -c
	Base    string   // the name of what runs it, as "python3"
}

// listening prints the sockets that are listened at: a line "l SOCKET INODE" each; and of each process with
// sockets "p PID", "x PROGRAM", "t" where it was handed a text, "f FILE" for each file that it was started with,
// or module of that name, and "s INODE" for each socket.
const listening = `[ "$PPID" = 1 ] || exit 0
for f in /proc/net/tcp /proc/net/tcp6; do
	{ read -r _; while read -r _ at _ state _ _ _ _ _ inode _; do
		[ "$state" = 0A ] && printf 'l tcp:%d %s\n' "$((16#${at##*:}))" "$inode"
	done; } < "$f" 2>/dev/null
done
{ read -r _; while read -r _ _ _ flags _ _ inode name; do
	[ "$flags" = 00010000 ] && [ -n "$name" ] && printf 'l unix:%s %s\n' "$name" "$inode"
done; } < /proc/net/unix 2>/dev/null
for d in /proc/[0-9]*; do
	[ "$d" = /proc/1 ] || [ "$d" = "/proc/$$" ] && continue
	sockets=
	for f in "$d"/fd/*; do
		to=$(readlink "$f" 2>/dev/null)
		case $to in socket:*) to=${to#socket:?}; sockets="$sockets ${to%]}" ;; esac
	done
	[ -n "$sockets" ] || continue
	exe=$(readlink "$d/exe" 2>/dev/null); by=${exe##*/}; by=${by%% *}
	printf 'p %s\nx %s\n' "${d#/proc/}" "$exe"
	cwd=$(readlink "$d/cwd" 2>/dev/null)
	mapfile -d '' -t args < "$d/cmdline" 2>/dev/null
	for a in "${args[@]:1:20}"; do
		case $by:$a in
		python*:-|python*:-c|python*:-[bBEIsSu]c|python*:-[bBEIsSu][bBEIsSu]c|node:-|node:-e|node:--eval|node:-p|\
		perl*:-e|perl*:-|ruby*:-e|ruby*:-|*sh:-c|*sh:-s)
			printf 't\n'; break ;;
		*:-*|*:) continue ;;
		esac
		case $a in
		/*) file=$a ;;
		*) file=$cwd/$a ;;
		esac
		if [ -f "$file" ]; then printf 'f %s\n' "$(readlink -f "$file")"; continue; fi
		module=${a%%:*}; module=$cwd/${module//.//}
		for file in "$module.py" "$module/__main__.py" "$module/__init__.py"; do
			[ -f "$file" ] && { printf 'f %s\n' "$(readlink -f "$file")"; break; }
		done
	done
	for s in $sockets; do printf 's %s\n' "$s"; done
done`

// Listeners lists who waits for connections in a world; env is that of a check in it. Errors are the
// sandbox's.
func Listeners(ctx context.Context, w sandbox.Sandbox, env []string) ([]Listener, error) {
	res, err := w.Exec(ctx, sandbox.Cmd{Script: listening, Env: env})
	if err != nil {
		return nil, err
	}
	return readListeners(string(res.Stdout)), nil
}

// readListeners reads what listening prints.
func readListeners(out string) (list []Listener) {
	sockets := map[string]string{} // inode -> socket
	var p Listener
	for line := range strings.Lines(out) {
		kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch kind {
		case "l":
			at := strings.LastIndex(rest, " ")
			if at > 0 {
				sockets[rest[at+1:]] = rest[:at]
			}
		case "p":
			p = Listener{}
		case "x":
			p.Base = path.Base(strings.TrimSuffix(rest, " (deleted)"))
			if own(rest) {
				p.Program = append(p.Program, strings.TrimSuffix(rest, " (deleted)"))
			}
		case "t":
			p.Text = len(p.Program) == 0
		case "f":
			p.Program = append(p.Program, rest)
		case "s":
			if at, is := sockets[rest]; is {
				p.Socket, p.inode = at, rest
				list = append(list, p)
			}
		}
	}
	return list
}

// own reports whether a file lies where a contestant may write.
func own(p string) bool {
	return slices.ContainsFunc([]string{sandbox.WorkDir, sandbox.HomeDir, "/tmp", "/var/tmp", "/dev/shm", "/run"},
		func(dir string) bool { return strings.HasPrefix(p, dir+"/") })
}

// asListed is a file as a manifest names it.
func asListed(p string) string {
	if rest, in := strings.CutPrefix(p, sandbox.WorkDir+"/"); in {
		return rest
	}
	if rest, in := strings.CutPrefix(p, sandbox.HomeDir+"/"); in {
		return "~/" + rest
	}
	return p
}

// program is what a listener runs: the first file that is no part of the system, or what runs it.
func (l Listener) program() string {
	if l.Text {
		return l.Base + ": a text"
	}
	for _, p := range l.Program {
		if own(p) {
			return asListed(p)
		}
	}
	return l.Base
}

// listens begins the key of a socket and its program.
const listens = "listens "

// LearnListeners takes who waits for connections where a solution ran.
func (f *Footprint) LearnListeners(list []Listener) {
	var differences []Difference
	for _, l := range list {
		differences = append(differences, Difference{Key: l.Key(), Path: l.program()})
	}
	f.Learn(differences)
}

// Key is that of the socket and its program.
func (l Listener) Key() string { return listens + l.Socket + " " + l.program() }

// Impostors are listeners whose socket a solution has another program wait at. A file of the start that is as it
// was may start the program, as a server that loads it does. Who waited there at the start is none: it was not mended.
func (f *Footprint) Impostors(list []Listener, s *Start, now sandbox.Manifest) (out []Difference) {
	keys, _ := f.All()
	right := func(l Listener) (programs []string, is bool) {
		for key, program := range keys {
			if strings.HasPrefix(key, listens+l.Socket+" ") {
				programs = append(programs, program)
			}
		}
		return programs, programs == nil || slices.Contains(s.Waiting, l.Key()) ||
			slices.Contains(programs, l.program()) || l.starts(programs, s, now)
	}
	taken := map[string]bool{} // by whom it should be
	for _, l := range list {
		if _, is := right(l); is {
			taken[l.inode] = true
		}
	}
	for _, l := range list {
		right, is := right(l)
		if is || taken[l.inode] {
			continue
		}
		slices.Sort(right)
		out = append(out, Difference{Key: l.Key(), Path: l.program(),
			What: "waits at " + l.Socket + ", in the place of " + strings.Join(right, " or ")})
	}
	return out
}

// starts reports whether one of the right programs is started by others of the start that are as they were.
func (l Listener) starts(right []string, s *Start, now sandbox.Manifest) bool {
	for _, p := range l.Program {
		if slices.Contains(right, asListed(p)) {
			return !l.Text
		}
		was, had := tree.Lookup(s.Files, asListed(p))
		is, has := tree.Lookup(now, asListed(p))
		if own(p) && !(had && has && was.Sum == is.Sum) {
			return false
		}
	}
	return false
}
