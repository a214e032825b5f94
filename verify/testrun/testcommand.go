// Package testrun finds the tests that a script runs, and has their runner name each.
package testrun

import (
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/verify/testrun/leads"
)

// Bounds of looking for the tests that a script runs.
const (
	maxTestCommands = 6  // of one script
	maxRuns         = 24 // that a command comes to
	maxLeads        = 5  // a script, that leads to make, that leads to npm, …
)

// Command is a command in a script that runs tests, or leads to a program
// that does.
type Command struct {
	words   []string // "": known only when it runs
	assigns string   // text of the variables set in front of it
	// with gives the script with other text in place of the command.
	with func(text string) string
	args string // its words, as they are written
}

// Commands finds the commands of a script that run tests, or may lead to
// some, those of a loop over words that are written down once for each. One whose failure is what is wanted is none.
func Commands(src string) []Command {
	f, err := shell.Parse(src)
	if err != nil {
		return nil
	}
	list := commandsIn(src, f)
	return list[:min(len(list), maxTestCommands)]
}

func commandsIn(src string, in syntax.Node) (list []Command) {
	syntax.Walk(in, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return !n.Negated && !n.Background
		case *syntax.ForClause:
			list = append(list, ofLoop(src, n)...)
			return false
		case *syntax.CallExpr:
			list = append(list, callsOf(src, n)...)
		}
		return true
	})
	return list
}

// ofLoop gives the commands of a loop: where it says its words, each with the loop over one of them.
func ofLoop(src string, n *syntax.ForClause) (list []Command) {
	var body []Command
	for _, s := range n.Do {
		body = append(body, commandsIn(src, s)...)
	}
	over, is := n.Loop.(*syntax.WordIter)
	unknown := func(w *syntax.Word) bool { return shell.Text(w) == "" }
	if !is || len(over.Items) < 2 || slices.ContainsFunc(over.Items, unknown) {
		return body
	}
	from, to := over.Items[0].Pos().Offset(), over.Items[len(over.Items)-1].End().Offset()
	for _, w := range over.Items {
		word := src[w.Pos().Offset():w.End().Offset()]
		for _, c := range body {
			inner := c.with
			c.with = func(text string) string { // the loop's words stand before its body
				s := inner(text)
				return s[:from] + word + s[to:]
			}
			list = append(list, c)
		}
	}
	return list
}

// Plantable reports whether tests may be planted beside those that a command runs,
// or leads to.
func (c Command) Plantable() bool {
	runner, _ := runnerOf(c.words)
	return runner == nil || runner.Source != nil
}

// Runs reports whether a script itself runs tests of a runner that is known.
func Runs(src string) bool {
	return slices.ContainsFunc(Commands(src), func(c Command) bool {
		runner, _ := runnerOf(c.words)
		return runner != nil
	})
}

// callsOf knows one call: a runner, a leader, or a shell that is given a script.
func callsOf(src string, n *syntax.CallExpr) []Command {
	words := shell.CommandWords(n)
	if len(words) > 1 && shell.Text(words[0]) == "exec" {
		words = words[1:]
	}
	if len(words) == 0 || slices.ContainsFunc(n.Args[:len(n.Args)-len(words)],
		func(w *syntax.Word) bool { return shell.Text(w) == "xargs" }) {
		return nil
	}
	if script := innerScript(words); script != nil {
		var list []Command
		for _, c := range Commands(shell.Text(script)) {
			inner := c.with
			c.with = func(text string) string {
				quoted, err := syntax.Quote(inner(text), syntax.LangBash)
				if err != nil {
					return src
				}
				return replaced(src, script, script, quoted)
			}
			list = append(list, c)
		}
		return list
	}
	c := Command{}
	for _, w := range words {
		c.words = append(c.words, shell.Text(w))
	}
	_, c.words = shell.Moved(c.words)
	behind := prefixed(c.words)
	before := c.words[:behind]
	c.words = unglued(c.words[behind:])
	if runner, _ := runnerOf(c.words); runner == nil {
		if p, _ := leads.Of(before, c.words); p == nil {
			return nil
		}
	}
	start := syntax.Node(n)
	for i, a := range n.Assigns {
		if i > 0 {
			c.assigns += " "
		}
		c.assigns += src[a.Pos().Offset():a.End().Offset()]
	}
	from := n.Args[0]
	if shell.Text(from) == "exec" {
		from = words[0]
	}
	c.args = src[from.Pos().Offset():n.End().Offset()]
	c.with = func(text string) string { return replaced(src, start, n, text) }
	return []Command{c}
}

