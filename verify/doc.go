// Package verify decides whether an environment really was mended: it checks
// versions and verify blocks, admits tasks before a model is paid for, and
// judges final states where no contestant can reach.
//
// There is one evaluator. A run, the admission of a task and a check made by
// hand all judge through Case.
package verify
