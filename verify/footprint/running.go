package footprint

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/glob"
	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/verify/alike"
	"cookoff/verify/footprint/aside"
	"cookoff/verify/footprint/questions"
	"cookoff/verify/traps"
	"cookoff/verify/tree"
)

// runs begins the key of a file that the task's programs change when checks run them, and rewrites what follows it
// where they do more than write behind what was in it.
const (
	runs     = "runs "
	rewrites = "rewrites "
)

// LearnRunning takes what checks changed where a solution had run, in a world where all of
// them ran. What they remove there, whoever tries the repair removes as well.
func (f *Footprint) LearnRunning(changes []tree.Change) {
	var list []Difference
	for _, ch := range changes {
		list = append(list, Difference{Key: runs + ch.Path, Path: ch.Path})
		if ch.What == "removed" {
			list = append(list, Difference{Key: runs + "removed " + ch.Path, Path: ch.Path})
		}
		how := rewrites
		if ch.More {
			how = grows
		}
		list = append(list, Difference{Key: runs + how + ch.Path, Path: ch.Path})
	}
	f.Learn(list)
}

// Running are, as differences, changes that were made while checks ran, and are not made with
// the solution, which may only write behind what is in a file. What is kept for the tools, outputs of builds, logs that
// grow, repositories and what the solution writes itself are none.
func (f *Footprint) Running(changes []tree.Change, s *Start, now sandbox.Manifest) (list []Difference) {
	o := &observer{from: snapshot{files: s.Files, held: s.Held}, to: snapshot{files: now}, bounds: f.Bounds,
		texts: texts{was: s.Texts}}
	o.built = o.builds()
	for _, ch := range changes {
		if f.Has(runs+grows+ch.Path) && !f.Has(runs+rewrites+ch.Path) && !ch.More {
			list = append(list, Difference{Key: "content " + ch.Path, Path: ch.Path,
				What: "what was in it lost while a check ran"})
			continue
		}
		if f.Has(runs+ch.Path) || f.Has(made+ch.Path) || f.solves(ch.Path) || tree.KeptByPrograms(ch.Path) ||
			o.isBuilt(ch.Path) || ch.What == "content" && tree.IsLog(ch.Path) && !shrunk(ch.Path, o.from, o.to) ||
			strings.Contains("/"+ch.Path, "/.git/") {
			continue
		}
		list = append(list, Difference{Key: "content " + ch.Path, Path: ch.Path, What: ch.What + " while a check ran"})
	}
	return list
}

// Allows reports whether the task says that a difference is a repair's to do.
func (f *Footprint) Allows(d Difference) bool { return f.Allowed.lets(d) }

// shrunk reports whether a file is smaller than it was: what it said is not all there.
func shrunk(p string, from, to snapshot) bool {
	was, had := tree.Lookup(from.files, p)
	is, has := tree.Lookup(to.files, p)
	return had && has && is.Size < was.Size
}

// takesHome are the traps of a program that has come to take away what lies in HOME, with all that is in there: nobody
// who mends a project has a use for that, and no check has anything in its HOME to miss.
func (n program) takesHome(f *Footprint) (list []Difference) {
	var found []string
	if questions.Language(n.name) == ".sh" {
		found = traps.HomeTaken(n.was, n.text)
	} else if what := traps.HomeRemoved(questions.WithoutComments(n.name, n.lines)); what != "" &&
		traps.HomeRemoved(n.was) == "" {
		found = []string{what}
	}
	for _, what := range found {
		if strings.Contains(f.About, what) {
			continue
		}
		at := n.path + "#takes HOME away"
		list = append(list, Difference{Key: "trap " + at, Path: at, What: "set", Kind: Trap,
			Why: "each run takes away what lies in HOME: " + what})
	}
	return list
}

// silences is the trap of a program that has come to tell checkers to leave all of it out.
func (n program) silences() []Difference {
	if !(aside.Text{Lines: n.lines, Was: n.was}).Silences() {
		return nil
	}
	return []Difference{n.does(aside.Silent)}
}

// generates are the traps of a program of Go by which "go generate" has come to take something away.
func (n program) generates() (list []Difference) {
	if questions.Language(n.name) != ".go" {
		return nil
	}
	for _, what := range traps.GeneratesTake(n.was, n.text) {
		at := n.path + "#generate " + what
		list = append(list, Difference{Key: "trap " + at, Path: at, What: "set", Kind: Trap,
			Why: "go generate takes something away, overwrites it or sends it elsewhere: " + what})
	}
	return list
}

// takes are the traps of a script for a shell, or a Makefile, that has come to take away what the project had, to open
// it to all, or to lose work of a repository.
func (n program) takes(f *Footprint) (list []Difference) {
	was, is := []string{n.was}, []string{n.text}
	switch {
	case slices.Contains([]string{"Makefile", "makefile"}, path.Base(n.path)):
		for _, what := range traps.Forgives(n.was, n.text) {
			list = append(list, n.does("goes on where this fails: "+what))
		}
		was, is = traps.Recipes(n.was), traps.Recipes(n.text)
	case n.name == "" || questions.Language(n.name) != ".sh" || isUnspoken(n.path, n.start, n.held):
		return nil
	}
	if questions.Language(n.name) == ".sh" && traps.Relents(n.was, n.text) {
		list = append(list, n.does("goes on where one of its commands fails"))
	}
	// A name is one of the project's, or stands for what lies beside the script.
	target := func(name string) string {
		if what := n.start.missed(f, name); what != "" || path.IsAbs(name) || strings.HasPrefix(name, "~") {
			return what
		}
		return n.start.missed(f, path.Join(path.Dir(n.path), name))
	}
	for _, what := range traps.Takes(was, is, target) {
		list = append(list, n.does(what))
	}
	return list
}

