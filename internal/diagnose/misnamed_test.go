package diagnose

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMisnamed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"test", "keys.py"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	check := func(test, output, want string) {
		t.Helper()
		if got := Misnamed(dir, test, output); got != want {
			t.Errorf("%s: %q: %q, want %q", test, output, got, want)
		}
	}
	check(".venv/bin/python chock.py",
		".venv/bin/python: can't open file '/work/chock.py': [Errno 2] No such file or directory", "chock.py")
	check("cd api && python3 chock.py", "python3: can't open file '/work/api/chock.py': [Errno 2]", "chock.py")
	check("node --test tets/a.js", "Could not find '/work/tets/a.js'", "tets/a.js")
	check("node tets.js", "Error: Cannot find module '/work/tets.js'\n    at Module._resolveFilename", "tets.js")
	check("bash chock.sh -v", "bash: chock.sh: No such file or directory", "chock.sh")
	check("./chock.sh", "bash: line 1: ./chock.sh: No such file or directory", "./chock.sh")
	check("sh chock.sh", "sh: 0: cannot open chock.sh: No such file", "chock.sh")
	check("python3 -m pytest tets/", "ERROR: file or directory not found: tets/", "tets/")
	check("npm run tets", "npm error Missing script: \"tets\"", "tets")
	check("make chock", "make: *** No rule to make target 'chock'.  Stop.", "chock")
	check("go test ./pgk/...", "pattern ./pgk/...: lstat ./pgk/: no such file or directory", "./pgk/...")
	check("perl t/chock.t", "Can't open perl script \"t/chock.t\": No such file or directory", "t/chock.t")

	// A directory is no script; a file that trials don't see is there.
	check("npm test", "npm error Missing script: \"test\"", "test")
	check("python3 keys.py", "python3: can't open file '/work/keys.py': [Errno 2]", "")

	// What the project's own files miss is what is broken.
	check("make test", "make: *** No rule to make target 'lib/a.c', needed by 'a.o'.  Stop.", "")
	check("node test.js", "Error: Cannot find module './lib/start'", "")
	check("python3 check.py", "FileNotFoundError: [Errno 2] No such file or directory: 'data.json'", "")
	check("bash run.sh", "run.sh: line 3: tools/build: No such file or directory", "")
}
