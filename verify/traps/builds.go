package traps

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// makeFiles are those that make takes before a Makefile.
type makeFiles struct{ wholeFiles }

func (makeFiles) Reads(p string) bool { return base(p) == "GNUmakefile" }

func (makeFiles) Runs(string, string) string { return "make takes it before any other Makefile" }

// jvmProperties are settings of Gradle in a project: some say how its machines start, and what they load.
type jvmProperties struct{}

func (jvmProperties) Reads(p string) bool {
	return !strings.HasPrefix(p, "~/") && (base(p) == "gradle.properties" || base(p) == "gradle-wrapper.properties")
}

func (jvmProperties) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	return assignments(text(f))
}

// heap are options of a Java machine that only say how much memory it has, and what its texts are written in.
var heap = pattern.New(
	`^(-X(mx|ms|ss)[0-9]+[kKmMgG]|-XX:(Max)?Metaspace(Size)?=[0-9]+[mg]|-XX:\+\w+|-Dfile\.encoding=[\w-]+|\s)*$`)

func (jvmProperties) Runs(name, value string) string {
	switch {
	case name == All, name == "org.gradle.java.home", name == "distributionUrl":
		return "builds load it by themselves"
	case name == "org.gradle.jvmargs" && !heap.MatchString(value):
		return "each build starts its machine so"
	case strings.HasPrefix(name, "systemProp.") && strings.Contains(strings.ToLower(name), "test"):
		return "tests run, or do not, by it"
	}
	return ""
}

// jvm is what Gradle, Maven, sbt and the Java machine load by themselves.
type jvm struct{ wholeFiles }

var jvmFiles = []string{
	"~/.gradle/init.gradle*", "~/.gradle/init.d/**", "~/.gradle/gradle.properties", "**/.mvn/*", "~/.mavenrc",
	"~/.m2/settings*.xml", "~/.m2/extensions.xml",
	"~/.sbt/**/*.sbt", "~/.sbt/**/*.scala", "**/.sbtopts", "**/.jvmopts", "~/.groovy/**", "~/.hotspotrc",
	"~/.jdk_options",
}

func (jvm) Reads(p string) bool { return matches(jvmFiles, p) }

func (jvm) Runs(string, string) string { return "builds load it by themselves" }

// servers is what an editor, or a server of containers, runs by itself on the machine. What a
// server of code runs once somebody has sent it there (.github/workflows) is like any file.
type servers struct{ wholeFiles }

func (servers) Reads(p string) bool {
	if !strings.HasPrefix(p, "~/") && matches([]string{"**/.claude/settings.json", "**/.mcp.json",
		"**/.gemini/settings.json", "**/.{cursor,vscode,windsurf,roo,kiro}/mcp.json", "**/.cursor/hooks.json",
		"**/.codex/config.toml"}, p) {
		return true // an agent of the user's obeys it; in HOME a contestant's own does
	}
	return matches([]string{
		"**/.zed/tasks.json", "**/.devcontainer/**", "**/*.code-workspace",
		"**/.devcontainer.json", "**/.idea/{workspace,startup,watcherTasks,compiler,gradle,ant,deployment}.xml",
		"**/.idea/{runConfigurations,tools}/**", "**/.dir-locals.el", "**/.exrc", "**/.nvimrc",
		"**/.nvim.lua", "**/.vimrc", "**/.lvimrc",
	}, strings.TrimPrefix(p, "~/"))
}

func (servers) Runs(string, string) string { return "an editor or a server runs what it says" }

// workshops are files by which an editor, or an engine of containers, starts a project for whoever works on it. Most
// of what they say is what such files are for; they are pipelines, of which some settings are held against whoever
// adds them beside what takes something away.
var (
	editorTasks = []string{"**/.vscode/{tasks,launch}.json"}
	overrides   = []string{"**/{docker-,}compose.override.y*ml"}
)

