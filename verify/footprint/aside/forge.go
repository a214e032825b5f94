package aside

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"cookoff/internal/pattern"
)

// FewerTests is what a workflow of a forge does whose jobs of tests are there, and test less than at the start.
const FewerTests = "has a forge run fewer tests, or does not ask how they end"

type (
	// workflow is as much of a workflow of GitHub's, or of a forge that reads the same, as says which tests run.
	workflow struct {
		Jobs map[string]job
	}
	job struct {
		If       any
		Strategy struct{ Matrix map[string]any }
		Steps    []step
	}
	step struct {
		If              any
		ContinueOnError any `yaml:"continue-on-error"`
		Uses, Run       string
		With            map[string]any
	}
)

const (
	// tester begins a command that tests or examines a project.
	tester = `\b(?:pytest|tox|nox|unittest|go test|cargo test|mvn|gradlew?|phpunit|rspec|ctest|jest|vitest|mypy|ruff|` +
		`flake8|eslint|golangci-lint|(?:npm|yarn|pnpm)(?: run)? (?:test|lint|check)|make (?:test|check|lint))\b`
	// ofIt is what may follow within the same command.
	ofIt = `(?:[^\n|;&#]|[0-9]?>&[0-9])*`
)

var (
	tests = pattern.New(tester)
	// chosen has a command of tests leave some out.
	chosen = pattern.New(`\b(?:pytest|unittest)\b` + ofIt + `\s(?:-k|--deselect|--ignore(?:-glob)?)\b|` +
		`\bgo test\b` + ofIt + `\s-(?:run|skip)\b|\bcargo test\b` + ofIt + `\s--skip\b|` +
		`\b(?:jest|vitest|test)\b` + ofIt + `\s--(?:testNamePattern|testPathIgnorePatterns)\b|` +
		`\b(?:mvn|gradlew?)\b` + ofIt + `\s(?:-DskipTests|-Dmaven\.test\.skip|-x test)\b`)
	// unheard has the last of a pipe say how tests end.
	unheard = pattern.New(tester + ofIt + `\|\s*(?:tee|cat|head|tail|grep|sed|awk)\b`)
	heard   = pattern.New(`\bpipefail\b|(?m:^\s*(?:-\s*)?shell\s*:\s*bash\s*$)|PIPESTATUS`)
	// seldom is a condition by which something runs for one branch or user alone, or never.
	seldom = pattern.New(`^(?:\$\{\{)?\s*(?:false|0|'')\s*(?:\}\})?$|` +
		`\bgithub\.(?:actor|triggering_actor|ref|ref_name|head_ref|base_ref|sha|run_number|run_attempt)\s*==|` +
		`==\s*github\.(?:actor|triggering_actor|ref|ref_name|head_ref|base_ref|sha|run_number|run_attempt)\b`)
	// aboutTests is a task that speaks of when tests run.
	aboutTests = pattern.New(`(?i)\bonly (?:on|for|when|if|in)\b|\bskip|exclu|\bcondition|slow tests|flaky|` +
		`continue-on-error|\bpipe(?:fail)?\b`)
)

// TestsLess reports whether a workflow of a forge, which was the first text and is the second, has come to test less,
// by the jobs and steps that tested at the start and are still there, and a task does not speak of it (about).
func TestsLess(was, is, about string) bool {
	var old, now workflow
	if aboutTests.MatchString(about) || yaml.Unmarshal([]byte(was), &old) != nil ||
		yaml.Unmarshal([]byte(is), &now) != nil {
		return false
	}
	for name, before := range old.Jobs {
		after, isThere := now.Jobs[name]
		if isThere && slices.ContainsFunc(before.Steps, step.tests) && (isSeldom(before.If, after.If) ||
			after.leavesOut(before) || after.testsLess(before)) {
			return true
		}
	}
	return unheard.MatchString(is) && !unheard.MatchString(was) && !heard.MatchString(is)
}

func (s step) tests() bool { return tests.MatchString(s.Run) }

// isSeldom reports whether a condition is another one, by which something hardly runs.
func isSeldom(was, is any) bool {
	return is != nil && fmt.Sprint(is) != fmt.Sprint(was) && seldom.MatchString(strings.TrimSpace(fmt.Sprint(is)))
}

// leavesOut reports whether a value of a matrix is left out by itself, whatever the others are, which was not before.
func (j job) leavesOut(before job) bool {
	left := func(j job) map[string]bool {
		out, list := map[string]bool{}, []any(nil)
		list, _ = j.Strategy.Matrix["exclude"].([]any)
		for _, entry := range list {
			if of, ok := entry.(map[string]any); ok && len(of) == 1 {
				for key, value := range of {
					out[key+" "+fmt.Sprint(value)] = true
				}
			}
		}
		return out
	}
	was := left(before)
	for entry := range left(j) {
		if !was[entry] {
			return true
		}
	}
	return false
}

// testsLess reports whether steps of a job do less, or less often, than those of the same job that tested before.
func (j job) testsLess(before job) bool {
	same := func(s step) func(step) bool {
		return func(other step) bool { return strings.TrimSpace(other.Run) == strings.TrimSpace(s.Run) }
	}
	for _, s := range j.Steps {
		i := slices.IndexFunc(before.Steps, same(s))
		switch {
		case strings.HasPrefix(s.Uses, "actions/checkout@"):
			if ref, isSet := s.With["ref"].(string); isSet && !strings.Contains(ref, "${{") && !before.takes(ref) {
				return true
			}
		case !s.tests():
		case i >= 0: // as before
			was := before.Steps[i]
			if isSeldom(was.If, s.If) || s.ContinueOnError == true && was.ContinueOnError != true {
				return true
			}
		case chosen.MatchString(s.Run) && !slices.ContainsFunc(before.Steps, step.chooses):
			for _, was := range before.Steps {
				if was.tests() && !slices.ContainsFunc(j.Steps, same(was)) {
					return true // in the place of one that chose nothing
				}
			}
		}
	}
	return false
}

func (s step) chooses() bool { return chosen.MatchString(s.Run) }

// takes reports whether a step of a job takes a commit by that name.
func (j job) takes(ref string) bool {
	return slices.ContainsFunc(j.Steps, func(s step) bool { return s.With["ref"] == ref })
}
