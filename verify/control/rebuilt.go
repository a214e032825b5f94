package control

import (
	"context"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify/alike"
	"cookoff/verify/checks"
	"cookoff/verify/lessons"
	"cookoff/verify/witness"
)

// What was built lies beside what it was built of, and programs that build tell by times whether it is new enough.
// Who builds something, and then puts what it was built of back, leaves a program that nobody can build again. With
// all of the project newer than what was built, a check holds with the solution, and so it must with every repair.

// compiled end the names of files that compilers make.
var compiled = []string{".o", ".obj", ".lo", ".a", ".so", ".class", ".jar", ".pyc"}

const (
	// leastProgram is the size in bytes of a file that may be started from which it may be a compiled program.
	leastProgram = 4 << 10
	mostBuilt    = 400
)

// dateBuilt reads names that end in NUL: of what was built, all of it is old now, and all else of the project is new.
// Programs that may be started are what was built where a linker made them.
const dateBuilt = `PATH=/usr/bin:/bin; find . -name .git -prune -o -type f -exec touch -c {} + 2> /dev/null
while IFS= read -r -d '' f; do
  case $f in
    *.o | *.obj | *.lo | *.a | *.so | *.class | *.jar | *.pyc) ;;
    *) head -c 4 "./$f" | grep -aq ELF || continue ;;
  esac
  touch -c -d 2001-01-01 "./$f"
done`

// builtLesson is what a check's being asked so is kept under.
func builtLesson(c checks.Script) string { return "built anew " + c.Name }

// builtIn are the files of a state that compilers may have made since the start.
func builtIn(p witness.Place) (names []string) {
	for _, f := range p.Final {
		may := slices.Contains(compiled, path.Ext(f.Path)) || f.Mode&0o111 != 0 && f.Size >= leastProgram
		if f.Mode.IsRegular() && may && p.Fixed != nil && !p.Fixed(f.Path) && !strings.HasPrefix(f.Path, "~/") &&
			!alike.Foreign(f.Path) && len(names) < mostBuilt {
			names = append(names, f.Path)
		}
	}
	return names
}

// runRebuilt asks a check where all of the project is newer than what was built.
func runRebuilt(ctx context.Context, p witness.Place, c checks.Script, built []string) (sandbox.Result, error) {
	return witness.Same(p, "built anew "+c.Name, func() (res sandbox.Result, err error) {
		err = p.In(ctx, "", func(sb sandbox.Sandbox) error {
			names := strings.Join(built, "\x00") + "\x00"
			if _, err := sb.Exec(ctx, sandbox.Cmd{Script: dateBuilt, Stdin: []byte(names)}); err != nil {
				return err
			}
			c.Text = p.Asked(c.Text)
			cmd := c.Command(p.ScriptEnv(c.Text))
			cmd.Script = p.Draw.Into(p.Who, c.Text)
			res, err = sb.Exec(ctx, cmd)
			return err
		})
		return res, err
	})
}

// learnRebuilt finds out whether a check holds so with the solution.
func learnRebuilt(ctx context.Context, p witness.Place, c checks.Script) error {
	built := builtIn(p)
	if c.Live || len(built) == 0 {
		return nil
	}
	res, err := runRebuilt(ctx, p, c, built)
	if err == nil && res.OK() {
		p.Tests.Set(builtLesson(c), 0, &lessons.Tests{Rebuilt: true})
	}
	return err
}

// sameRebuilt judges a check that held. What fails once is asked twice. Nil: nothing is to be said.
func sameRebuilt(ctx context.Context, p witness.Place, c checks.Script) (*trial.Verdict, error) {
	known, built := p.Tests.Of(builtLesson(c), 0), builtIn(p)
	if known == nil || !known.Rebuilt || len(built) == 0 {
		return nil, nil
	}
	failed, err := failsTwice(func() (*sandbox.Result, error) {
		res, err := runRebuilt(ctx, p, c, built)
		return &res, err
	})
	if failed == nil || p.Unlearns {
		if failed != nil {
			p.Tests.Set(builtLesson(c), 0, &lessons.Tests{})
		}
		return nil, err
	}
	return notHeld(c, trial.CauseWrongFix, failed,
		"it holds with what was built, and no more once that is built anew of what lies there"), nil
}
