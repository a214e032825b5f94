package tasks

import (
	"fmt"
	"strconv"
	"strings"
)

// config is a task.toml, as far as it is looked at.
type config struct {
	Schema string `toml:"schema_version"`
	Task   struct {
		Name string `toml:"name"`
	} `toml:"task"`
	Agent struct {
		Timeout number   `toml:"timeout_sec"`
		User    any      `toml:"user"`
		Network string   `toml:"network_mode"`
		Hosts   []string `toml:"allowed_hosts"`
	} `toml:"agent"`
	Verifier struct {
		Timeout number            `toml:"timeout_sec"`
		Env     map[string]string `toml:"env"`
		User    any               `toml:"user"`
		Collect []any             `toml:"collect"`
		Mode    string            `toml:"environment_mode"`
		Own     any               `toml:"environment"`
	} `toml:"verifier"`
	Environment struct {
		Image      string            `toml:"docker_image"`
		OS         string            `toml:"os"`
		GPUs       number            `toml:"gpus"`
		TPU        any               `toml:"tpu"`
		MCP        []any             `toml:"mcp_servers"`
		Health     any               `toml:"healthcheck"`
		Env        map[string]string `toml:"env"`
		Workdir    string            `toml:"workdir"`
		Skills     string            `toml:"skills_dir"`
		Build      number            `toml:"build_timeout_sec"`
		CPUs       number            `toml:"cpus"`
		Memory     number            `toml:"memory_mb"`
		Storage    number            `toml:"storage_mb"`
		OldMemory  number            `toml:"memory"` // of 1.0: "2G"
		OldStorage number            `toml:"storage"`
		Hosts      []string          `toml:"allowed_hosts"`
		Network    string            `toml:"network_mode"`
		Allow      *bool             `toml:"allow_internet"`
	} `toml:"environment"`
	Solution struct {
		Env map[string]string `toml:"env"`
	} `toml:"solution"`
	Steps     []any `toml:"steps"`
	Artifacts []any `toml:"artifacts"` // texts, or tables with a source
}

// number is one of a task.toml, however it is written: 1, 1.0, "1", or "2G" of bytes.
type number float64

// UnmarshalTOML reads it.
func (n *number) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case int64:
		*n = number(v)
	case float64:
		*n = number(v)
	case string:
		text := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(v)), "B"), "I")
		unit := number(1)
		for suffix, bytes := range map[string]number{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40} {
			if rest, ok := strings.CutSuffix(text, suffix); ok {
				text, unit = rest, bytes
				break
			}
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%.100q is no number", v)
		}
		*n = number(x) * unit
	default:
		return fmt.Errorf("%.100q is no number", fmt.Sprint(v))
	}
	return nil
}

// size is a number of MiB; without one, that of the bytes that task.toml 1.0 names.
func size(mib, bytes number) number {
	if mib == 0 {
		return bytes / (1 << 20)
	}
	return mib
}
