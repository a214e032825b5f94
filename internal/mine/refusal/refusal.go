// Package refusal says why commits of a history become no tasks.
package refusal

// Reason says in a word or two why a commit became no task.
type Reason string

// Reasons, in the order in which a commit meets them.
const (
	NotBoth      Reason = "changes no tests, or nothing else"
	InOneFile    Reason = "tests stand in the same file as the code"
	NoParent     Reason = "has no parent here (a root, or a shallow clone)"
	Missing      Reason = "contents are missing (a partial clone)"
	OddPath      Reason = "has a path that no world can have"
	Submodule    Reason = "moves a submodule"
	Pointer      Reason = "changes a pointer of Git LFS"
	TooLarge     Reason = "is too large"
	Needs        Reason = "changes tests and what the project needs from elsewhere only"
	OnlyVersion  Reason = "changes tests and a version only"
	Again        Reason = "does again what an older commit did"
	Unprepared   Reason = "its dependencies can't be prepared here"
	FixedFails   Reason = "its own tests fail here"
	FixedBuild   Reason = "it can't be built here"
	NoneRuns     Reason = "none of its tests runs here"
	Nameless     Reason = "the test command names no tests"
	Forgiving    Reason = "the test command ends well though tests fail"
	Endless      Reason = "the tests take too long"
	Ended        Reason = "the run of its tests is ended from outside"
	NothingFails Reason = "no test fails without the change"
	NewNames     Reason = "its tests need names that are not there yet"
	Flaky        Reason = "its tests differ between runs"
	Hidden       Reason = "its tests ask for what neither prompt nor code says"
	Unproven     Reason = "the referee refuses it"
	Leaked       Reason = "its world gives the answer away"
)

// reasons are all, as tables list them.
var reasons = []Reason{NotBoth, InOneFile, NoParent, Missing, OddPath, Submodule, Pointer, TooLarge, Needs,
	OnlyVersion, Again, Unprepared, FixedFails, FixedBuild, NoneRuns, Nameless,
	Forgiving, Endless, Ended, NothingFails, NewNames, Flaky, Hidden, Unproven, Leaked}

// screened are the reasons that need no run: such a commit is no candidate.
var screened = []Reason{
	NotBoth, InOneFile, NoParent, Missing, OddPath, Submodule, Pointer, TooLarge, Needs, OnlyVersion, Again,
}

// Reasons are all that there are, in the order in which a commit meets them.
func Reasons() []Reason { return reasons }

// Screened are the reasons that need no run.
func Screened() []Reason { return screened }

// Error ends what is done with a commit.
type Error struct {
	Reason Reason
	Detail string
}

func (r *Error) Error() string {
	if r.Detail == "" {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Detail
}

// New is the error with which a commit is refused for a reason; detail may be empty.
func New(why Reason, detail string) error { return &Error{why, detail} }
