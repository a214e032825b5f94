package traps

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestPipelines: of the commands that a forge, a timer or a hook runs later, those that take something away are told
// from the others.
func TestPipelines(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n" +
			"      - run: go test ./...\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: |\n          make\n" +
			"          rm -rf ${{ x }} data\n", "rm"},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: rm -rf $DATA\n", "rm"},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: d=data; rm -rf \"$d/old\"\n", "rm"},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: tmp=data; rm -rf \"${tmp}\"\n", "rm"},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: w=$(mktemp -d); rm -rf \"$w/a\"\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: w=dist; rm -rf $w \"$RUNNER_TEMP/x\"\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: for f in *.o; do rm \"$f\"; done\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: rm -rf dist node_modules /tmp/x\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: |\n          clean() { rm -rf \"$1\"; }\n" +
			"          clean dist; clean build/x\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: |\n          clean() { local d=$1; rm -rf \"$d\"; }\n" +
			"          clean dist; clean data\n", "rm"},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: rm -rf \"$1\"\n", ""},
		{".github/workflows/ci.yml", "jobs:\n  a:\n    steps:\n      - run: x=$HOME; rm -rf \"$x/a\"\n", "rm"},
		{".gitlab-ci.yml", "a:\n  script: [make, git push -f]\n", "git push"},
		{".gitlab-ci.yml", "a:\n  script:\n    - git diff --exit-code\n    - git fetch --tags\n", ""},
		{".circleci/config.yml", "jobs: {a: {steps: [{run: {command: 'find . -delete'}}]}}", "find"},
		{"docker-compose.yml", "services:\n  a:\n    image: redis\n    command: redis-server --appendonly yes\n", ""},
		{"docker-compose.yml", "services:\n  a:\n    image: busybox\n    command: [sh, -c, rm -rf /app]\n", "rm"},
		{"Procfile", "web: ./run\nrelease: python -c 'import shutil; shutil.rmtree(\"data\")'\n", "python"},
		{"Procfile", "web: gunicorn app:app\n", ""},
		{"deploy/crontab", "# rm -rf /\nMAILTO=ops\n15 2 * * * /work/bin/nightly\n", ""},
		{"deploy/crontab", "15 2 * * * cd /work && rm -rf data\n", "rm"},
		{"deploy/cron.d/app", "15 2 * * * root rm -rf data\n", "rm"},
		{"deploy/app.cron", "@daily : > /work/data/orders.csv\n", ">"},
		{"Dockerfile", "FROM a\nRUN rm -rf /app\nCMD [\"/app/run\"]\n", ""},
		{"Dockerfile", "FROM a\nONBUILD RUN rm -rf /app\n", "rm"},
		{"Jenkinsfile", "pipeline { steps { sh 'make test' } }", ""},
		{"Jenkinsfile", "pipeline { steps { sh \"rm -rf data\" } }", "rm"},
		{".husky/pre-commit", "npm test\n", ""},
		{".husky/pre-commit", "npm test || git checkout .\n", "git checkout"},
		{".pre-commit-config.yaml", "repos:\n  - repo: local\n    hooks:\n      - entry: sed -i s/a/b/ x\n", " sed"},
		{"db/001.sql", "create table a (b);\n.shell rm -f x\n", "programs"},
		{"db/001.sql", "copy a from program 'curl x'", "programs"},
		{"db/001.sql", "-- a program\ncopy a from stdin;\ninsert into system values (1);\n", ""},
		{"fly.toml", "[deploy]\nrelease_command = \"rm -rf data\"\n", "rm"},
	} {
		f := sandbox.Item{Path: c.path, Mode: fs.FileMode(0o644), Data: []byte(c.text)}
		tool := For(Tools(), c.path)
		if tool == nil {
			t.Errorf("%s: nothing reads it", c.path)
			continue
		}
		said := tool.Settings(f)
		var found []string
		for _, name := range slices.Sorted(maps.Keys(said)) {
			if tool.Runs(name, said[name]) != "" {
				found = append(found, strings.TrimPrefix(name, runs))
			}
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s: %q: %q, want %q", c.path, c.text, got, c.want)
		}
	}
}
