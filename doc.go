// Package cookoff compares models: which one really fixes it?
//
// A recipe stages broken environments and names the models. Open finds it, checks
// all that it names and chooses what it runs on, once; Run lets every model try
// every task in a sandbox of its own, judges what it leaves where it can't reach, and
// gives a report. Resume goes on with a run that was interrupted, Rejudge judges what
// trials left by today's checks, Lint tries a recipe without a model, Stage opens a
// task's sandbox.
//
// The package knows no flags and no terminal: what it has to say comes as a Notice,
// what it has to ask as a Question, what goes wrong in a recipe as problem.List.
// The program in cmd/cookoff is one of its users. docs/library.md says how another
// Go program uses it from a checkout.
package cookoff
