package plan

// elseDir holds, in the directory of a trial whose world shows the whole host,
// what is written outside of project and home; kernelDir what the kernel needs
// beside it.
const (
	ElseDir   = "e"
	KernelDir = "ke"
)

// WholeTree is the host's tree as a world shows it, in the order of mounting.
//
// One overlay over "/" would be simpler. But the kernel lets nobody without
// rights on the host look below a mount that somebody else made, and the layer
// that takes the writes may not lie in the one below. So there is an overlay
// for each directory that holds neither, and the directories above those are
// made anew.
type WholeTree struct {
	Parts    []Part
	Left     []string // what of the host is not shown, and why
	ReadOnly bool
}

// Part is a place that the set-up mounts or makes.
type Part struct {
	At   string
	Kind partKind
	Own  string // name of its directory in elseDir
	Link string // target of a symbolic link
}

type partKind string

const (
	Overlaid     partKind = "overlay"   // the host's directory, with writes in Own
	NewDirectory partKind = "directory" // Own, in which others are mounted
	ShowFile     partKind = "file"      // the host's file, read-only
	Linked       partKind = "link"
)

// LeftFile is where the set-up says what of the host it could not show.
const LeftFile = "left"
