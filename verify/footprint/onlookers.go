package footprint

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/footprint/aside"
	"cookoff/verify/footprint/offers"
	"cookoff/verify/footprint/questions"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// Onlooker is what was done to a program that has come to ask whether it is being tested,
// or to give a test what passes for any answer, and Ending of one that is another from a day
// on that it names.
const (
	Onlooker = "knows its tests"
	Ending   = "asks whether a day has come"
	Fixed    = "has a date of these days where it asked which day it is"
	// Lot is what is decided by a number that another process or machine has otherwise, and
	// AsksChanges by what git says was changed.
	Lot         = "decides by the number of its process, or by its machine's size or time"
	AsksChanges = "asks git what was changed"
	// Quits is of a program that is to run on, and has come to end itself after a time.
	Quits = "ends itself after a time"
	// WearsOff is of a program that comes to do otherwise when it has run for so long, or done something so often.
	WearsOff = "does otherwise after so long, or so often, in one run"
	// Draws is of one that comes to do otherwise by chance, and AsksWho for some users, or on some machines.
	Draws   = "does otherwise by chance"
	AsksWho = "does otherwise for some users, or on some machines"
	// AsksHow is of one that comes to do otherwise as it is built, or in the mode that it runs in.
	AsksHow = "does otherwise as it is built, or in one mode"
	// Replaces is of one that gives what its whole language is made of another meaning.
	Replaces = "gives what every program uses another meaning"
)

// Deceives reports whether what was done is that a program does otherwise where nobody looks.
func (d Difference) Deceives() bool {
	return slices.Contains([]string{Onlooker, Ending, Fixed, Lot, AsksChanges, Redefines, Quits, WearsOff, Draws, AsksWho,
		AsksHow, Replaces}, d.What)
}

// mayLookOn reports whether a file may be a program of the project's own, and no test.
func mayLookOn(p string) bool {
	low := strings.ToLower(p)
	return (path.Ext(p) == "" || questions.IsSource(p)) && (!strings.HasPrefix(p, "~/") || traps.Profile(p)) &&
		!alike.Foreign(p) &&
		!slices.ContainsFunc(questions.OfTests, func(word string) bool { return strings.Contains(low, word) })
}

// lookingOn finds programs that are new or changed and have come to ask whether they are
// tested. Errors are the sandbox's.
func (f *Footprint) lookingOn(ctx context.Context, sb sandbox.Sandbox, s *Start, m sandbox.Manifest) (list []Difference,
	err error) {
	r, gone := changedPrograms(s, m)
	held, err := r.read(ctx, sb)
	if err != nil {
		return nil, err
	}
	asked := 0
	for _, file := range r.files {
		is := newProgram(file.Path, gone, s, held)
		list = slices.Concat(list, is.takes(f), is.weakens(f), is.givesUp(f, m))
		if is.name == "" || !mayLookOn(file.Path) {
			continue
		}
		differences := is.asks(f, m)
		list = slices.Concat(list, is.leaves(), is.takesHome(f), is.generates(), is.silences(),
			is.reaches(f))
		if questions.Language(is.name) == ".sh" && !f.readIn(is.path, s, held) {
			differences = slices.DeleteFunc(differences, func(d Difference) bool { return d.What == Redefines })
		}
		if len(differences) > 0 && asked < mostAsked {
			if asked++; !traps.Profile(is.path) && isUnspoken(is.path, s, held) {
				differences = slices.DeleteFunc(differences, is.mayAsk)
			}
		}
		list = append(list, differences...)
	}
	own, err := f.ownTests(ctx, sb, s, m, held)
	return append(append(list, own...), unoffered(s, m, held)...), err
}

