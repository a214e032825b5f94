package guest

import (
	"sync/atomic"

	"cookoff/sandbox"
	"cookoff/sandbox/guest/files"
	"cookoff/sandbox/wire"
)

// usage is what the world uses, as last measured.
type usage struct {
	limits *sandbox.Limits
	look   func() (files.Usage, error) // with the agent's rights
	full   func() bool                 // the disk below the world; nil: nobody looks

	disk  atomic.Int64 // bytes
	files atomic.Int64

	baseDisk, baseFiles int64 // what was there when the world was opened
	baseFree            int64 // bytes that were free then
}

// begin takes what is there now for what the world started with.
func (u *usage) begin() error {
	base, err := u.look()
	if err == nil {
		u.baseDisk, u.baseFiles, u.baseFree = base.Disk, base.Files, base.Free
	}
	return err
}

// room reports whether n more bytes may be written. The last measurement may
// be of files that are gone by now.
func (u *usage) room(n int64) bool {
	if n+u.disk.Load() > u.limits.Disk {
		u.measure()
	}
	return n+u.disk.Load() <= u.limits.Disk
}

// atStart is what a call that begins now finds in use. Above a limit it is
// measured anew: what the last call wrote after it was looked at is not this one's.
func (u *usage) atStart() (disk, files int64) {
	if u.disk.Load() > u.limits.Disk || u.files.Load() > int64(u.limits.Files) {
		u.measure()
	}
	return u.disk.Load(), u.files.Load()
}

// crowded reports whether the disk below the world is full, and by others.
func (u *usage) crowded() bool {
	if u.full == nil || !u.full() {
		return false
	}
	u.measure()
	bytes, files := u.limits.Little()
	return u.disk.Load() < bytes && u.files.Load() < int64(files)
}

// measure finds out what was written.
func (u *usage) measure() {
	now, err := u.look()
	if err != nil {
		return // the next look tells
	}
	sum := now.Disk + now.Deleted
	if now.Hidden { // what lies in an unreadable directory shows in what is no longer free
		sum = max(sum, u.baseFree-now.Free+u.baseDisk)
	}
	u.disk.Store(max(0, sum-u.baseDisk))
	u.files.Store(max(0, now.Files-u.baseFiles))
}

// allowed wants the limits to allow a file to be written.
func (u *usage) allowed(_ uint64, a wire.WriteArgs) (any, error) {
	if n := int64(len(a.Data)); n > u.limits.FileSize || !u.room(n) {
		return nil, &sandbox.FileError{Op: "write", Path: a.Path, Reason: "the limit of file size or disk is reached"}
	}
	return nil, nil
}
