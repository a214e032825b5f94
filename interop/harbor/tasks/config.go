package tasks

// config is a task.toml, as far as it is looked at.
type config struct {
	Schema string `toml:"schema_version"`
	Task   struct {
		Name string `toml:"name"`
	} `toml:"task"`
	Agent struct {
		Timeout float64  `toml:"timeout_sec"`
		User    any      `toml:"user"`
		Network string   `toml:"network_mode"`
		Hosts   []string `toml:"allowed_hosts"`
	} `toml:"agent"`
	Verifier struct {
		Timeout float64           `toml:"timeout_sec"`
		Env     map[string]string `toml:"env"`
		User    any               `toml:"user"`
		Collect []any             `toml:"collect"`
		Mode    string            `toml:"environment_mode"`
		Own     any               `toml:"environment"`
	} `toml:"verifier"`
	Environment struct {
		Image   string            `toml:"docker_image"`
		OS      string            `toml:"os"`
		GPUs    int               `toml:"gpus"`
		TPU     any               `toml:"tpu"`
		MCP     []any             `toml:"mcp_servers"`
		Health  any               `toml:"healthcheck"`
		Env     map[string]string `toml:"env"`
		Workdir string            `toml:"workdir"`
		Build   float64           `toml:"build_timeout_sec"`
		CPUs    int64             `toml:"cpus"`
		Memory  int64             `toml:"memory_mb"`
		Storage int64             `toml:"storage_mb"`
		Hosts   []string          `toml:"allowed_hosts"`
		Network string            `toml:"network_mode"`
		Allow   *bool             `toml:"allow_internet"`
	} `toml:"environment"`
	Solution struct {
		Env map[string]string `toml:"env"`
	} `toml:"solution"`
	Steps     []any `toml:"steps"`
	Artifacts []any `toml:"artifacts"` // texts, or tables with a source
}