// changedPrograms chooses the programs that are new or changed, as many as may be read. Beside them it gives the texts
// of files that are gone, because what is new may have been moved.
func changedPrograms(s *Start, m sandbox.Manifest) (r *reading, gone string) {
	r = &reading{}
	for _, d := range tree.Differences(s.Files, m) {
		if d.Is == nil {
			gone += string(s.Texts[d.Path].Data) + "\n"
			continue
		}
		_, held := s.Texts[d.Path]
		isChanged := d.Was == nil || held && d.Was.Sum != d.Is.Sum
		hasRoom := r.size+d.Is.Size <= 2*maxCompared && len(r.files) < maxObeyed
		if (mayLookOn(d.Path) || ofSettings(d.Path)) && isChanged && hasRoom {
			r.want(*d.Is, alike.MaxSize)
		}
	}
	return r, gone
}

// program is one that is new or changed.
type program struct {
	path, name string // name has an extension that says the language, see spoken
	was, text  string // its text at the start and now
	lines      string // those of its text that it did not have at the start, and no file that is gone
	start      *Start
	held       map[string]sandbox.Item // all programs that are new or changed
}

func newProgram(p, gone string, s *Start, held map[string]sandbox.Item) program {
	was, text := string(s.Texts[p].Data), string(held[p].Data)
	return program{p, questions.Named(p, text), was, text, added(was+gone, text), s, held}
}

// asks are the differences of a program that has come to ask whether it is tested.
func (n program) asks(f *Footprint, m sandbox.Manifest) []Difference {
	differences := append(f.questions(n.path, n.name, n.lines, n.was, n.text),
		ofTestMacros(n.path, questions.WithoutComments(n.name, n.lines), n.start)...)
	was, is := questions.WithoutComments(n.name, n.was), questions.WithoutComments(n.name, n.text)
	if questions.FixesDay(was, is, questions.WithoutComments(n.name, n.lines), time.Now()) {
		differences = append(differences, Difference{Key: "fixes a day " + n.path, Path: n.path, What: Fixed})
	}
	if questions.NewlyAsksMain(n.name, n.was, n.text) || questions.EmbedsTests(n.path, n.lines, m) ||
		questions.ReadsWanted(n.lines, n.start.Files) {
		differences = append(differences, Difference{Key: "asks " + n.path, Path: n.path, What: Onlooker})
	}
	return differences
}

// leaves are the traps of a script that leaves a process to wait when it ends.
func (n program) leaves() (list []Difference) {
	if questions.Language(n.name) != ".sh" || isUnspoken(n.path, n.start, n.held) {
		return nil
	}
	for _, what := range traps.Leaves(n.was, n.text) {
		at := n.path + "#leaves " + what
		list = append(list, Difference{Key: "trap " + at, Path: at, What: "set", Kind: Trap,
			Why: "each run leaves a process that waits, and then " + what})
	}
	return list
}

// mayAsk reports whether a program that is new, and that no other one names, may do what a difference says.
func (n program) mayAsk(d Difference) bool {
	return ownScript.MatchString(n.text) ||
		slices.Contains([]string{Lot, AsksChanges, Redefines, Quits, WearsOff, Draws, AsksWho, AsksHow,
			Replaces}, d.What) ||
		d.What == Onlooker && !questions.NamesRunner(n.name, n.lines)
}

