package traps

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"cookoff/internal/glob"
	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// pipelines are files by which a forge, a timer, an engine of containers or a hook of git's runs commands later:
// commands that take something away are held against whoever adds them; other commands are what such files are for.
// Files of SQL are among them because a client of a database may start programs that they name.
type pipelines struct{}

var (
	yamlPipelines = []string{
		"**/.{github,forgejo,gitea}/workflows/*.y*ml", "**/action.y*ml", "**/{.,}gitlab-ci*.y*ml", "**/.gitlab/**/*.y*ml",
		"**/.circleci/*.y*ml", "**/{azure,bitbucket}-pipelines*.y*ml", "**/.{travis,drone,woodpecker,appveyor,cirrus}.y*ml",
		"**/{appveyor,cloudbuild,buildspec,render,heroku,skaffold}.y*ml", "**/.{woodpecker,buildkite,tekton}/*.y*ml",
		"**/{docker-,}compose*.y*ml", "**/{lefthook,.lefthook,.pre-commit-config,captain-definition}.y*ml",
		"**/{vercel,app,railway,nixpacks}.json", "**/{cronjob,*-cronjob}.y*ml",
	}
	tomlPipelines = []string{"**/{netlify,fly,nixpacks,railway,wrangler}.toml", "**/supervisord.conf", "**/supervisor/**"}
	crontabs      = []string{"**/{crontab,crontabs,*.crontab,*.cron}", "**/{,.}{cron,crontabs,cron.d}/*", "**/crontab.*"}
	hookScripts   = []string{"**/.{husky,githooks,git-hooks}/*"}
	processFiles  = []string{"**/Procfile*"}
	containerFile = []string{"**/{Dockerfile,Containerfile}*", "**/*.{Dockerfile,dockerfile}"}
	groovy        = []string{"**/Jenkinsfile*"}
	sqlScripts    = []string{"**/*.{sql,psql,sqlite}"}
)

func (pipelines) Reads(p string) bool {
	kinds := [][]string{
		yamlPipelines, tomlPipelines, crontabs, hookScripts, processFiles, containerFile, groovy, sqlScripts, editorTasks,
	}
	return slices.ContainsFunc(kinds, func(globs []string) bool { return matches(globs, p) })
}

// Others is the name of the setting that stands for the other commands of a file; its value is the file's text.
const Others = "(other commands)"

// client is the name of the setting of a file of SQL that holds the commands by which a client of a database starts a
// program: no database reads them.
const client = "programs"

// ofClient is such a command of sqlite3, psql or mysql, or one by which a server of PostgreSQL's starts a program.
var ofClient = pattern.New(`(?im)^\s*(\.(shell|system)\b|\\!|\\copy\b.*\bprogram\b|system\s+\S|copy\b.*\bprogram\b|` +
	`\.(import|output|once|read)\s+["']?\|)[^\n]*`)

// runs begins the name of a setting that holds the commands by which one program takes something away.
const runs = "runs "

// Settings has one setting for each program by which commands take something away, and one for all other commands. A
// file that hooks obey is a setting as a whole, too.
func (pipelines) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	out := map[string]string{Others: text(f)}
	if matches(sqlScripts, f.Path) {
		for _, m := range ofClient.FindAllStringSubmatch(text(f), -1) {
			out[client] += m[0] + "\n"
		}
		return out
	}
	if OfHooks(f.Path) {
		out = Whole(f)
	}
	if matches(editorTasks, f.Path) || matches(overrides, f.Path) {
		for _, what := range ofWorkshop(f) {
			out[runs+"by itself "+what] = what
		}
	}
	if matches(crontabs, f.Path) {
		for what := range ofCron(text(f)) {
			out[runs+what] = what
		}
	}
	for _, script := range scripts(f) {
		for _, c := range takesAway(script) {
			out[runs+c.program] += c.words + "\n"
		}
		for what := range toThose(script) {
			if what != downloads || matches(crontabs, f.Path) || matches(hookScripts, f.Path) {
				out[runs+"what "+what] = what
			}
		}
	}
	return out
}

var (
	// pathOfCron and shellOfCron are variables of a crontab by which all its commands are run.
	pathOfCron  = pattern.New(`(?m)^[ \t]*PATH[ \t]*=[ \t]*["']?([^"'\n]*)`)
	shellOfCron = pattern.New(`(?m)^[ \t]*SHELL[ \t]*=[ \t]*["']?([^"'\s]*)`)
)

// ofCron are the ways in which variables of a crontab have its commands run by others: programs are looked for where
// everybody may write, or no shell runs them.
func ofCron(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range pathOfCron.FindAllStringSubmatch(text, -1) {
		for _, dir := range strings.Split(strings.TrimSpace(m[1]), ":") {
			if passing.MatchString(dir) || !strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, "$") &&
				!strings.HasPrefix(dir, "~") {
				out["programs that are looked for in "+dir] = true
			}
		}
	}
	for _, m := range shellOfCron.FindAllStringSubmatch(text, -1) {
		if !shellNames.MatchString(base(m[1])) {
			out["commands by "+m[1]] = true
		}
	}
	for line := range strings.Lines(text) {
		for _, command := range timedCommands(strings.TrimSpace(line)) {
			if openPlace.MatchString(command) {
				out["a program that anybody may put there"] = true
			}
		}
	}
	return out
}

// openPlace is a command whose program lies where everybody may write.
var openPlace = pattern.New(`^\s*(?:\w*sh\s+)?/(?:tmp|var/tmp|dev/shm)/`)