func replaced(src string, from, to syntax.Node, text string) string {
	return src[:from.Pos().Offset()] + text + src[to.End().Offset():]
}

// innerScript is the script of sh -c '…', nil where there is none that is known.
func innerScript(words []*syntax.Word) *syntax.Word {
	if !slices.Contains([]string{"sh", "bash", "dash"}, path.Base(shell.Text(words[0]))) {
		return nil
	}
	for i, w := range words[1:] {
		s := shell.Text(w)
		if !strings.HasPrefix(s, "-") {
			return nil
		}
		if strings.HasSuffix(s, "c") && !strings.HasPrefix(s, "--") && i+2 < len(words) {
			if shell.Text(words[i+2]) == "" {
				return nil
			}
			return words[i+2]
		}
	}
	return nil
}

// standing is where a script stood when it came to a command: its words, with
// everything expanded, the directory relative to the project, as which the script sees root, and
// what brings a shell there again.
type standing struct {
	argv []string
	dir  string
	root string
	back string
}

// seenRoot is a script that prints which directory is the project, by the name that a
// script was at: the project may be seen at another place, too. "/": none is.
func seenRoot(root, at string) string {
	return "IFS= read -r r < " + root + "; IFS= read -r d < " + at + "; " +
		`while [ "$d" != / ] && ! [ "$d" -ef "$r" ]; do d=${d%/*}; d=${d:-/}; done; printf '%s\n' "$d"; `
}

// stand runs a script up to one of its commands and says where it stood; nil:
// it never came there, or stood outside of the project. Errors are the
// sandbox's.
func (c *Command) stand(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd) (*standing, error) {
	tmp := "/tmp/." + word()
	vars, argv := tmp+".v", tmp+".a"
	assigned := ""
	if c.assigns != "" {
		assigned = c.assigns + " "
	}
	probe := fmt.Sprintf(
		`{ { declare -p; declare -f; } > %s 2>/dev/null || export -p > %s; { pwd -P; printf '%%s\0' %s; } > %s; exit 0; }`,
		vars, vars, c.args, argv)
	cmd.Script = "command pwd -P > " + tmp + ".p\n" + c.with(probe)
	if _, err := sb.Exec(ctx, cmd); err != nil {
		return nil, err
	}
	q := sandbox.Cmd{Script: seenRoot(tmp+".p", argv) + "cat " + tmp + ".p " + argv + "; rm -f " + tmp + ".p " + argv,
		Env: cmd.Env}
	res, err := sb.Exec(ctx, q)
	if err != nil || res.Exit != 0 {
		return nil, err
	}
	seen, rest, _ := strings.Cut(string(res.Stdout), "\n")
	_, rest, _ = strings.Cut(rest, "\n")
	dir, words, found := strings.Cut(rest, "\n")
	if !found || seen == "/" || dir != seen && !strings.HasPrefix(dir, seen+"/") {
		return nil, nil
	}
	st := &standing{argv: strings.Split(strings.TrimSuffix(words, "\x00"), "\x00"), root: seen,
		dir: strings.TrimPrefix(strings.TrimPrefix(dir, seen), "/")}
	quoted, err := syntax.Quote(dir, syntax.LangBash)
	if err != nil {
		return nil, nil
	}
	st.back = fmt.Sprintf(". %s > /dev/null 2>&1; set +eu; cd %s || exit; %s", vars, quoted, assigned)
	if !st.moves() {
		return nil, nil
	}
	return st, nil
}

