// Package golang is how the referee distrusts Go.
package golang

import (
	"crypto/rand"

	"cookoff/verify/distrust"
)

// Tool is Go. A check is hijacked through the user's go env file (GOFLAGS with
// -toolexec or -run, GOWORK, GOPROXY), through a toolchain that go.mod names, and
// through what lies compiled in a cache.
type Tool struct{ distrust.None }

// Live has Go read no file of settings, change to no other toolchain, and compile into
// a cache whose name nobody could know: the contestant's may say what it likes.
func (Tool) Live() []string {
	return []string{"GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local", "GOCACHE=/tmp/.go-" + rand.Text()}
}
