package traps

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"cookoff/sandbox"
)

// TestWorkshops: how somebody works on a project, in an editor or in containers, is his own; what runs by itself
// there, comes from elsewhere or takes something away is not.
func TestWorkshops(t *testing.T) {
	for _, row := range []struct{ name, p, text, want string }{
		{"a debugger", ".vscode/launch.json", `{ // how to debug
	"version": "0.2.0",
	"configurations": [
		{"name": "pytest", "type": "debugpy", "request": "launch", "module": "pytest", "args": ["-q"],
		 "cwd": "${workspaceFolder}", "env": {"PYTHONPATH": "${workspaceFolder}/src", "DEBUG": "1"}, "justMyCode": true},
		{"name": "server", "type": "node", "request": "launch", "program": "${workspaceFolder}/src/cli.js",
		 "runtimeExecutable": "npm"},
	],
}`, ""},
		{"comments between", ".vscode/launch.json", "{\n  // see the manual\n  \"version\": \"0.2.0\"\n}\n", ""},
		{"a task", ".vscode/tasks.json", `{"version": "2.0.0", "tasks": [{"label": "test", "type": "shell",
	"command": "python3", "args": ["-m", "pytest"], "group": {"kind": "test", "isDefault": true},
	"problemMatcher": []}]}`, ""},
		{"a task of its own accord", ".vscode/tasks.json", `{"tasks": [{"label": "x", "type": "shell", "command": "make",
	"runOptions": {"runOn": "folderOpen"}}]}`, "tasks.runOptions.runOn"},
		{"a task that deletes", ".vscode/tasks.json",
			`{"tasks": [{"label": "x", "type": "shell", "command": "rm -rf data"}]}`, "rm"},
		{"a program of elsewhere", ".vscode/launch.json", `{"configurations": [{"type": "debugpy", "program": "/tmp/x.py"}]}`,
			"configurations.program"},
		{"a program above", ".vscode/launch.json",
			`{"configurations": [{"type": "node", "runtimeExecutable": "${workspaceFolder}/../node"}]}`,
			"configurations.runtimeExecutable"},
		{"a variable that loads", ".vscode/launch.json",
			`{"configurations": [{"type": "node", "env": {"NODE_OPTIONS": "--require ./x.js"}}]}`,
			"configurations.env.NODE_OPTIONS"},
		{"commands of a debugger", ".vscode/launch.json",
			`{"configurations": [{"type": "cppdbg", "setupCommands": [{"text": "shell x"}]}]}`,
			"configurations.setupCommands.text"},
		{"no JSON", ".vscode/launch.json", `{"a": [`, "what can't be read"},
		{"how a service is worked on", "compose.override.yaml", `services:
  web:
    volumes: [".:/app", "./src:/app/src:ro"]
    ports:
      - "8081:80"
    environment:
      DEBUG: "1"
      NODE_ENV: development
  db:
    environment: ["LOG_LEVEL=debug"]
volumes:
  cache: {}
`, ""},
		{"another command", "docker-compose.override.yml", "services: {web: {command: ./run}}\n", "services.web.command"},
		{"another image", "compose.override.yml", "services: {web: {image: evil}}\n", "services.web.image"},
		{"another database", "compose.override.yml", "services: {web: {environment: {DATABASE_URL: x}}}\n",
			"services.web.environment.DATABASE_URL"},
		{"a file for each shell", "compose.override.yml", "services: {web: {environment: {BASH_ENV: ./x}}}\n",
			"services.web.environment.BASH_ENV"},
		{"a program of the image's", "compose.override.yml", "services: {web: {volumes: ['./psql:/usr/bin/psql']}}\n",
			"services.web.volumes"},
		{"the machine's files", "compose.override.yml", "services: {web: {volumes: ['/:/app']}}\n", "services.web.volumes"},
		{"more rights", "compose.override.yml", "services: {web: {privileged: true}}\n", "services.web.privileged"},
		{"an anchor", "compose.override.yml", "services: {web: &a {tty: true}, b: *a}\n", "an alias"},
		{"files of others", "compose.override.yml", "include: [x.yaml]\nservices: {}\n", "include"},
	} {
		f := sandbox.Item{Path: row.p, Mode: fs.FileMode(0o644), Data: []byte(row.text)}
		tool := For(Tools(), f.Path)
		var found []string
		for name, value := range tool.Settings(f) {
			if tool.Runs(name, value) != "" {
				found = append(found, strings.TrimPrefix(strings.TrimPrefix(name, runs), "by itself "))
			}
		}
		slices.Sort(found)
		if got := strings.Join(found, " "); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
