package force_test

// contestantsInForce is the part of the list for contestants.
func contestantsInForce() map[string]force {
	block := section("Contestants", "### one\nmodel: test/model\n")
	return map[string]force{
		"contestants.name":          block("", "\n### two\nmodel: test/other"),
		"contestants.model":         {test: "cmd/cookoff.contestants.txtar"},
		"contestants.agent":         {test: "cmd/cookoff.contestants_agents.txtar"},
		"contestants.system_prompt": block("system_prompt: Be brief.", "system_prompt: none"),
		"contestants.tools":         block("tools: bash", "tools: bash, read_file"),
		"contestants.add_tools": block("add_tools: repair(git-index-lock)",
			"add_tools: repair(env-file-missing)"),
		"contestants.drop_tools":          block("drop_tools: read_file", "drop_tools: write_file"),
		"contestants.mcp":                 {test: "cmd/cookoff.contestants_agents.txtar"},
		"contestants.files":               {test: "cmd/cookoff.contestants.txtar"},
		"contestants.temperature":         block("", "temperature: 0"),
		"contestants.top_p":               block("top_p: 1", "top_p: 0.5"),
		"contestants.max_tokens":          block("max_tokens: 100", "max_tokens: 200"),
		"contestants.seed":                block("", "seed: 0"),
		"contestants.reasoning_effort":    block("reasoning_effort: low", "reasoning_effort: high"),
		"contestants.parallel_tool_calls": block("", "parallel_tool_calls: false"),
	}
}
