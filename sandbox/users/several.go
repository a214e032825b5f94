package users

// Several is how many users and groups a world with others than its root has: 0 to 65535.
const Several = 1 << 16

// SeveralFirst is the first of the host's users that those of such worlds are where cookoff was
// started by root. They lie behind all that other worlds have.
const SeveralFirst = 900_000

// Span are the host's users and groups that those of a world are. Root of the world is one
// that may lie apart; the others lie in a row.
type Span struct {
	Root, RootGroup   int
	First, FirstGroup int  // that 1 is
	Mapped            bool // by newuidmap, once the process runs
}

// Agent is root of the world.
func (s Span) Agent() Agent { return Agent{s.Root, s.RootGroup} }

// Has reports whether a user of the host is one of the world's others.
func (s Span) Has(uid int) bool { return uid >= s.First && uid < s.First+Several-1 }
