package candidate

import (
	"context"
	"path"

	"cookoff/internal/history"
	"cookoff/internal/mine/kind"
	"cookoff/internal/mine/sides"
	"cookoff/internal/pattern"
)

var (
	ofExamples = pattern.New(`\bdoctest`)
	// toldOfTests are files that say what tests of Python's are run.
	toldOfTests = pattern.New(`^(pytest\.ini|\.pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|Makefile)$`)
)

// runsExamples reports whether the tests of a commit run the examples that stand in documents of
// Python's code: the test command, a file that says what is run, or a test speaks of that.
func (f *Finder) runsExamples(ctx context.Context, commit string, contents *history.Contents) bool {
	if ofExamples.MatchString(f.test) {
		return true
	}
	list, err := f.repo.Files(ctx, history.Commit{ID: commit})
	if err != nil {
		return false // such a commit is refused whatever it holds
	}
	for _, file := range list {
		if !toldOfTests.MatchString(file.Path) && (kind.Of(file.Path) != kind.Tests || path.Ext(file.Path) != ".py") {
			continue
		}
		if text, err := sides.Text(contents, file); err == nil && ofExamples.MatchString(text) {
			return true
		}
	}
	return false
}
