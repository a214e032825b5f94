package runnertest

import (
	"fmt"
	"strings"
)

// MendRecipe is one task that touch done mends; its verb %s stands for sections.
const MendRecipe = `# Mend
version: 1

## Models
- test/model

%s
## Tasks
### Write the file
Make a file called done.

` + "```sh setup\necho broken > state\n```\n```sh before\n! test -e done\n```\n" +
	"```sh after\ntest -e done # lint: allow existence: no more is asked\n```\n" +
	"```sh solution\ntouch done\n```\n"

// SequenceRecipe has three tasks, each of which needs what the one before it
// left.
func SequenceRecipe(sections string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Sequence\nversion: 1\n\n## Models\n- test/model\n\n## Context\ntask_mode: sequential\n\n%s## Tasks\n",
		sections)
	before := "true"
	for _, name := range []string{"one", "two", "three"} {
		fmt.Fprintf(&b,
			"### Make %s\nMake %s.\n\n```sh before\n%s && ! test -e %s\n```\n```sh after\ntest -e %s\n```\n"+
				"```sh solution\ntouch %s\n```\n", name, name, before, name, name, name)
		before = "test -e " + name
	}
	return b.String()
}

// Recipe is one task that touch done mends, and sections.
func Recipe(sections string) string { return fmt.Sprintf(MendRecipe, sections) }

// TextProfile has tools called in the text of replies.
const TextProfile = "## Model Profiles\n### test/*\ntool_format: text_in_prompt\n\n"
