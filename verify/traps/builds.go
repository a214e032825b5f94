package traps

import (
	"strings"

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
		"**/{docker-,}compose.override.y*ml", "**/.zed/tasks.json", "**/.vscode/tasks.json", "**/.vscode/launch.json",
		"**/.devcontainer/**", "**/*.code-workspace",
		"**/.devcontainer.json", "**/.idea/{workspace,startup,watcherTasks,compiler,gradle,ant,deployment}.xml",
		"**/.idea/{runConfigurations,tools}/**", "**/.dir-locals.el", "**/.exrc", "**/.nvimrc",
		"**/.nvim.lua", "**/.vimrc", "**/.lvimrc",
	}, strings.TrimPrefix(p, "~/"))
}

func (servers) Runs(string, string) string { return "an editor or a server runs what it says" }
