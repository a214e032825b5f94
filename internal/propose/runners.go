package propose

import (
	"cmp"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/internal/taskfile"
)

var denoTask = pattern.New(`"tasks"\s*:\s*\{[^}]*"test"\s*:`)

func deno(p project) Command {
	from := p.first("deno.json", "deno.jsonc", "deno.lock")
	switch {
	case from == "":
		return Command{}
	case denoTask.MatchString(p.text(from)):
		return Command{"deno task test", from}
	}
	return Command{"deno test", from}
}

var (
	justfiles  = []string{"justfile", "Justfile", ".justfile"} // as just looks for them
	justRecipe = pattern.New(`(?m)^@?(test|tests|check)\b[^:=\n]*:([^=]|$)`)
)

func just(p project) Command {
	from := p.first(justfiles...)
	if m := justRecipe.FindStringSubmatch(p.text(from)); from != "" && m != nil {
		return Command{"just " + m[1], from}
	}
	return Command{}
}

// task proposes the test of a Taskfile.
func task(p project) Command {
	from := p.first(taskfile.Names...)
	f, err := taskfile.Parse(p.text(from))
	if from == "" || err != nil {
		return Command{}
	}
	for _, name := range []string{"test", "tests", "check"} {
		if f.Has(name) {
			return Command{"task " + name, from}
		}
	}
	return Command{}
}

var (
	rakeTask = pattern.New(
		`(?m)^\s*task\s+:?['"]?(test|spec)\b|TestTask\.new(?:\(:(test)\)|\s|$)|RakeTask\.new(?:\(:(spec)\)|\s|$)`)
	specFile = pattern.New(`(^|/)spec/.*_spec\.rb$`)
)

func ruby(p project) Command {
	bundle := ""
	if p.first("Gemfile") != "" {
		bundle = "bundle exec "
	}
	from := p.first("Rakefile", "rakefile", "Rakefile.rb")
	if m := rakeTask.FindStringSubmatch(p.text(from)); from != "" && m != nil {
		otherwise := "test"
		if strings.HasPrefix(m[0], "RakeTask") {
			otherwise = "spec"
		}
		return Command{bundle + "rake " + cmp.Or(m[1], m[2], m[3], otherwise), from}
	}
	if from = p.first(".rspec", "spec/spec_helper.rb"); from != "" || p.have(specFile) {
		return Command{bundle + "rspec", cmp.Or(from, "spec")}
	}
	return Command{}
}

// shellTests are the scripts that test what is written for the shell, by their usual names.
var shellTests = []string{"test.sh", "tests.sh", "run_tests.sh", "run-tests.sh", "runtests.sh", "check.sh",
	"tests/run.sh", "test/run.sh", "tests/run_tests.sh", "test/test.sh", "tests/test.sh", "script/test",
	"scripts/test.sh", "bin/test"}

var batsFile = pattern.New(`^(tests?)/[^/]*\.bats$`)

func shellScripts(p project) (c Command) {
	p.walk(func(rel string) bool {
		if m := batsFile.FindStringSubmatch(rel); m != nil {
			c = Command{"bats " + m[1], rel}
		}
		return c.Text == ""
	})
	if from := p.first(shellTests...); c.Text == "" && from != "" && p.regular(from) {
		by := "bash "
		if bang := shellBang.FindString(p.text(from)); strings.HasSuffix(bang, "/sh") {
			by = "sh "
		}
		c = Command{by + from, from}
	}
	return c
}
