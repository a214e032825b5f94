package propose

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

var (
	// settings are files that say how tests of JavaScript run.
	settings = []string{"vitest.config.*", "vitest.workspace.*", "vite.config.*", "jest.config.*", "package.json",
		".mocharc*"}
	// settingUp are settings with the files that run before tests, or stand between them and what they say.
	settingUp = pattern.New(`(?i)["']?\b(setupFiles(AfterEnv)?|globalSetup|globalTeardown|snapshotSerializers|` +
		`snapshotResolver|testRunner|testEnvironment|reporters)["']?\s*:\s*(\[[^\]]*\]|["'][^"'\n]*["'])`)
	// required is such a setting of mocha, which elsewhere names what is tested.
	required = pattern.New(`["']?\b(require|file)["']?\s*:\s*(\[[^\]]*\]|["']?[./][\w./-]+["']?)`)
	texts    = pattern.New(`["'\s\[]?([.<\w/][^"'\s\[\],]*)`)
	// options are flags of a test command with such a file behind them.
	options = pattern.New(`(?:--(?:import|require|setupFiles\w*|setup-files\w*|globalSetup|loader|file)|-r)` +
		`[ =]["']?(\.?[\w./-]+\.[cm]?[jt]s)\b`)
)

// setUps adds the files that settings of tests name as what runs before them.
func (j *judges) setUps() {
	var names []string
	for _, glob := range settings {
		found, _ := filepath.Glob(filepath.Join(j.dir, glob)) // none of these globs is wrong
		for _, file := range found {
			text := j.text(filepath.Base(file))
			found := settingUp.FindAllStringSubmatch(text, -1)
			if strings.HasPrefix(glob, ".mocharc") {
				found = append(found, required.FindAllStringSubmatch(text, -1)...)
			}
			for _, m := range found {
				for _, name := range texts.FindAllStringSubmatch(m[len(m)-1], -1) {
					if strings.ContainsAny(name[1], "./") { // else it is one of those that are known by name
						names = append(names, name[1])
					}
				}
			}
		}
	}
	for _, script := range j.scripts {
		for _, m := range options.FindAllStringSubmatch(script, -1) {
			names = append(names, m[1])
		}
	}
	for _, name := range names {
		name = path.Clean(strings.TrimPrefix(name, "<rootDir>/"))
		for _, end := range []string{"", ".ts", ".js", ".mjs", ".cjs"} {
			if file := name + end; filepath.IsLocal(file) && plain.MatchString(file) && j.regular(file) &&
				!slices.Contains(j.files, file) {
				j.files = append(j.files, file)
				break
			}
		}
	}
}

// modules are the files of the modules that unittest is told to run.
func modules(words []string) (files []string) {
	at := slices.Index(words, "unittest")
	if at < 1 || words[at-1] != "-m" {
		return nil
	}
	for _, w := range words[at+1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "/") && !strings.HasSuffix(w, ".py") {
			files = append(files, strings.ReplaceAll(w, ".", "/")+".py")
		}
	}
	return files
}

// classPath are the files of a path of classes.
func classPath(words []string) (files []string) {
	for i, w := range words {
		if i > 0 && slices.Contains([]string{"-cp", "-classpath", "--class-path"}, words[i-1]) {
			files = append(files, strings.FieldsFunc(w, func(r rune) bool { return r == ':' || r == ';' })...)
		}
	}
	return files
}
