// Package git is how the referee distrusts git.
package git

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"cookoff/verify/distrust"
)

// Tool is git. A check is hijacked through settings of a repository and of HOME,
// hooks, flags and dates in its index, replaced objects, and attributes. What can't
// be answered by variables, Look answers for one state.
type Tool struct{ distrust.None }

// Env stands above a project's own settings: an fsmonitor that claims "nothing
// changed" would be believed, so would old dates of files, and objects put in
// place of others.
func (Tool) Env() []string { return env(nil) }

// Live has git read no settings but the repository's.
func (Tool) Live() []string { return []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"} }

// env is that of Tool.Env with more settings.
func env(settings map[string]string) []string {
	all := map[string]string{"core.fsmonitor": "false", "core.trustctime": "true", "core.checkStat": "default"}
	maps.Copy(all, settings)
	env := []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none",
		"GIT_CONFIG_COUNT=" + strconv.Itoa(len(all))}
	for i, key := range slices.Sorted(maps.Keys(all)) {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key),
			fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, all[key]))
	}
	return env
}
