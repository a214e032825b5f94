package tasks

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzTask: whatever the files of a task hold, it is refused, or it is a task of a recipe.
func FuzzTask(f *testing.F) {
	f.Add("version = \"1.0\"\n[metadata]\ndifficulty = \"easy\"\n[verifier]\ntimeout_sec = 900.0\n[environment]\n"+
		"cpus = 1\nmemory = \"2G\"\nstorage = \"1G\"\n",
		"FROM python:3.13-slim\nWORKDIR /app\nRUN pip install flask==2\n",
		"uvx -w pytest==8.4.1 pytest /tests/t.py\necho 1 > /logs/verifier/reward.txt\n")
	f.Add("schema_version = \"1.4\"\nartifacts = [\"/app\", {source = \"/data\", service = \"db\"}]\n[task]\n"+
		"name = \"org/a\"\n[agent]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"x\"]\n[verifier]\n"+
		"environment_mode = \"separate\"\nenv = { A = \"'\" }\n",
		"FROM debian:12\nENV A=b PYTHONPATH=/x\nCOPY . /app/\nRUN <<EOF\nmkdir -p /data\nEOF\n",
		"#!/bin/bash\ncat <<'```'\n```\n")
	f.Add("[environment]\ndocker_image = \"there\"\nworkdir = \"../..\"\n[environment.env]\nPATH = \"x\"\n",
		"FROM there", "bash \"$0\"")
	f.Add("schema_version = \"1.1\"\n[environment]\nallow_internet = true\ndocker_image = \"gone\"\ngpus = 0\n"+
		"memory_mb = nan\n[verifier.env]\n", "", "true")
	m := stocked("jq", "pytest=9.1")
	m.Wheels = func(pkg string) []string { return map[string][]string{"flask": {"2"}}[pkg] }
	m.Image = func(name string) (Image, bool, error) {
		return Image{Path: "/images/a b'.tar", Workdir: "/srv", Env: []string{"PATH=/x:/bin", "A=\"", "B"},
			Holds: func() (Machine, error) { return stocked("", ""), nil }}, name == "there", nil
	}
	f.Fuzz(func(t *testing.T, config, dockerfile, test string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"task.toml": config, "instruction.md": "Do it.",
			"tests/test.sh": test, "environment/Dockerfile": dockerfile, "solution/solve.sh": "true"} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		task, refused := Read(dir, m)
		if len(refused) > 0 {
			return
		}
		if _, err := task.Task(); err != nil {
			t.Errorf("it was read, and is no task of a recipe: %v", err)
		}
	})
}
