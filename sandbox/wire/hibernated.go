package wire

import (
	"time"

	"cookoff/sandbox"
)

// Hibernation is the answer to OpHibernate.
type Hibernation struct {
	Keeps string     `json:",omitempty"` // what the guest has to stay for; "": nothing
	Left  Hibernated // then
}

// Hibernated is what a guest leaves to the next one of its world, where no process is
// left and the files stay as they are. Only guests read it.
type Hibernated struct {
	LastPID int       // the number that was given to a process last
	Began   time.Time // when the world stood
	// What was there then, in bytes and files, and the bytes that were free.
	BaseDisk, BaseFiles, BaseFree int64
	// how each job ended; all of their output was told
	Jobs []sandbox.Result `json:",omitempty"`
}
