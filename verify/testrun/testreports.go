package testrun

import (
	"encoding/json"
	"encoding/xml"
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/shell"
	"cookoff/verify/testrun/leads"
)

// reportRunners are those whose record is a file, or a document among what they
// print. Nothing can be planted beside their tests: these are known by name.
func reportRunners() []*Runner {
	all := func([]string) bool { return true }
	return append(tapRunners(), []*Runner{
		{Name: "jest", loud: loudJest, chosen: all, Read: readJest, Short: same, disguised: disguisedJest},
		{Name: "vitest", loud: loudVitest, chosen: all, Read: readVitest, Short: same, disguised: disguisedVitest},
		{Name: "junit", loud: loudJUnit, chosen: all, Read: readJUnit, Short: same},
		{Name: "phpunit", loud: loudPHPUnit, chosen: all, Read: readJUnit, Short: same},
		{Name: "junit console", loud: loudConsole, chosen: all, Read: readJUnit, Short: same},
		{Name: Ruby, loud: loudRuby, chosen: all, Read: readUnittest, Short: same},
	}...)
}

// reportRunnerOf names the runner of reportRunners that a command is, and gives
// the arguments behind it; "": none.
func reportRunnerOf(argv []string) (name string, args []string) {
	prog, rest := path.Base(argv[0]), argv[1:]
	if leads.OfPackage(argv) {
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return "", nil
		}
		prog, rest = path.Base(rest[0]), rest[1:]
	}
	switch {
	case prog == "jest" || prog == "vitest":
		return prog, rest
	case prog == "tsx" && slices.Contains(rest, "--test"):
		return "tsx --test", rest
	case tapRunner.MatchString(prog):
		return strings.TrimPrefix(prog, "_"), rest
	case phpUnitAt(argv) >= 0:
		return "phpunit", argv[phpUnitAt(argv)+1:]
	case consoleAt(argv) > 0:
		return "junit console", argv[consoleAt(argv)+1:]
	case runsRuby(argv):
		return Ruby, rest
	case len(junitFiles(argv)) > 0:
		return "junit", rest
	}
	return "", nil
}

// loudJest has jest print its results as one document of JSON.
func loudJest(argv []string, _ string) []string {
	other := []string{"--watch", "--watchAll", "--listTests", "--showConfig", "-h", "--help"}
	if slices.ContainsFunc(argv, func(a string) bool {
		return slices.Contains(other, a) || strings.HasPrefix(a, "--outputFile")
	}) {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(argv), func(a string) bool {
		return a == "--bail" || strings.HasPrefix(a, "--bail=") || a == "-b" || a == "--silent"
	})
	return append(kept, "--json", "--ci")
}

// loudVitest does the same of vitest, and keeps it from watching. Since its version 5, vitest
// prints no document, but writes it to a file, into the project unless it is told which. How what is there differs
// from what is wanted its record for JUnit says alone, which follows behind the word.
func loudVitest(argv []string, word string) []string {
	other := []string{"watch", "dev", "list", "bench", "init", "-w", "--watch", "-h", "--help"}
	if slices.ContainsFunc(argv, func(a string) bool {
		return slices.Contains(other, a) || strings.HasPrefix(a, "--outputFile")
	}) {
		return nil
	}
	kept := slices.DeleteFunc(slices.Clone(argv), func(a string) bool {
		return strings.HasPrefix(a, "--reporter") || a == "--bail" || strings.HasPrefix(a, "--bail=")
	})
	return inShell(apart+`"$@" "--outputFile.json=$d/report.json" "--outputFile.junit=$d/report.xml"; s=$?; echo; `+
		`cat "$d/report.json" 2> /dev/null; printf '\n`+word+`\n'; cat "$d/report.xml" 2> /dev/null; exit $s`,
		append(kept, "--reporter=json", "--reporter=junit", "--no-watch")...)
}

// readVitest reads the results of vitest, with what differs in tests that failed.
func readVitest(r sandbox.Result, word string) *Results {
	text, _, _ := strings.Cut(string(r.Stdout), "\n"+word+"\n")
	record := r
	record.Stdout = []byte(text)
	out := readJest(record, word)
	for _, c := range junitCases(r, word) {
		t := out.Tests[strings.ReplaceAll(c.Name, " > ", " ")]
		if t != nil && t.Failed > 0 && strings.Contains(c.why(), "- Expected") {
			t.why = c.why()
		}
	}
	return out
}