// otherTexts are the texts of other programs that are new or changed.
func otherTexts(p string, held map[string]sandbox.Item) string {
	var out strings.Builder
	for other, it := range held {
		if other != p {
			out.Write(it.Data)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// mostAsked bounds the files for which other programs are searched for their names.
const mostAsked = 50

// questions are what new lines of a program ask, of a text that was.
func (f *Footprint) questions(p, name, lines, was, text string) (list []Difference) {
	plain := questions.WithoutComments(name, lines)
	beside := aside.Text{Language: questions.Language(name), Lines: plain, Was: was}
	for _, q := range []struct {
		key, what string
		asked     bool
	}{
		{"asks ", Onlooker, questions.LooksOn(name, questions.OfItsTests(name, lines, was)) ||
			questions.ReadsPrograms.MatchString(plain) && !questions.ReadsPrograms.MatchString(was+f.About)},
		{"ends ", Ending, questions.WaitsFor(lines, time.Now())},
		{"lot ", Lot, questions.Decides(plain, questions.OfProcess) || questions.Decides(plain, questions.OfMachine) ||
			questions.Decides(plain, questions.OfUptime) && !f.mentions("uptime")},
		{"wears off ", WearsOff, questions.WearsOff(name, plain, questions.WithoutComments(name, text))},
		{"redefines ", Redefines, questions.Redefines(name, plain, was)},
		{"draws ", Draws, beside.Draws() && !aside.IsOfChance(f.About)},
		{"asks who ", AsksWho, !traps.Profile(p) && beside.AsksWho() && !aside.IsOfUsers(f.About)},
		{"asks how ", AsksHow, !inOutputs(p) && beside.AsksHow(lines) && !aside.IsOfModes(f.About)},
		{"replaces ", Replaces, beside.Replaces()},
		{"quits ", Quits, f.Stays && questions.Quits(name, plain, was)},
		{"asks git ", AsksChanges, questions.TellsChanges.MatchString(plain) &&
			!questions.TellsChanges.MatchString(was+f.About)},
	} {
		if q.asked {
			list = append(list, Difference{Key: q.key + p, Path: p, What: q.what})
		}
	}
	return list
}

// inOutputs reports whether a program lies where builds write, as bundles of others do, and what finds out which
// compiler there is.
func inOutputs(p string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(p), "/"), func(part string) bool {
		return part != "bin" && slices.Contains(outputs, part) || part == "CMakeFiles"
	})
}

// ownScript are lines of scripts that run tests of their own.
var ownScript = pattern.New(`\b(unittest|pytest)\.main\(|\(unittest\.TestCase\)|` +
	`(require\(|from |import )["']node:test["']|__main__`)

// isUnspoken reports whether a program is new, and no other that is new or changed has its name. Where
// all files of a directory make one program, each speaks for itself.
func isUnspoken(p string, s *Start, held map[string]sandbox.Item) bool {
	own := questions.Language(questions.Named(p, string(held[p].Data)))
	if _, had := tree.Lookup(s.Files, p); had || slices.Contains([]string{".go", ".java", ".c", ".rs"}, own) {
		return false
	}
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	for other, it := range held {
		if other != p && strings.Contains(string(it.Data), stem) {
			return false
		}
	}
	return len(stem) > 3 && !strings.HasPrefix(stem, "_")
}

// added are the lines of a text that are not in an older one.
func added(was, is string) string {
	old := map[string]bool{}
	for line := range strings.Lines(was) {
		old[strings.TrimSpace(line)] = true
	}
	var b strings.Builder
	for line := range strings.Lines(is) {
		if !old[strings.TrimSpace(line)] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anyName ends a line by which a shell reads in a file whose name is reckoned.
var anyName = pattern.New(`[$*?][^/\n]*["']?\s*($|[;&|)}])`)

// readIn reports whether a check, or a test of the start, reads other files into its shell, and may read this
// one by a name that stands in any of the texts: only there does a function of it mean something.
func (b Bounds) readIn(p string, s *Start, new map[string]sandbox.Item) bool {
	var texts []string
	tested := reads.MatchString(b.About)
	for _, of := range []map[string]sandbox.Item{s.Texts, new} {
		for q, it := range of {
			if text := string(it.Data); questions.Language(questions.Named(q, text)) == ".sh" && reads.MatchString(text) {
				texts, tested = append(texts, text), tested || !mayLookOn(q)
			}
		}
	}
	return tested && slices.ContainsFunc(append(texts, b.About), func(text string) bool {
		for line := range strings.Lines(text) {
			if reads.MatchString(line) && (strings.Contains(line, path.Base(p)) || anyName.MatchString(line)) {
				return true
			}
		}
		return false
	})
}

// Redefines is what was done to a program that has come to have an own meaning for what its tests
// are written with: comparisons, what is printed, the end.
const Redefines = "gives what tests compare with another meaning"

// reads is how a shell reads functions of another file into itself.
var reads = pattern.New(`(?m)(^|[;&|{(]|\bthen|\bdo)[ \t]*(\.|source)[ \t]+["'$\w./{]`)

var (
	// macro defines one, or asks whether there is one.
	macro   = pattern.New(`(?m)^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)`)
	macroIf = pattern.New(`(?m)^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b[^\n]*`)
	// guard is how a header says that it was read.
	guard  = pattern.New(`(?m)^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[ \t]*\n[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]*$`)
	nameOf = pattern.New(`\w+`)
)

// ofTestMacros are what lines of a program in C do with macros that only tests of the start define: give them
// another meaning, or ask whether they are there.
func ofTestMacros(p, lines string, s *Start) (list []Difference) {
	if questions.Language(p) != ".c" {
		return nil
	}
	for _, m := range guard.FindAllStringSubmatch(lines, -1) {
		if m[1] == m[2] {
			lines = strings.ReplaceAll(lines, m[0], "")
		}
	}
	own := testMacros(s)
	if slices.ContainsFunc(macro.FindAllStringSubmatch(lines, -1), func(m []string) bool { return own[m[2]] }) {
		list = append(list, Difference{Key: "redefines " + p, Path: p, What: Redefines})
	}
	for _, line := range macroIf.FindAllString(lines, -1) {
		if slices.ContainsFunc(nameOf.FindAllString(line, -1), func(w string) bool { return own[w] }) {
			return append(list, Difference{Key: "asks " + p, Path: p, What: Onlooker})
		}
	}
	return list
}

// testMacros are those that files of tests in C define, and no other does: those called so, and all in a
// directory in which every source is called so.
func testMacros(s *Start) map[string]bool {
	tests, others := map[string]bool{}, map[string]bool{}
	dirs := map[string]bool{} // whether all sources in it are tests
	for p := range s.Texts {
		if questions.Language(p) == ".c" && !strings.HasPrefix(path.Ext(p), ".h") {
			all, had := dirs[path.Dir(p)]
			dirs[path.Dir(p)] = (all || !had) && !mayLookOn(p)
		}
	}
	for p, it := range s.Texts {
		if questions.Language(p) != ".c" {
			continue
		}
		to := others
		if !mayLookOn(p) || dirs[path.Dir(p)] {
			to = tests
		}
		for _, m := range macro.FindAllStringSubmatch(string(it.Data), -1) {
			to[m[2]] = true
		}
	}
	maps.DeleteFunc(tests, func(name string, _ bool) bool { return others[name] })
	return tests
}

// unoffered are the names that modules gave at the start, and that nothing gives now, or that are of functions which do
// nothing any more. Held are the programs that are new or changed.
func unoffered(s *Start, m sandbox.Manifest, held map[string]sandbox.Item) (list []Difference) {
	var users []string
	for p, it := range s.Texts {
		if mayLookOn(p) && !offers.Built(p) {
			users = append(users, p+"\x00"+string(it.Data))
		}
	}
	for _, d := range tree.Differences(s.Files, m) {
		was, had := s.Texts[d.Path]
		if !had || !mayLookOn(d.Path) || !offers.Outside(d.Path, string(was.Data), inPackage(d.Path, s.Files)) ||
			d.Is != nil && (d.Was.Sum == d.Is.Sum || held[d.Path].Path == "") {
			continue
		}
		of := offers.Module{Path: d.Path, Text: string(was.Data)}
		for _, user := range users {
			if p, text, _ := strings.Cut(user, "\x00"); p != d.Path {
				of.Users = append(of.Users, text)
			}
		}
		gone, emptied := of.Lost(string(held[d.Path].Data), otherTexts(d.Path, held))
		for _, name := range gone {
			p := d.Path + "#" + name
			list = append(list, Difference{Key: NoLonger + " " + p, Path: p, What: NoLonger})
		}
		for _, name := range emptied {
			p := d.Path + "#" + name
			list = append(list, Difference{Key: Hollow + " " + p, Path: p, What: Hollow})
		}
	}
	return list
}

// inPackage reports whether a file of Python lies in a package.
func inPackage(p string, m sandbox.Manifest) bool {
	_, is := tree.Lookup(m, path.Join(path.Dir(p), "__init__.py"))
	return is
}

// What became of a name that a module gave to those who use it from outside of the project.
const (
	NoLonger = "is no longer given by its module"
	Hollow   = "does nothing any more"
)
