package layers

import (
	"errors"
	"os"
	"sync"
)

// Owners opens mounts on which the files of one user are another's. The zero Owners
// is ready.
type Owners struct {
	mu         sync.Mutex
	namespaces map[change]*os.File // that say who is who
}

// change is one of owner, of users and groups alike.
type change struct{ from, to int }

// errOwners says that a file system has no mounts with changed owners.
var errOwners = errors.New("mapping the owner of a layer")
