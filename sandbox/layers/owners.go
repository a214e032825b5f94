package layers

import (
	"errors"
	"os"
	"slices"
	"sync"
)

// Owners opens mounts on which the files of one user are another's. The zero Owners
// is ready.
type Owners struct {
	mu   sync.Mutex
	kept []mapping // those used last are at the end
}

// mapping is a user namespace that says who is who. A mount that was made by it does
// without it.
type mapping struct {
	change
	namespace *os.File
}

// mostKept is how many namespaces stay open: worlds lend their users in turn, so that
// there is no end of pairs in a long run.
const mostKept = 64

// change is one of owner, of users and groups alike.
type change struct{ from, to int }

// errOwners says that a file system has no mounts with changed owners.
var errOwners = errors.New("mapping the owner of a layer")

// namespace gives a namespace that says c, of those that are kept or made by begin. It is
// valid as long as the lock is held.
func (o *Owners) namespace(c change, begin func(change) (*os.File, error)) (*os.File, error) {
	at := slices.IndexFunc(o.kept, func(m mapping) bool { return m.change == c })
	if at >= 0 {
		m := o.kept[at]
		o.kept = append(slices.Delete(o.kept, at, at+1), m)
		return m.namespace, nil
	}
	f, err := begin(c)
	if err != nil {
		return nil, err
	}
	if len(o.kept) == mostKept {
		o.kept[0].namespace.Close()
		o.kept = slices.Delete(o.kept, 0, 1)
	}
	o.kept = append(o.kept, mapping{c, f})
	return f, nil
}
