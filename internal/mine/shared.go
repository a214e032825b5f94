package mine

import "cookoff/verify/testrun"

// Excerpt gives what failing tests printed, without what differs from run to run, as other, a run of the same state,
// tells: at most 40 lines.
func Excerpt(o, other *testrun.Outcome, names []string) string {
	return (&outcome{Outcome: o, other: &outcome{Outcome: other}}).excerpt(names, nil)
}

// Unbuilt reports whether a run of tests failed, in part, because something can't be
// built or imported.
func Unbuilt(o *testrun.Outcome) bool { return unbuilt(&outcome{Outcome: o}) }

// Said is the line that tells most of how a run ended.
func Said(o *testrun.Outcome) string { return said(&outcome{Outcome: o}) }

// Script is the script that applies a patch with git apply and these flags, however its
// lines end.
func Script(patch, flags string) string { return applying(patch, flags) }

// Narrowed gives a test command of go, pytest or node for the tests that lie beside
// some sources, where their names tell; else the command. has are the project's files.
func Narrowed(command string, sources, has []string) string {
	return besideSources(command, sources, has)
}
