package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"cookoff/internal/cli"
	"cookoff/internal/config"
	"cookoff/internal/host"
	"cookoff/internal/pattern"
	"cookoff/internal/toolchain"
	"cookoff/sandbox"
)

// tool is a program that doctor looks for.
type tool struct {
	name   string
	needed bool
	why    string // it is missed; "": it is not, and is looked at where it is there
	asks   string // arguments that make it say its version; "" is --version
}

func toolsOfDoctor() []tool {
	all := []tool{
		{"bash", true, "every command runs in it", ""},
		{"git", false, "tasks of the built-in recipe need it", ""},
		{"go", false, "tasks of the built-in recipe need it", "version"},
		{"python3", false, "builtin:runtimes needs it", ""},
		{"node", false, "builtin:runtimes needs it", ""},
	}
	for _, name := range []string{"python", "pytest", "uv", "npm", "yarn", "pnpm", "bun", "deno", "cargo",
		"rustc", "ruby", "php", "mvn", "gradle", "make", "gcc"} {
		all = append(all, tool{name: name})
	}
	return append(all, tool{name: "java", asks: "-version"})
}

// lookTools finds the programs that tasks of recipes commonly need: each must
// run inside a sandbox. Where tasks run in containers their image has them.
func lookTools(ctx context.Context, c *cli.Common) []finding {
	if !host.OnLinux {
		f := finding{Kind: "tool", Name: "git", Detail: "not on PATH: recipes in git repositories need it"}
		if path, err := exec.LookPath("git"); err == nil {
			f.OK, f.Detail = true, path
		}
		return []finding{f}
	}
	h, err := c.Host()
	if err != nil { // it is said with the providers
		h = c.HostWith(&config.Config{})
	}
	all, names := toolsOfDoctor(), []string(nil)
	for _, t := range all {
		names = append(names, t.name)
	}
	if !h.ShowsFound(nil) {
		names = nil
	}
	chains := h.Chains(ctx, names)
	said, err := tryTools(ctx, h, chains.Paths, all)
	var out []finding
	for _, t := range all {
		f := finding{Kind: "tool", Name: t.name, Needed: t.needed}
		if err != nil {
			f.Detail = "not tried, for want of a sandbox: " + err.Error()
		} else {
			f.OK, f.Detail = judgeTool(t, chains.Found, said[t.name])
		}
		if f.Detail != "" {
			out = append(out, f)
		}
	}
	for _, t := range chains.Found { // what the project has of its own
		if host.IsVenv(t) {
			f := finding{Kind: "tool", Name: t.Name, OK: t.Why == "", Detail: t.Path}
			if !f.OK {
				f.Detail = host.NotShown(t)
			}
			out = append(out, f)
		}
	}
	return out
}

// judgeTool says what came of trying a tool; nothing of one that nobody has and
// nobody misses.
func judgeTool(t tool, found []toolchain.Tool, said trialOfTool) (ok bool, detail string) {
	at := slices.IndexFunc(found, func(f toolchain.Tool) bool { return f.Name == t.name && f.Path != "" })
	if said.path != "" && said.exit == "0" {
		detail = strings.Trim(said.path+", "+said.version, ", ")
		if at >= 0 && found[at].Why != "" {
			detail += "\nyour PATH finds another: " + host.NotShown(found[at])
		}
		return true, detail
	}
	switch {
	case at >= 0 && found[at].Why != "":
		return false, host.NotShown(found[at])
	case said.path != "":
		return false, fmt.Sprintf("%s is in the sandbox and does not run there: %s", said.path,
			cmp.Or(said.version, "exit code "+said.exit))
	case at >= 0:
		return false, fmt.Sprintf("this machine has %s, and the sandbox does not find it\n"+
			"  hint: tool_paths = [%q] below [sandbox] in cookoff.toml shows a directory", found[at].Path, "DIR")
	case t.why != "":
		return false, "not on PATH: " + t.why
	}
	return false, ""
}

// trialOfTool is what a sandbox said of a tool.
type trialOfTool struct{ path, exit, version string }

// colours are what some programs say even to a pipe.
var colours = pattern.New("\x1b\\[[0-9;]*m")

// toolTime bounds how long all tools together may take to say their version.
const toolTime = 2 * time.Minute

// tryTools asks each tool for its version inside a sandbox.
func tryTools(ctx context.Context, h *host.Host, chains []string, all []tool) (map[string]trialOfTool, error) {
	backend, err := h.Backend(nil, "", chains)
	if err != nil {
		return nil, err
	}
	sb, err := backend.Open(ctx, sandbox.Spec{ToolPaths: chains})
	if err != nil {
		return nil, err
	}
	var script strings.Builder
	script.WriteString("look() { local p v s; " +
		"p=$(type -P \"$1\") || return 0; v=$(timeout 30 \"$1\" \"$2\" 2>&1); s=$?\n" +
		"printf '%s\\t%s\\t%s\\t%s\\n' \"$1\" \"$p\" $s \"${v%%$'\\n'*}\"; }\n")
	for _, t := range all {
		fmt.Fprintf(&script, "look %s %s\n", t.name, cmp.Or(t.asks, "--version"))
	}
	res, err := sb.Exec(ctx, sandbox.Cmd{Script: script.String(), Timeout: toolTime})
	if err = errors.Join(err, sb.Close()); err != nil {
		return nil, err
	}
	out := map[string]trialOfTool{}
	for line := range strings.Lines(string(res.Stdout)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4); len(f) == 4 {
			out[f[0]] = trialOfTool{f[1], f[2], colours.ReplaceAllString(f[3], "")}
		}
	}
	return out, nil
}
