package verifytest

import "cookoff/recipe"

// One is one check of a script.
func One(s string) []recipe.Check { return []recipe.Check{{Script: s}} }

// Link is a task with every kind of check: bin/app must lead to v2.
func Link() recipe.Task {
	return recipe.Task{
		Title: "link",
		Setup: "mkdir -p bin lib; printf '#!/bin/sh\\necho app 1.0.0\\n' > lib/v1; printf '#!/bin/sh\\necho app " +
			"2.0.0\\n' > lib/v2; chmod +x lib/*; ln -s ../lib/v1 bin/app; echo 2.0.0 > want; echo keep > notes",
		Before:   "bin/app | grep -qx 'app 1.0.0'",
		After:    One("test bin/app -ef lib/v2"),
		Guard:    One("grep -qx keep notes"),
		Protect:  []string{"want", "lib"},
		Verify:   []recipe.VerifyBlock{{Command: "bin/app", Pattern: "app {version}", VersionCommand: "cat want"}},
		Solution: "ln -sfn ../lib/v2 bin/app",
	}
}
