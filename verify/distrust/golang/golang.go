// Package golang is how the referee distrusts Go.
package golang

import "cookoff/verify/distrust"

// Tool is Go. A check is hijacked through the user's go env file (GOFLAGS with
// -toolexec or -run, GOWORK, GOPROXY) and through a toolchain that go.mod names.
type Tool struct{ distrust.None }

// Live has Go read no file of settings and change to no other toolchain.
func (Tool) Live() []string { return []string{"GOENV=off", "GOFLAGS=", "GOTOOLCHAIN=local"} }