// moves goes to where its command goes itself. It reports false where that is outside of the project.
func (s *standing) moves() bool {
	dirs, argv := shell.Moved(s.argv)
	for _, dir := range dirs {
		if path.IsAbs(dir) {
			if dir != s.root && !strings.HasPrefix(dir, s.root+"/") {
				return false
			}
			s.dir = ""
			dir = strings.TrimPrefix(strings.TrimPrefix(dir, s.root), "/")
		}
		if s.dir = path.Join(s.dir, dir); s.dir == ".." || strings.HasPrefix(s.dir, "../") {
			return false
		}
		quoted, err := syntax.Quote(path.Join(s.root, s.dir), syntax.LangBash)
		if err != nil {
			return false
		}
		at := strings.LastIndex(s.back, "|| exit; ") + len("|| exit; ")
		s.back = s.back[:at] + "cd " + quoted + " || exit; " + s.back[at:]
	}
	s.argv = argv
	return len(argv) > 0
}

// Run is a test run that a script comes to: how it is run again, so that it
// names each test.
type Run struct {
	Runner *Runner
	Word   string // in front of its record
	Dir    string // relative to the project
	Loud   string
	Chosen bool     // it runs only some tests
	Named  []string // files of tests that it names: it runs no others

	fresh string                      // Loud, with no result of an earlier run
	goes  string                      // the same, where each test is named as it begins
	back  string                      // what brings a shell to where they are run
	again func(how Disguise) []string // the same tests, disguised
}

// Disguised is the script that runs the same tests in a disguise; "": there is none.
func (r *Run) Disguised(how Disguise) string {
	if r.Runner.disguised == nil {
		return ""
	}
	argv := r.again(how)
	text, err := shell.Quote(argv)
	if argv == nil || err != nil {
		return ""
	}
	return r.back + text
}

// wrappers run the program that follows them, as what measures coverage does; the second word
// is what they are told to do.
var wrappers = []string{"nyc", "c8", "cross-env", "uv run", "poetry run", "pdm run", "pipenv run", "rye run",
	"hatch run",
	"tox exec", "pnpm exec", "yarn exec", "bundle exec"}

// ofCoverage are flags of nyc and c8 whose value is the word behind them.
var ofCoverage = []string{"--include", "--exclude", "-n", "-x", "--reporter", "-r", "--extension", "-e",
	"--temp-directory", "--temp-dir", "--report-dir", "--reports-dir", "--reporter-options", "-o", "--src", "--config",
	"-c", "--nycrc-path", "--cwd", "--require", "-i", "--lines", "--functions", "--branches", "--statements"}

// wrapped is how many words of a command call another one; 0: none.
func wrapped(argv []string) int {
	if leads.OfPackage(argv) {
		at := 1
		for at < len(argv) && strings.HasPrefix(argv[at], "-") {
			at++
		}
		if at == len(argv) || wrapped(argv[at:]) == 0 {
			return 0 // the program may run tests itself
		}
		return at + wrapped(argv[at:])
	}
	for n := 1; n <= min(2, len(argv)); n++ {
		if slices.Contains(wrappers, strings.Join(append([]string{path.Base(argv[0])}, argv[1:n]...), " ")) {
			return n
		}
	}
	return 0
}

// prefixed gives what stands in front of the program that is run: timeout 60.
func prefixed(argv []string) int {
	n := 0
	for n < len(argv) {
		if words := shell.Prefixed(argv[n:]); words > 0 {
			n += words
			continue
		}
		words := wrapped(argv[n:])
		if words == 0 {
			break
		}
		measures := slices.Contains([]string{"nyc", "c8"}, path.Base(argv[n+words-1]))
		for n += words; n < len(argv) && (strings.HasPrefix(argv[n], "-") || strings.Contains(argv[n], "=") ||
			shell.IsNumber(argv[n])); n++ {
			if measures && slices.Contains(ofCoverage, argv[n]) {
				n++
			}
		}
		n = min(n, len(argv))
	}
	return n
}

