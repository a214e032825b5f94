// Package files serves the files of a world with the rights of the process that
// it is in: it reads, writes, searches, describes and packs them, and follows no
// link that an agent made.
package files

import (
	"fmt"
	"time"

	"cookoff/sandbox"
	"cookoff/sandbox/wire"
)

// Server does what is asked of the world's files, with the rights of the process
// that it is in.
type Server struct {
	Began     time.Time // when the world stood: what changed since is touched
	Elsewhere bool      // what is written outside of project and home counts as well
	Places    []string  // directories outside of them that are part of the state
	Apart     []string  // directories in those that are not
	Sealed    time.Time // what was not changed since has its sum in sandbox.SumAttr
}

// Do does what q asks for. Parts of a long answer are given to more. What is no
// operation on files is an error.
func (s Server) Do(q wire.Request, more func(wire.Part) error) (any, error) {
	switch q.Op {
	case wire.OpRead:
		return wire.With(q, func(_ uint64, a wire.ReadArgs) (any, error) { return readFile(a) })
	case wire.OpWrite:
		return wire.With(q, func(_ uint64, a wire.WriteArgs) (any, error) { return nil, writeFile(a) })
	case wire.OpList:
		return wire.With(q, func(_ uint64, a string) (any, error) { return listDir(a) })
	case wire.OpFind:
		return wire.With(q, func(_ uint64, a sandbox.FindQuery) (any, error) { return find(a) })
	case wire.OpGrep:
		return wire.With(q, func(_ uint64, a sandbox.GrepQuery) (any, error) { return grep(a) })
	case wire.OpManifest:
		return wire.With(q, func(_ uint64, a wire.ManifestArgs) (any, error) { return s.manifest(a, more) })
	case wire.OpPack:
		return wire.With(q, func(_ uint64, a []string) (any, error) { return s.pack(a) })
	case wire.OpUnpack:
		return wire.With(q, func(_ uint64, a []sandbox.Item) (any, error) { return nil, s.unpack(a) })
	case wire.OpResolve:
		return wire.With(q, func(_ uint64, a ResolveArgs) (any, error) { return Resolve(a), nil })
	case wire.OpUsage:
		return Measure(s.Elsewhere), nil
	}
	return nil, fmt.Errorf("no operation on files: %q", q.Op)
}
