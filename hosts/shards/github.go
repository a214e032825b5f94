package shards

import (
	"go.yaml.in/yaml/v3"
)

type object = map[string]any

// github is a workflow: a job for each part, and one that reports.
func (j Job) github(run string) (string, error) {
	var parts []int
	for i := range j.Parts {
		parts = append(parts, i+1)
	}
	install := object{"name": "cookoff", "run": "command -v cookoff # install it here: docs/ci.md"}
	flow := object{
		"name": "cookoff", "on": object{"workflow_dispatch": object{}},
		"jobs": object{
			"part": object{
				"runs-on":  "ubuntu-latest",
				"strategy": object{"fail-fast": false, "matrix": object{"part": parts}},
				"steps": []object{
					{"uses": "actions/checkout@v4"},
					{"run": "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"},
					install,
					{"run": filled("@RUN@ --shard ${{ matrix.part }}/@PARTS@", j.Parts, run),
						"env": object{"OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}"}},
					{"uses": "actions/upload-artifact@v4", "if": "always()", "with": object{
						"name": "part-${{ matrix.part }}", "path": ".cookoff/runs", "include-hidden-files": true}},
				},
			},
			"report": object{
				"runs-on": "ubuntu-latest", "needs": "part", "if": "always()",
				"steps": []object{
					install,
					{"uses": "actions/download-artifact@v4", "with": object{"pattern": "part-*", "path": "parts"}},
					{"run": `cookoff report parts/*/*/ --format markdown >> "$GITHUB_STEP_SUMMARY"`},
				},
			},
		},
	}
	text, err := yaml.Marshal(flow)
	return "# Runs a comparison in parts, a job each, and reports beside the workflow.\n" + string(text), err
}
