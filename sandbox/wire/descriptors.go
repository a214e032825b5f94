package wire

// Descriptors that the set-up hands down: the directories that what the world
// writes is kept in (project, home, and with Config.Elsewhere all else); the
// guest's own oom_score_adj; the ScopeFiles; a directory that lists the POSIX message
// queues of the world. EndFD is the first that is none.
const (
	FirstUpper = 100
	Uppers     = 3
	OOMScoreFD = FirstUpper + Uppers
	FirstScope = OOMScoreFD + 1
	QueuesFD   = FirstScope + 4
	EndFD      = QueuesFD + 1
)

// ScopeFiles names the files of a control group that the guest is given, open
// for reading, in the order of their descriptors.
func ScopeFiles() []string {
	return []string{"memory.stat", "memory.events", "pids.events", "memory.current"}
}
