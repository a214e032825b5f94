package export

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cookoff/recipe"
)

// config is a task.toml of version 1.4.
type config struct {
	Schema      string         `toml:"schema_version"`
	Artifacts   []string       `toml:"artifacts,omitempty"` // what the separate verifier sees
	Task        taskInfo       `toml:"task"`
	Metadata    map[string]any `toml:"metadata"`
	Agent       limits         `toml:"agent"`
	Verifier    verifier       `toml:"verifier"`
	Environment environment    `toml:"environment"`
}

type taskInfo struct {
	Name        string   `toml:"name"`
	Description string   `toml:"description"`
	Keywords    []string `toml:"keywords"`
}

type limits struct {
	Timeout float64 `toml:"timeout_sec"`
}

type verifier struct {
	Timeout float64 `toml:"timeout_sec"`
	Mode    string  `toml:"environment_mode"`
}

type environment struct {
	Build   float64  `toml:"build_timeout_sec"`
	Memory  int64    `toml:"memory_mb,omitzero"`
	Storage int64    `toml:"storage_mb,omitzero"`
	Network string   `toml:"network_mode"`
	Hosts   []string `toml:"allowed_hosts,omitempty"`
	Health  *health  `toml:"healthcheck,omitempty"`
}

// health is asked before the agent begins.
type health struct {
	Command string  `toml:"command"`
	Timeout float64 `toml:"timeout_sec"`
	Retries int     `toml:"retries"`
}

// scriptTime is how long a script may take that says nothing.
const scriptTime = 2 * time.Minute

// config is the task.toml.
func (w *writing) config() string {
	r, t := w.Recipe, w.task
	c := config{Schema: "1.4", Artifacts: []string{w.at},
		Task:     taskInfo{Name: w.Name, Description: t.Title, Keywords: append([]string{}, t.Tags...)},
		Metadata: map[string]any{"made_by": "cookoff export harbor", "recipe": r.Name, "task": t.Name()}}
	if t.Judge != "patch" {
		c.Artifacts = append(c.Artifacts, home)
		for _, at := range w.mounts {
			if at != w.at {
				c.Artifacts = append(c.Artifacts, at)
			}
		}
	}
	c.Agent.Timeout = cmp.Or(t.Timeout, r.Constraints.Timeout, 5*time.Minute).Seconds()
	total := time.Minute
	for _, check := range slices.Concat(t.Guard, t.After) {
		total += cmp.Or(check.Timeout, scriptTime)
	}
	for _, b := range blocks(r, t) {
		total += b.Timeout * time.Duration(len(b.Commands))
	}
	for _, k := range r.SuccessCriteria {
		total += cmp.Or(k.Timeout, scriptTime)
	}
	c.Verifier.Timeout, c.Verifier.Mode = total.Seconds(), "separate"
	build := 10*time.Minute + cmp.Or(t.Limits.Setup, scriptTime)
	for _, b := range blocks(r, t) {
		if b.VersionCommand != "" {
			build += b.Timeout
		}
	}
	if prepare(r, t) != "" {
		build += cmp.Or(r.Sandbox.PrepareTimeout, 10*time.Minute)
	}
	c.Environment = environment{Build: build.Seconds(),
		Memory:  cmp.Or(t.Memory, r.Sandbox.Memory) >> 20,
		Storage: cmp.Or(t.Disk, r.Sandbox.Disk) >> 20, Network: network(r, t)}
	if isLive(r, t) {
		c.Artifacts, c.Verifier.Mode = nil, "shared"
		c.Environment.Health = &health{Command: "bash " + start + "/begin.sh", Timeout: build.Seconds(), Retries: 1}
	}
	if c.Environment.Network == "allowlist" {
		c.Environment.Hosts = r.Sandbox.AllowHosts
	}
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(c); err != nil && w.err == nil {
		w.err = err
	}
	return b.String()
}

// network is the policy, in Harbor's words.
func network(r *recipe.Recipe, t recipe.Task) string {
	switch {
	case t.Network == "none" || r.Sandbox.Network == "" || r.Sandbox.Network == "none":
		return "no-network"
	case r.Sandbox.Network == "allow":
		return "allowlist"
	}
	return "public"
}

// Slug is a name as Harbor's names of tasks and directories have it, at most 60 bytes.
func Slug(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	return cmp.Or(strings.Trim(b.String(), "-"), "task")
}
