package sandbox

import "time"

// Root is a tree of files that worlds have instead of this machine's programs. Its
// own changes are part of their state.
type Root struct {
	// Dir holds it, in its directory "r". Nobody writes there any more.
	Dir string `json:",omitempty"`
	// Sealed is when it was made: what was not changed since has the sum of its
	// content in the attribute SumAttr, where the file system has attributes.
	Sealed time.Time `json:",omitzero"`
}

// RootTree is the directory of a Root's Dir that holds its files.
const RootTree = "r"

// SumAttr names the extended attribute with the sum of a file of a Root.
const SumAttr = "user.cookoff.sum"

// User is whom the commands of a world run as.
type User string

// The users. SuperUser is root of the world's own user namespace, and nobody
// outside: it has the few rights over the world's files that programs expect.
const (
	AgentUser User = "" // agent, number 1000
	SuperUser User = "root"
	// SuperOfMany is the same where the namespace has other users, too: 0 to 65535, which files
	// can be given to and processes can become. Not every machine has them.
	SuperOfMany User = "root+others"
)

// Super reports whether it is root of the world.
func (u User) Super() bool { return u == SuperUser || u == SuperOfMany }

// Many reports whether the world has other users.
func (u User) Many() bool { return u == SuperOfMany }