// readJest reads the results of jest, as vitest's.
func readJest(r sandbox.Result, _ string) *Results {
	out := newResults(r)
	var doc struct {
		TestResults []struct {
			AssertionResults []struct {
				FullName, Status string
				FailureMessages  []string
			}
		}
	}
	text := string(r.Stdout)
	for at := strings.IndexByte(text, '{'); at >= 0; {
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		if dec.Decode(&doc) == nil && doc.TestResults != nil {
			break
		}
		next := strings.IndexByte(text[at+1:], '{')
		if next < 0 || !strings.Contains(text[at+1:], `"testResults"`) {
			break
		}
		at += 1 + next
	}
	for _, file := range doc.TestResults {
		for _, a := range file.AssertionResults {
			switch t := out.test(a.FullName); a.Status {
			case "passed":
				t.Passed++
			case "failed":
				t.Failed++
				t.why += strings.Join(a.FailureMessages, "\n")
			default: // pending, skipped, todo, disabled
				t.skipped++
			}
		}
	}
	return out
}

// junitFlags name, as FLAG=FILE or FLAG FILE, the file that a runner writes its
// record to, in the XML that JUnit has made common.
var junitFlags = []string{"--junitxml", "--junit-xml", "--log-junit", "--output-junit", "--junitfile", "--junit-file"}

// outputFlags name the file of whatever a runner was told to report, which is JUnit's where a word of its command says
// so; junitWord is such a word, gtestOutput what programs of GoogleTest are told.
var (
	outputFlags = []string{"-o", "--out", "--output", "--output-file", "--outputFile", "--reporter-output",
		"--report-file"}
	junitWord = pattern.New(`(?i)\b[jx]unit`)
)

const gtestOutput = "--gtest_output=xml:"

// junitNamed is the file that a flag of a command names for a record in JUnit's XML; "": none does.
func junitNamed(argv []string) string {
	for i, a := range argv {
		if file, is := strings.CutPrefix(a, gtestOutput); is && strings.HasSuffix(file, ".xml") {
			return file
		}
		flag, file, set := strings.Cut(a, "=")
		if !set && i+1 < len(argv) {
			file = argv[i+1]
		}
		if slices.Contains(junitFlags, flag) && file != "" || slices.Contains(outputFlags, flag) &&
			strings.HasSuffix(file, ".xml") && slices.ContainsFunc(argv[1:], junitWord.MatchString) {
			return file
		}
	}
	return ""
}

// junitFiles are shell globs of the files that a runner writes, relative to
// where it runs.
func junitFiles(argv []string) []string {
	if file := junitNamed(argv); file != "" {
		return []string{file}
	}
	tests := func(words ...string) bool {
		return slices.ContainsFunc(argv[1:], func(a string) bool {
			return slices.Contains(words, a[strings.LastIndexByte(a, ':')+1:])
		})
	}
	switch prog := path.Base(argv[0]); {
	case (prog == "mvn" || prog == "mvnw") && tests("test", "verify", "package", "install"):
		return []string{"*/surefire-reports/*", "*/failsafe-reports/*"}
	case (prog == "gradle" || prog == "gradlew") && tests("test", "check", "build"):
		return []string{"*/build/test-results/*"}
	case prog == "meson" && len(argv) > 1 && argv[1] == "test" && !slices.Contains(argv, "--list"),
		prog == "ninja" && tests("test"):
		return []string{"*/meson-logs/testlog*.junit.xml"}
	}
	return nil
}

// loudJUnit runs the command as it stands, without records of an earlier run, and
// prints what it records, each file behind the word.
func loudJUnit(argv []string, word string) []string {
	files := junitFiles(argv)
	quoted, err := shell.Quote(files)
	if err != nil || len(files) == 0 {
		return nil
	}
	list := "ls -d -- " + quoted + " 2>/dev/null"
	if strings.Contains(files[0], "*") {
		list = "find . -type f -name '*.xml' \\( -path '" + strings.Join(files, "' -o -path '") + "' \\)"
	}
	return append([]string{"sh", "-c", list + ` | while IFS= read -r f; do rm -f -- "$f"; done
"$@"; status=$?
` + list + ` | while IFS= read -r f; do printf '\n` + word + `\n'; cat -- "$f"; done
exit $status`, "sh"}, argv...)
}

// phpUnit are PHPUnit, and what runs its tests and knows its flags.
var phpUnit = pattern.New(`(^|/)(phpunit|pest|paratest)(\.phar)?$`)