var (
	// lineNote is a comment that editors take in JSON.
	lineNote = pattern.New(`(?m)(^|[{\[,])[ \t]*//[^"\n]*$`)
	// machines are settings that name a program of the machine, and debuggers are its commands.
	machines = pattern.New(`(?i)^(program|runtimeExecutable|python(Path)?|pythonArgs|miDebuggerPath|dlvToolPath|` +
		`javaExec|command|script|executable|shell|cwd|envFile)$`)
	debuggers = pattern.New(`(?i)(setup|init|preRun|postRun|stop|exit|launch|attach|process)\w*Commands|pipeTransport|` +
		`debugServer|^pythonArgs$`)
	// outside are values that lead out of the project, or ask for something that stands elsewhere.
	outside = pattern.New("^[/~]|^[A-Za-z]:|(^|/)\\.\\.(/|$)|\\$\\(|`|\\$\\{(command|config|userHome)")
	// ofWork are settings of a service that say how somebody works on it, and debugging is a variable that does.
	ofWork = pattern.New(`^(ports|expose|volumes|environment|labels|restart|profiles|stdin_open|tty|depends_on)$`)
	// debugging is such a variable.
	debugging = pattern.New(`^(\w*(DEBUG|VERBOSE|RELOAD|LOG_?LEVEL)|` +
		`(NODE|APP|FLASK|DJANGO|RAILS|RACK|GO)_ENV|ENVIRONMENT)$`)
	// mounted is a directory of the project that is put where such images have their program.
	mounted = pattern.New(`^\.(/[\w.-]+)*/?:/(app|src|code|work|workspace|srv|opt|home|var/www)(/[\w.-]+)*/?` +
		`(:(ro|rw|cached|delegated))?$`)
	// ported is a port of a service that the machine takes part in, or another one for it.
	ported = pattern.New(`^(127\.0\.0\.1:)?[0-9]+(:[0-9]+)?(/(tcp|udp))?$`)
)

// ofWorkshop are the settings of such a file by which something runs unasked, or in place of what was meant.
func ofWorkshop(f sandbox.Item) (list []string) {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(lineNote.ReplaceAllString(text(f), "$1")), &doc) != nil {
		return []string{"what can't be read"}
	}
	override := matches(overrides, f.Path)
	var walk func(n *yaml.Node, at []string)
	walk = func(n *yaml.Node, at []string) {
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				walk(n.Content[i+1], append(slices.Clip(at), n.Content[i].Value))
			}
		case yaml.ScalarNode:
			if what := unasked(at, n.Value); !override && what || override && overrules(at, n.Value) {
				list = append(list, strings.Join(at, "."))
			}
		case yaml.AliasNode:
			list = append(list, "an alias")
		default:
			for _, c := range n.Content {
				walk(c, at)
			}
		}
	}
	walk(&doc, nil)
	return list
}

// unasked reports whether a setting of an editor's tasks starts something by itself, or a program from elsewhere.
func unasked(at []string, value string) bool {
	if len(at) == 0 {
		return true
	}
	key := at[len(at)-1]
	if len(at) > 1 && slices.Contains([]string{"env", "environment"}, at[len(at)-2]) {
		local := key == "PYTHONPATH" && strings.HasPrefix(value, "${workspaceFolder}")
		return slices.Contains(injecting, key) && !local || key == "PATH"
	}
	return value == "folderOpen" || machines.MatchString(key) && outside.MatchString(value) ||
		slices.ContainsFunc(at, debuggers.MatchString)
}

// overrules reports whether a setting of a compose.override file does more than to let somebody work on a service.
func overrules(at []string, value string) bool {
	switch {
	case len(at) == 0 || !slices.Contains([]string{"version", "services", "volumes", "networks"}, at[0]):
		return true
	case len(at) < 3:
		return false // the name of something
	case at[0] != "services" || !ofWork.MatchString(at[2]):
		return true
	}
	switch at[2] {
	case "volumes":
		return !mounted.MatchString(value) || len(at) > 3
	case "ports", "expose":
		return !ported.MatchString(value) || len(at) > 3
	case "environment":
		name, _, _ := strings.Cut(value, "=")
		return !debugging.MatchString(append(at, name)[3])
	}
	return false
}
