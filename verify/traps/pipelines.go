package traps

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// pipelines are files by which a forge, a timer, an engine of containers or a hook of git's runs commands later: those
// that take something away are held against whoever adds them, others are what such files are for. Files of SQL are among them for the
// programs that a client starts by them.
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

// Reads leaves out what obeys each of its files, see builds.
func (pipelines) Reads(p string) bool {
	return !strings.Contains(base(p), "compose.override.") && slices.ContainsFunc([][]string{yamlPipelines, tomlPipelines, crontabs, hookScripts, processFiles, containerFile,
		groovy, sqlScripts}, func(globs []string) bool { return matches(globs, p) })
}

// Others is the one setting of a file that holds all but such commands: its content.
const Others = "(other commands)"

// client is the setting of a file of SQL that holds commands which no database knows: a client runs a program by them.
const client = "programs"

// ofClient is such a command, of sqlite3, of psql, of mysql and of a server of PostgreSQL's.
var ofClient = pattern.New(`(?im)^\s*(\.(shell|system)\b|\\!|\\copy\b.*\bprogram\b|system\s+\S|copy\b.*\bprogram\b|` +
	`\.(import|output|once|read)\s+["']?\|)[^\n]*`)

// runs begins the name of the setting that holds the commands by a program that takes something away.
const runs = "runs "

// Settings gives commands that take something away by what they call, all others as one; a file that hooks obey
// counts as a whole as well.
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
	for _, script := range scripts(f) {
		for _, c := range takesAway(script) {
			out[runs+c.program] += c.words + "\n"
		}
	}
	return out
}

func (pipelines) Runs(name, _ string) string {
	switch {
	case name == All:
		return "a program loads it by itself"
	case name == client:
		return "a client of a database that reads the file starts what it says"
	case strings.HasPrefix(name, runs):
		return "a forge, a timer, a hook or an engine of containers " + name + " later"
	}
	return ""
}

var (
	// timed is a line of a crontab; the name of a user may stand before the command.
	timed = pattern.New(`^\s*(?:@\w+|(?:\S+\s+){5})(.*)$`)
	named = pattern.New(`^\s*[\w-]+\s*:\s*(.*)$`)
	// startedLater is an instruction of a container file that runs its words elsewhere than where the image is made.
	startedLater = pattern.New(`(?im)^[ \t]*(?:ONBUILD[ \t]+(?:RUN|CMD|ENTRYPOINT)|CMD|ENTRYPOINT|HEALTHCHECK[ \t]+(?:--\S+[ \t]+)*CMD)[ \t]+` +
		`((?:[^\n]*\\\n)*[^\n]*)`)
	steps = pattern.New(`(?s)\b(?:sh|bat|pwsh|powershell)\b[^"'\n]{0,40}(?:"""(.*?)"""|'''(.*?)'''|"([^"\n]*)"|'([^'\n]*)')`)
	// assigned is a command of a file of settings.
	assigned = pattern.New(`(?m)^[ \t]*\w*(?:command|cmd|build|start|release)\w*[ \t]*=[ \t]*["']*([^\n]*?)["']*[ \t]*$`)
	// expression is what a forge puts something else for.
	expression = pattern.New(`\$\{\{.*?\}\}|\{\{.*?\}\}`)
	list       = pattern.New(`^\s*\[(.*)\]\s*$`)
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
			if m := timed.FindStringSubmatch(strings.TrimSpace(line)); m != nil && !strings.HasPrefix(strings.TrimSpace(line), "#") {
				_, behind, _ := strings.Cut(strings.TrimSpace(m[1]), " ")
				out = append(out, m[1], behind)
			}
		}
	default:
		var doc yaml.Node
		if yaml.Unmarshal([]byte(all), &doc) != nil {
			return []string{all}
		}
		commandsIn(&doc, false, &out)
	}
	for i, script := range out {
		if m := list.FindStringSubmatch(script); m != nil { // words as JSON has them
			out[i] = strings.NewReplacer(`",`, `" `, `', `, `' `).Replace(m[1])
		}
	}
	return out
}

// holding are keys below which commands stand.
var holding = pattern.New(`(?i)^(run|scripts?|before_?script|after_?script|\w*command|\w*cmd|entry_?point|entry|args|exec|commands|` +
	`bash|pwsh|sh|install|before_?install|(post|pre)\w*|build|deploy|start|test|steps|tasks|release|inline\w*)$`)

// commandsIn collects the texts below keys of commands. Words of one command that are listed in a line are one.
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