// phpUnitAt is the place of such a program in a command, -1 where there is none.
func phpUnitAt(argv []string) int {
	for i, a := range argv {
		switch {
		case phpUnit.MatchString(a):
			return i
		case i == 0 && path.Base(a) != "php", i > 0 && !strings.HasPrefix(a, "-") && argv[i-1] != "-d":
			return -1
		}
	}
	return -1
}

// loudPHPUnit has it write its record, unless it does so already, as loudJUnit prints it.
func loudPHPUnit(argv []string, word string) []string {
	argv = told(argv, []string{"--stop-on-failure", "--stop-on-error", "--stop-on-defect", "--bail"}, nil)
	if argv != nil && len(junitFiles(argv)) == 0 {
		argv = append(argv, "--log-junit", "/tmp/"+word+".xml")
	}
	return loudJUnit(argv, word)
}

// consoleClass is the class of JUnit's console, consoleJar a jar that starts it.
const consoleClass = "org.junit.platform.console.ConsoleLauncher"

var consoleJar = pattern.New(`(^|/)[^/]*(junit[^/]*console|console[^/]*junit)[^/]*\.jar$`)

// consoleAt is the place in a command of what starts the console of JUnit, 0 where it does not.
func consoleAt(argv []string) int {
	if path.Base(argv[0]) != "java" {
		return 0
	}
	for i, a := range argv[1:] {
		if a == consoleClass || argv[i] == "-jar" && consoleJar.MatchString(a) {
			return i + 1
		}
	}
	return 0
}

// loudConsole has the console of JUnit write its records to a directory, and prints them.
func loudConsole(argv []string, word string) []string {
	args := argv[consoleAt(argv)+1:]
	if slices.ContainsFunc(args, func(a string) bool {
		return slices.Contains([]string{"discover", "engines", "-h", "--help", "--version", "--list-engines"}, a)
	}) {
		return nil
	}
	dir := "/tmp/" + word + ".d"
	kept := told(args, []string{"--fail-fast"}, []string{"--reports-dir"}, "--reports-dir", dir)
	return inShell(`"$@"; s=$?; for f in `+dir+`/*.xml; do printf '\n`+word+`\n'; cat "$f" 2> /dev/null; done; exit $s`,
		slices.Concat(argv[:len(argv)-len(args)], kept)...)
}

// junitCase is one test of a record.
type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Failure []junitFault `xml:"failure"`
	Error   []junitFault `xml:"error"`
	Skipped []struct{}   `xml:"skipped"`
	Out     string       `xml:"system-out"`
}

// junitFault is what a record says of a failure.
type junitFault struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// why is what is said of a test that failed; what it printed, where nothing is.
func (c junitCase) why() string {
	var b strings.Builder
	for _, f := range slices.Concat(c.Failure, c.Error) {
		if text := strings.TrimSpace(f.Text); !strings.Contains(text, f.Message) || text == "" {
			b.WriteString(f.Message + "\n")
		}
		b.WriteString(f.Text)
	}
	if strings.TrimSpace(b.String()) == "" {
		return c.Out
	}
	return b.String()
}

// readJUnit reads the records behind the words.
func readJUnit(r sandbox.Result, word string) *Results {
	out := newResults(r)
	for _, c := range junitCases(r, word) {
		out.junit(c)
	}
	return out
}

// junitCases gives the tests of the records behind the words.
func junitCases(r sandbox.Result, word string) (list []junitCase) {
	docs := strings.Split(string(r.Stdout), "\n"+word+"\n")
	for _, doc := range docs[1:] {
		dec := xml.NewDecoder(strings.NewReader(doc))
		for {
			tok, err := dec.Token()
			if err != nil { // its end, or it is torn: what was read counts
				break
			}
			start, is := tok.(xml.StartElement)
			if !is || start.Name.Local != "testcase" {
				continue
			}
			var c junitCase
			if dec.DecodeElement(&c, &start) != nil {
				break
			}
			list = append(list, c)
		}
	}
	return list
}

func (r *Results) junit(c junitCase) {
	name := strings.TrimPrefix(c.Class+" "+c.Name, " ")
	if c.Class == c.Name { // ctest has no classes
		name = c.Name
	}
	t := r.test(name)
	switch {
	case len(c.Failure)+len(c.Error) > 0:
		t.Failed++
		t.why += c.why()
	case len(c.Skipped) > 0:
		t.skipped++
	default:
		t.Passed++
	}
}
