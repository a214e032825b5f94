// Package tools lists the programs that the referee distrusts by name.
package tools

import (
	"cookoff/verify/distrust"
	"cookoff/verify/distrust/git"
	"cookoff/verify/distrust/golang"
	"cookoff/verify/distrust/make"
	"cookoff/verify/distrust/npm"
	"cookoff/verify/distrust/python"
)

// All gives them.
func All() []distrust.Tool {
	return []distrust.Tool{git.Tool{}, npm.Tool{}, golang.Tool{}, python.Tool{}, make.Tool{}}
}

// Env gives the variables of all, for checks over a sealed state.
func Env() (env []string) {
	for _, t := range All() {
		env = append(env, t.Env()...)
	}
	return env
}

// Live gives the variables of all for checks in the trial's own world, beside
// those of Env.
func Live() (env []string) {
	for _, t := range All() {
		env = append(env, t.Live()...)
	}
	return env
}

// Fronts gives what any of them looks at first.
func Fronts() (list []distrust.Front) {
	for _, t := range All() {
		list = append(list, t.Fronts()...)
	}
	return list
}
