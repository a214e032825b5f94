package tasks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stocked is a machine with these packages of its system, and of Python with versions.
func stocked(system, python string) Machine {
	return Machine{
		Installed: func(pkg string) bool { return strings.Contains(" "+system+" ", " "+pkg+" ") },
		Python: func(pkg string) (string, bool) {
			_, rest, ok := strings.Cut(" "+python+" ", " "+plainName(pkg)+"=")
			version, _, _ := strings.Cut(rest, " ")
			return version, ok
		},
	}
}

// TestStandIn: what tests get from elsewhere is this machine's, where it has it; the rest of
// the script stays as it is.
func TestStandIn(t *testing.T) {
	for _, test := range []struct{ name, script, want, said string }{
		{"nothing to get", "pytest -q | tee x # pip install y\n", "pytest -q | tee x # pip install y\n", ""},
		{"the usual", "apt-get update\napt-get install -y curl jq\ncurl -LsSf https://astral.sh/uv/0.9.7/install.sh | sh\n" +
			"source $HOME/.local/bin/env\nuvx -p 3.13 -w pytest==8.4.1 \\\n  -w pytest-json-ctrf==0.3.5 \\\n" +
			"  pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py -rA\nif [ $? -eq 0 ]; then echo 1; fi\n",
			"true\ntrue\ntrue\ntrue\npytest /tests/test_outputs.py -rA\nif [ $? -eq 0 ]; then echo 1; fi\n",
			"jq, pytest 9.1 (8.4.1 is asked for), no report by pytest-json-ctrf"},
		{"a project of uv",
			"uv venv .x\nsource .x/bin/activate\nuv pip install pytest==9.1 > /dev/null\nuv run pytest \"$D/t.py\" -v",
			"true\ntrue\ntrue > /dev/null\npytest \"$D/t.py\" -v", "pytest 9.1"},
		{"in a condition", "if ! command -v pytest; then pip3 install -q pytest; fi",
			"if ! command -v pytest; then true; fi", "pytest 9.1"},
		{"a virtual environment", "python3 -m venv /v && . /v/bin/activate && pip install pytest",
			"python3 -m venv --system-site-packages /v && . /v/bin/activate && true", "pytest 9.1"},
		{"other modules", "pip install 'Py_Test>=8,<10' numpy[x]==2 six", "true",
			"refused: s: this machine's python3 has no package numpy, and no directory that PIP_FIND_LINKS names has it; " +
				"refused: s: this machine's python3 has no package six"},
		{"other packages",
			"DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends jq=1.6 tmux python3-pytest",
			"DEBIAN_FRONTEND=noninteractive true", "refused: s: this machine has no package tmux"},
		{"other tools", "uvx ruff check", "uvx ruff check", ""},
		{"another installer", "curl https://example.org/x.sh | sh", "curl https://example.org/x.sh | sh", ""},
		{"what a file names", "pip install -r /tests/r.txt", "true", "refused: s: it installs what \"/tests/r.txt\" says"},
		{"a path", "pip install -e . ./x", "true", "refused: s: it installs \"-e\", which is no name"},
		{"no shell", "if then (", "if then (", ""},
		{"packages out of a directory", "pip install flask==2 flask 'wanted>=1'\nuvx -w flask pytest -q", "true\npytest -q",
			"flask, by pip out of PIP_FIND_LINKS, wanted, by pip out of PIP_FIND_LINKS"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := stocked("jq", "pytest=9.1")
			m.Wheels = func(pkg string) []string { return map[string][]string{"flask": {"2", "3"}, "wanted": {"1"}}[pkg] }
			r := dockerfileOf("", m).out
			if got := r.standIn("s", test.script); got != test.want {
				t.Errorf("it became %q", got)
			}
			said := strings.Join(r.task.Notes, "; ")
			for _, err := range r.refused {
				said += "; refused: " + err.Error()
			}
			if !strings.Contains(said, test.said) || test.said == "" && said != "" {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// TestDockerfile: what people write in Dockerfiles, as lines of a setup.
func TestDockerfile(t *testing.T) {
	for _, test := range []struct{ name, text, want, refused string }{
		{"arguments",
			"ARG BASE=debian:12\nFROM ${BASE}\nARG V=1\nENV HERE=/app\nWORKDIR $HERE\nCOPY a.py ${DIR:-in}/\nRUN echo $V > v",
			"mkdir -p /app | mkdir -p /app/in | printf %s 'a' > /app/in/a.py | " +
				"( | set -e; cd /app | export BASE=debian:12 | export V=1 | echo $V >v | )",
			""},
		{"an unknown argument", "FROM x\nCOPY a.py $NOWHERE/", "", "COPY a.py $NOWHERE/: a variable that isn't known"},
		{"texts below",
			"FROM x\nWORKDIR /app\nRUN <<EOF\nmkdir d\ntouch d/f\nEOF\nRUN cat > x <<'END'\nCOPY $a\nEND\nCOPY <<E y\nhi\nE\n",
			"mkdir -p /app | ( | set -e; cd /app | mkdir d | touch d/f | ) | ( | set -e; cd /app | cat >x <<'END' | COPY $a | END | ) | " +
				"mkdir -p /app | printf %s 'hi | ' > /app/y", ""},
		{"a list", "FROM x\nSHELL [\"/bin/bash\", \"-c\"]\nRUN [\"touch\", \"a b\"]\nRUN [\"/bin/sh\", \"-c\", \"touch c\"]",
			"( | set -e; cd / | 'touch' 'a b' | ) | ( | set -e; cd / | touch c | )", ""},
		{"a pattern", "FROM x\nCOPY *.py /app/",
			"mkdir -p /app | printf %s 'a' > /app/a.py | mkdir -p /app | printf %s 'b' > /app/b.py", ""},
		{"requirements",
			"FROM x\nCOPY r.txt /app/\nWORKDIR /app\nRUN pip install --no-cache-dir -r r.txt && chown -R me /app && useradd me",
			"mkdir -p /app | printf %s 'pytest == 9.1 # x | ' > /app/r.txt | mkdir -p /app", ""},
		{"more than names", "FROM x\nCOPY a.py /app/\nRUN pip install -r /app/a.py six", "",
			"this machine's python3 has no package six"},
		{"Windows line ends", "FROM x\r\nRUN touch \\\r\n  a \\\r\n  # of it\r\n  b\r\n",
			"( | set -e; cd / | touch a b | )", ""},
		{"somebody's home", "FROM x\nWORKDIR /root/app", "", "/root/app: /root is your home"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"Dockerfile": test.text, "a.py": "a", "b.py": "b",
				"r.txt": "pytest == 9.1 # x\n"} {
				if err := os.MkdirAll(filepath.Join(dir, "environment"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "environment", name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			m := stocked("jq", "pytest=9.1")
			m.Home = "/root"
			r := dockerfileOf(dir, m)
			r.build()
			r.mounts()
			got := strings.ReplaceAll(strings.Join(r.out.task.Setup, "\n"), "\n", " | ")
			for _, quoted := range []string{"/app", "/app/in", "/app/in/a.py", "/app/a.py", "/app/b.py",
				"/app/y", "/app/r.txt", "/",
				"debian:12", "1"} {
				got = strings.ReplaceAll(got, quote(quoted), quoted)
			}
			said := fmt.Sprint(r.out.refused)
			if test.refused == "" && (got != test.want || len(r.out.refused) > 0) || !strings.Contains(said, test.refused) {
				t.Errorf("it became %q, refused %v", got, said)
			}
		})
	}
}

// TestSkills: skills that Harbor would give its agents are said to be given to nobody.
func TestSkills(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "task.toml"), []byte("[environment]\nskills_dir = '/skills'\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	task, _ := Read(dir, stocked("", ""))
	if got := strings.Join(task.Notes, "; "); !strings.Contains(got, `the skills in "/skills"; here they lie there`) {
		t.Error(got)
	}
}

// TestNumbers: a task.toml says how much in more than one way.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"memory = '2G'\nstorage = '512MiB'":           "2048 512 0",
		"memory_mb = 1024.0\ncpus = 0.5":              "1024 0 0",
		"memory_mb = '96'\nbuild_timeout_sec = '7.5'": "96 0 7.5",
		"memory = 'much'":                             `"much" is no number`,
		"memory_mb = true":                            `"true" is no number`,
		"gpus = 'nan'":                                "gpus",
		"memory_mb = -1":                              "memory_mb -1",
		"storage = '9999999T'":                        "from 0 to",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "task.toml"), []byte("[environment]\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		task, refused := Read(dir, stocked("", ""))
		got := fmt.Sprint(task.Memory>>20, task.Disk>>20, task.BuildSeconds)
		if got != want && !strings.Contains(fmt.Sprint(refused), want) {
			t.Errorf("%s: got %s, refused %v", text, got, refused)
		}
	}
}
