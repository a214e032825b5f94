package native

import (
	"os"
	"path"
	"slices"
	"strings"

	"cookoff/sandbox"
)

// mavenOptions has the virtual machine of Maven compile what it runs quickly and not well: each world starts it anew,
// for seconds, and half of its processor time is spent on compiling what ends before that is of use.
const mavenOptions = "MAVEN_OPTS=-XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1"

// environment is what every command of a sandbox is given.
func environment(spec sandbox.Spec, built []string, image []string) []string {
	env := []string{
		"HOME=" + sandbox.HomeDir, "USER=" + userOf(spec), "LOGNAME=" + userOf(spec), "SHELL=/bin/bash",
		"PATH=" + searchPath(spec, image), "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=/tmp",
		// Python takes a file that was changed within the second in which it was
		// compiled, and kept its size, for the one before: a fault and its repair are
		// both made by programs, and often in one second.
		"PYTHONDONTWRITEBYTECODE=1",
		mavenOptions,
	}
	env = append(env, built...)
	// The one in HOME holds results that the contestant may have written.
	if spec.Profile == sandbox.Verify && !slices.Contains(built, goCache) {
		env = append(env, "GOCACHE=/tmp/.go-build")
	}
	if spec.Network == sandbox.NoNetwork {
		env = append(env, "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=", "GOTELEMETRY=off")
	}
	if spec.Network == sandbox.AllowedNetwork {
		proxy, none := "http://"+sandbox.ProxyAddr, "localhost,127.0.0.1,::1"
		env = append(env, "GOTOOLCHAIN=local", "GOTELEMETRY=off",
			"HTTP_PROXY="+proxy, "HTTPS_PROXY="+proxy, "http_proxy="+proxy, "https_proxy="+proxy, "NO_PROXY="+none,
			"no_proxy="+none)
	}
	if home, err := os.UserHomeDir(); err == nil && spec.Filesystem == sandbox.Unrestricted {
		env = append(env, "HOST_HOME="+home)
	}
	if spec.Profile == sandbox.Verify && !slices.Contains(built, pythonCache) {
		env = append(env, "PYTHONPYCACHEPREFIX=/tmp/.pycache")
	}
	if spec.Profile == sandbox.Verify {
		env = append(env,
			"PYTHONSAFEPATH=1", "PYTHONNOUSERSITE=1", "NODE_OPTIONS=",
			"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local")
	}
	return append(env, spec.Env...)
}

// userOf is the name of the user that commands run as.
func userOf(spec sandbox.Spec) string {
	if spec.User.Super() {
		return "root"
	}
	return "agent"
}

// searchPath is PATH: the task's directories first for the agent, and last for
// a check. Tool chains come before the system, but for those behind /usr in
// their list; the directories of an image after those that every system has.
func searchPath(spec sandbox.Spec, image []string) string {
	var task []string
	for _, p := range spec.Path {
		switch {
		case p == "~" || strings.HasPrefix(p, "~/"):
			p = path.Join(sandbox.HomeDir, p[1:])
		case !path.IsAbs(p):
			p = path.Join(sandbox.WorkDir, p)
		}
		task = append(task, p)
	}
	var tools []string
	for _, t := range spec.ToolPaths {
		if st, err := os.Stat(path.Join(t, "bin")); err == nil && st.IsDir() {
			t = path.Join(t, "bin")
		}
		tools = append(tools, t)
	}
	system := []string{"/usr/local/bin", "/usr/bin", "/bin"}
	if spec.Root.Dir != "" || spec.User.Super() {
		image = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}
	}
	for _, d := range image {
		if !slices.Contains(system, d) {
			system = append(system, d)
		}
	}
	own := []string{sandbox.HomeDir + "/bin", sandbox.HomeDir + "/.local/bin"}
	var all []string
	if spec.Profile == sandbox.Verify {
		all = join(tools, system, task, own)
	} else {
		all = join(task, own, tools, system)
	}
	return strings.Join(all, ":")
}

// join gives what is in the lists, each once.
func join(lists ...[]string) []string {
	var all []string
	for _, s := range slices.Concat(lists...) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