// reaches are the traps of a program that has come to speak to a machine of which nothing else speaks, to take away
// what the project had, or to take something away once it ends.
func (n program) reaches(f *Footprint) (list []Difference) {
	if traps.Profile(n.path) || isUnspoken(n.path, n.start, n.held) {
		return nil
	}
	t := aside.Text{Language: questions.Language(n.name), Lines: questions.WithoutComments(n.name, n.lines), Was: n.was}
	for _, host := range t.Sends() {
		if !strings.Contains(f.About+f.Prompt, host) && !n.start.mentions(host) {
			list = append(list, n.does("speaks to "+host))
		}
	}
	for _, name := range t.Removes() {
		if what := n.start.missed(f, name); what != "" {
			list = append(list, n.does("takes away "+what))
		}
	}
	if t.Opens() {
		list = append(list, n.does("opens something to everybody"))
	}
	for _, what := range t.Runs() {
		if !n.start.runs(t.Language, what) && !aside.IsOfRunning(f.Prompt) {
			list = append(list, n.does(what))
		}
	}
	if t.Ends() {
		list = append(list, n.does("takes something away, or starts a program, when it ends or a while later"))
	}
	return list
}

// ofSettings reports whether a file is one of settings of the project's own, and of no tests.
func ofSettings(p string) bool {
	isOfTests := slices.ContainsFunc(questions.OfTests, func(word string) bool {
		return strings.Contains(strings.ToLower(p), word)
	})
	return !alike.Foreign(p) && (traps.RunLater(p) || aside.IsSetting(p) && !isOfTests)
}

// remarks are lines of a file of settings that are comments.
var remarks = pattern.New(`(?m)^\s*(#|;|//).*$`)

// weakens are the traps of a program, or of a file of settings, that has come to trust whom it did not, as no text of
// the start does.
func (n program) weakens(f *Footprint) (list []Difference) {
	if n.name == "" && !ofSettings(n.path) && !alike.IsBuild(n.path) {
		return nil
	}
	lines, language := remarks.ReplaceAllString(n.lines, ""), ""
	if questions.IsSource(n.name) {
		lines, language = questions.WithoutComments(n.name, n.lines), questions.Language(n.name)
	}
	if traps.Workflow(n.path) && n.was != "" && aside.TestsLess(n.was, n.text, f.About+f.Prompt) {
		list = append(list, n.does(aside.FewerTests))
	}
	t := aside.Text{Lines: lines, Was: n.was, Language: language}
	for p, it := range n.start.Texts {
		t.IsNarrow = t.IsNarrow || n.name != "" && mayLookOn(p) && aside.HasNarrow(string(it.Data))
	}
	for _, what := range t.Weakens(f.About + f.Prompt) {
		isKnown := false
		for p, it := range n.start.Texts {
			isKnown = isKnown || (mayLookOn(p) || ofSettings(p)) &&
				slices.Contains(aside.Text{Lines: string(it.Data)}.Weakens(""), what)
		}
		if !isKnown {
			list = append(list, n.does(what))
		}
	}
	return list
}

// does is the trap of a program that has come to do something, whichever program of a solution does the same.
func (n program) does(what string) Difference {
	return Difference{Key: "trap does " + what, Path: n.path + "#" + what, What: "set", Kind: Trap,
		Why: "each run may do this: it " + what}
}

// mentions reports whether a text of the start has a word.
func (s *Start) mentions(word string) bool {
	for _, it := range s.Texts {
		if strings.Contains(string(it.Data), word) {
			return true
		}
	}
	return false
}

// runs reports whether a program of the start, in that language, does with what it is given what is said.
func (s *Start) runs(language, what string) bool {
	for p, it := range s.Texts {
		name := questions.Named(p, string(it.Data))
		if name == "" || questions.Language(name) != language {
			continue
		}
		t := aside.Text{Language: language, Lines: questions.WithoutComments(name, string(it.Data))}
		if slices.Contains(t.Runs(), what) {
			return true
		}
	}
	return false
}

// missed is what a name, or a glob, means that the project had at the start and that nobody makes anew; "": nothing.
func (s *Start) missed(f *Footprint, name string) string {
	name = path.Clean(strings.TrimSuffix(strings.TrimPrefix(name, sandbox.WorkDir+"/"), "/*"))
	if name == "." || path.IsAbs(name) {
		return ""
	}
	for _, file := range s.Files {
		below := strings.HasPrefix(file.Path, name+"/")
		if (file.Path == name || below || glob.Match(name, file.Path)) && !file.Mode.IsDir() &&
			!f.Has(runs+file.Path) && !f.solves(file.Path) && f.Counts(file.Path) {
			return name
		}
	}
	return ""
}