// later are the ways in which a command takes something away, or does harm to others.
func later(script string) (list []string) {
	for _, c := range takesAway(script) {
		list = append(list, "runs "+c.program)
	}
	return append(list, slices.Sorted(maps.Keys(toThose(script)))...)
}

func (pipelines) Runs(name, _ string) string {
	switch {
	case name == All:
		return "a program loads it by itself"
	case name == client:
		return "a client of a database that reads the file starts what it says"
	case strings.HasPrefix(name, runs):
		return "a forge, a timer, a hook, an editor or an engine of containers " + name + " later"
	}
	return ""
}

var (
	// timed is a line of a crontab: a time and a command. The name of a user may stand before the command.
	timed = pattern.New(`^\s*(?:@\w+|(?:\S+\s+){5})(.*)$`)
	// named is a line of a Procfile: the name of a process and a command.
	named = pattern.New(`^\s*[\w-]+\s*:\s*(.*)$`)
	// startedLater is an instruction of a container file whose command runs when a container starts, is checked or is
	// built upon: not when the image is made.
	startedLater = pattern.New(`(?im)^[ \t]*(?:ONBUILD[ \t]+(?:RUN|CMD|ENTRYPOINT)|CMD|ENTRYPOINT|` +
		`HEALTHCHECK[ \t]+(?:--\S+[ \t]+)*CMD)[ \t]+` +
		`((?:[^\n]*\\\n)*[^\n]*)`)
	// steps are commands of a Jenkinsfile, each in quotes.
	steps = pattern.New(`(?s)\b(?:sh|bat|pwsh|powershell)\b[^"'\n]{0,40}` +
		`(?:"""(.*?)"""|'''(.*?)'''|"([^"\n]*)"|'([^'\n]*)')`)
	// assigned is a command that a file of settings gives a name.
	assigned = pattern.New(`(?m)^[ \t]*\w*(?:command|cmd|build|start|release)\w*[ \t]*=[ \t]*["']*([^\n]*?)["']*[ \t]*$`)
	// expression is what a forge or a tool replaces with a value of its own before the command runs.
	expression = pattern.New(`\$\{\{.*?\}\}|\{\{.*?\}\}`)
	// list is a command whose words are written as a list in JSON.
	list = pattern.New(`^\s*\[(.*)\]\s*$`)
)

// scripts are the commands that a file has something run.
func scripts(f sandbox.Item) (out []string) {
	all := expression.ReplaceAllString(text(f), "X")
	group := func(p *pattern.Pattern, in string) {
		for _, m := range p.FindAllStringSubmatch(in, -1) {
			out = append(out, strings.Join(m[1:], ""))
		}
	}
	switch {
	case matches(hookScripts, f.Path):
		return []string{all}
	case matches(groovy, f.Path):
		group(steps, all)
	case matches(containerFile, f.Path):
		group(startedLater, all)
	case matches(tomlPipelines, f.Path):
		group(assigned, all)
	case matches(processFiles, f.Path):
		for line := range strings.Lines(all) {
			group(named, strings.TrimSpace(line))
		}
	case matches(crontabs, f.Path):
		for line := range strings.Lines(all) {
			out = append(out, timedCommands(strings.TrimSpace(line))...)
		}
	default:
		var doc yaml.Node
		if yaml.Unmarshal([]byte(all), &doc) != nil {
			return []string{all}
		}
		commandsIn(&doc, false, &out)
	}
	for i, script := range out {
		if m := list.FindStringSubmatch(script); m != nil {
			out[i] = strings.NewReplacer(`",`, `" `, `', `, `' `).Replace(m[1])
		}
	}
	return out
}

// timedCommands are what a line of a crontab may run: all after the time, and the same without its first word, which
// may be the name of a user.
func timedCommands(line string) []string {
	m := timed.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(line, "#") {
		return nil
	}
	_, withoutUser, _ := strings.Cut(strings.TrimSpace(m[1]), " ")
	return []string{m[1], withoutUser}
}

// holding are keys below which commands stand.
var holding = pattern.New(`(?i)^(run|scripts?|before_?script|after_?script|\w*command|\w*cmd|` +
	`entry_?point|entry|args|exec|commands|bash|pwsh|sh|install|before_?install|(post|pre)\w*|` +
	`build|deploy|start|test|steps|tasks|release|inline\w*)$`)

// commandsIn collects the texts that stand below a key of commands. The items of a list are collected one by one, and
// joined as well: they may be the words of one command.
func commandsIn(n *yaml.Node, held bool, out *[]string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			commandsIn(n.Content[i+1], holding.MatchString(n.Content[i].Value), out)
		}
	case yaml.SequenceNode:
		var words []string
		for _, c := range n.Content {
			if c.Kind == yaml.ScalarNode {
				words = append(words, c.Value)
			}
			commandsIn(c, held, out)
		}
		if held && len(words) > 1 {
			*out = append(*out, strings.Join(words, " "))
		}
	case yaml.ScalarNode:
		if held {
			*out = append(*out, n.Value)
		}
	default:
		for _, c := range n.Content {
			commandsIn(c, held, out)
		}
	}
}

// Workflow reports whether a file is a workflow of GitHub's, or of a forge that reads the same.
func Workflow(p string) bool { return glob.Match(yamlPipelines[0], p) }

// RunLater reports whether a file is one whose commands are run later by a forge, a timer, a hook or an engine.
func RunLater(p string) bool { return pipelines{}.Reads(p) && !matches(sqlScripts, p) }
