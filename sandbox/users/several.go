package users

// Several is how many users and groups a world with several users has: 0 to 65535.
const Several = 1 << 16

// SeveralFirst is the first of the host's users that such worlds have where cookoff was started by root.
// They come after all users that other worlds have.
const SeveralFirst = 900_000

// Span says which users and groups of the host stand for those of a world. The others follow one another from
// First and FirstGroup on; root of the world may be a user elsewhere.
type Span struct {
	Root, RootGroup   int
	First, FirstGroup int  // stand for user 1 and group 1 of the world
	Mapped            bool // newuidmap and newgidmap map them, once the process runs
}

// Agent is root of the world.
func (s Span) Agent() Agent { return Agent{s.Root, s.RootGroup} }

// Has reports whether a user of the host is one of the world's others.
func (s Span) Has(uid int) bool { return uid >= s.First && uid < s.First+Several-1 }