// run is a run of a runner that is known, behind n words that start it; nil: it is told to do something else.
func (s *standing) run(runner *Runner, n int, args []string) (*Run, error) {
	w := word()
	loud := runner.loud(s.argv[n:], w)
	if loud == nil {
		return nil, nil
	}
	text, err := shell.Quote(behind(s.argv[:n], loud))
	if err != nil {
		return nil, err
	}
	now, err := shell.Quote(behind(s.argv[:n], uncached(runner, loud)))
	if err != nil {
		return nil, err
	}
	goes, err := shell.Quote(behind(s.argv[:n], uncached(runner, runner.asItGoes(s.argv[n:], loud, w))))
	again := func(how Disguise) []string {
		if argv := runner.disguised(s.argv[n:], how); argv != nil {
			return behind(s.argv[:n], argv)
		}
		return nil
	}
	return &Run{Runner: runner, Word: w, Dir: s.dir, Loud: s.back + text, Chosen: runner.chosen(args),
		Named: filesNamed(args), fresh: s.back + now, goes: s.back + goes, back: s.back, again: again}, err
}

// behind is a command behind the programs that start it. Up to its version 10, nyc takes flags of the command for its
// own, --reporter among them: it is given a script.
func behind(before, argv []string) []string {
	if slices.ContainsFunc(before, func(w string) bool { return path.Base(w) == "nyc" }) {
		if text, err := shell.Quote(argv); err == nil {
			argv = inShell("exec " + text)
		}
	}
	return slices.Concat(before, argv)
}

// printed is a run of a command that leads to no runner that is known, as it stands.
func (s *standing) printed() (*Run, error) {
	text, err := shell.Quote(s.argv)
	if err != nil {
		return nil, err
	}
	as := s.back + text
	return &Run{Runner: printedRunner(), Word: word(), Dir: s.dir, Loud: as, Chosen: true, fresh: as, goes: as,
		back: s.back}, nil
}

// filesNamed gives the files among the arguments of a test runner: words with an
// extension, up to the test that may be named in one.
func filesNamed(args []string) (files []string) {
	for _, a := range args {
		a, _, _ = strings.Cut(a, "::")
		if ext := path.Ext(a); !strings.HasPrefix(a, "-") &&
			slices.Contains([]string{".go", ".py", ".js", ".mjs", ".cjs",
				".ts", ".mts", ".cts"}, ext) && !strings.ContainsAny(a, "*?[{") {
			files = append(files, path.Clean(a))
		}
	}
	return files
}

// start brings a shell to where the script stood, with what was set in front
// of the command set for all that follows.
func (s *standing) start() string {
	at := strings.LastIndex(s.back, "|| exit; ") + len("|| exit; ")
	assigns := strings.TrimSpace(s.back[at:])
	if assigns != "" {
		assigns = "export " + assigns
	}
	return s.back[:at] + assigns + "\n"
}

// lead gives the script of what a command runs because a file of the project says so, behind the words before it that
// start it; "": that can't be told.
func (s *standing) lead(ctx context.Context, sb sandbox.Sandbox, cmd sandbox.Cmd, before, argv []string) (
	string, error) {
	p, argv := leads.Of(before, argv)
	if p == nil {
		return "", nil
	}
	ask := p.Ask(before, argv)
	if ask == "" {
		return "", nil
	}
	cmd.Script = s.start() + ask
	res, err := sb.Exec(ctx, cmd)
	if err != nil || !res.OK() || res.Cut > 0 {
		return "", err
	}
	return p.Script(argv, string(res.Stdout)), nil
}

// word is a name that the contestant's code can't know.
func word() string { return "c" + strings.ToLower(rand.Text()[:10]) }
