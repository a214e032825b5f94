package told

import "cookoff/internal/mine/lines"

// usual reports whether a word is one that says nothing of a fault: the language's own, or one of a list.
func usual(w string, list *lines.Set) bool { return len(w) < 2 || small.Has(w) || list.Has(w) }

var (
	small = lines.SetOf(`
a again all also an and another any are as at be been but by did do does done for from get had has have here i in is it
its let make made makes many me more most my no nor not now of on one or other our out over so some still such that the
their them then there these they thing things this those to too up us was we were what when where which while will with
you your
`)
	inMessages = lines.SetOf(`
add added adding additions address addressed adds adjust adjusted adjustment adjustments adjusts apply applied attempt
better big bit broken bug bugfix bugfixes bugs bump build change changed changes changing chore ci class classes clean
cleaned cleaning cleanup cleanups code codes comment comments commit commits complete completed correct corrected
correction corrections correctly corrects couple doc docs edit edits enhance enhanced enhancement enhancements error
errors failing fails feat feature features feedback few file files final finally finish finished first fix fixed fixes
fixing fixup format formatting function functions green handle handles handling hotfix implement implementation
implemented implements improve improved improvement improvements improves improving initial issue issues last latest
lint little logic main maintenance merge merged method methods minor misc miscellaneous modified modify module modules
new next nit nits old oops part pass passes passing patch perf polish pr prepare problem problems progress proper
properly pull push quick readme really refactor refactored refactoring refactors release request requested review
rework reworked rewrite rewritten right save saved second several should simple simplify small squash stuff style
suggestion suggestions support temp test tests testing tidy tiny tmp todo trivial try trying tweak tweaked tweaks
typing update updated updates updating upgrade use used uses using various version wip work worked working works wrong
yet
`)
	inFailures = lines.SetOf(`
aborted actual actually assert asserted asserting assertion bad be because boolean case caught caused check
comparison condition context core correct deep deeply describe differ different differs dumped eq equal equality
equals err error errors errs evaluated evaluates evaluating exception exceptions exit expect expectation expected
expects expression fail failed failing fails failure failures false falsey falsy fatal fault following found given
goroutine got happened hidden incorrect instead invalid left loosely matcher message messages mismatch mismatched
missing must ne nil none nothing null object occurred ok panic pass passed passing pending problem raise raised
raises received receives recent recovered rejected rejection repanicked result results returned right run same seg
segfault segmentation self should sigabrt sigsegv spec status strict strictly subprocess subtest suite test tests
threw throw throwing thrown throws trace traceback true truthy type undefined unequal unexpected unexpectedly unmet
unsuccessful value values want wanted wants wasn went wrong
`)
)
