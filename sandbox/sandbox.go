// Package sandbox runs commands and keeps files where they can do no harm.
//
// A Sandbox is one trial's world: the project at /work, HOME at /home/agent,
// processes that live on between calls, and nothing of the host but a
// read-only tool chain.
package sandbox

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Where the world of a sandbox has its project and its home.
const (
	WorkDir = "/work"
	HomeDir = "/home/agent"
)

// Backend makes sandboxes.
type Backend interface {
	// Check says what is missing on this machine, with the remedy, by really
	// opening a sandbox and probing it from inside. Nil: it works here.
	Check(ctx context.Context) error
	// Open makes a sandbox. An error wraps ErrUnavailable and is never the
	// model's doing.
	Open(ctx context.Context, spec Spec) (Sandbox, error)
}

// Sandbox is one world. Calls may be made one after another or at once.
type Sandbox interface {
	// Exec runs a command to its end. A non-zero exit, a signal, a timeout or
	// a limit is a Result; an error means the command never had a fair run
	// (wraps ErrUnavailable, or is ctx's).
	Exec(ctx context.Context, c Cmd) (Result, error)
	// FS reads and writes the world's files from inside it.
	FS() FS
	// Seal kills every process, waits until they are really gone, and freezes
	// the files. After it, Exec and FS fail.
	Seal(ctx context.Context) (State, error)
	// Close ends the sandbox; it leaves no process, mount or directory
	// behind, except the directories of a State not yet released.
	Close() error
}

// Starter is a Sandbox that can leave a program running and talk with it.
type Starter interface {
	// Start starts c; its Stdin and Timeout are not used. A program that
	// can't be started is a *FileError; any other error is the sandbox's.
	// No more than MaxPrograms run at once.
	Start(ctx context.Context, c Cmd) (Program, error)
}

// MaxPrograms bounds the programs that Start has running in one sandbox.
const MaxPrograms = 8

// Program is a program that runs on beside what else happens in its sandbox.
// Read gives its standard output, and io.EOF once it has ended and all was
// read. Write feeds its standard input, and fails when the program does not
// take it within some seconds; Close ends that input. Reading, writing and
// killing may be done at once.
type Program interface {
	io.ReadWriteCloser
	// Result says how the program ended, with its standard error; ok once
	// Read has given io.EOF.
	Result() (r Result, ok bool)
	// Kill ends the program and all it started that is still in its session.
	Kill(ctx context.Context) error
	// Resize says that the terminal it was started with has another size now.
	Resize(ctx context.Context, w Window) error
}

// Background is a Sandbox in which commands run on beside the calls, with what
// they print kept for whoever asks. The end of the sandbox ends them.
type Background interface {
	// Launch starts c and gives the number it is known by; its Stdin and
	// Timeout are not used. A command that can't be started, and one more
	// than MaxJobs at once, is a *FileError.
	Launch(ctx context.Context, c Cmd) (job int, err error)
	// Job gives what the job printed since it was asked about last. It waits
	// up to wait for the job to print or end, for at most MaxJobWait. A
	// number that names no job is a *FileError.
	Job(ctx context.Context, job int, wait time.Duration) (JobNews, error)
	// StopJob ends a job and everything of its session. One that has ended
	// is no error.
	StopJob(ctx context.Context, job int) error
}

// MaxJobs bounds the jobs that run at once in one sandbox, and MaxJobWait the
// wait for one.
const (
	MaxJobs    = 16
	MaxJobWait = time.Minute
)

// JobNews is what became of a job since it was asked about last.
type JobNews struct {
	Output []byte // standard output and standard error as they came; head and tail when long
	Cut    int64  // bytes of output left out
	Ended  bool
	Result Result // how it ended, without its output
}

// Dialer is a Sandbox whose own loopback can be connected to from outside.
type Dialer interface {
	// Dial connects to a port of 127.0.0.1 inside. Nobody listening there is
	// a *FileError.
	Dial(ctx context.Context, port int) (io.ReadWriteCloser, error)
}

// Gate is the way out of a sandbox: its HTTP proxy with AllowedNetwork, or the
// gateway to a model. It decides where it leads; the sandbox itself has no network.
type Gate interface {
	// Serve takes what programs inside say to it. accept waits
	// for the next of their connections; Serve returns when it fails, which is
	// the end of the sandbox.
	Serve(accept func() (io.ReadWriteCloser, error))
}

// Partial is a Sandbox with Unrestricted.
type Partial interface {
	// NotShown says what of the host is left out and why, a line each: file
	// systems that may be another machine's, or that no overlay takes.
	NotShown() []string
	// ChangedElsewhere names, once it is sealed, what was changed outside of
	// project and home, which no State holds: some of it, and how many more.
	ChangedElsewhere() (some []string, more int)
}

// ProxyAddr is where the programs of a sandbox with a Gate find their proxy, and
// GatewayAddr where those of one with a Gateway find that.
const (
	ProxyAddr   = "127.0.0.1:3128"
	GatewayAddr = "127.0.0.1:3129"
)

// State is the frozen files of a sealed sandbox: project and home. It can be
// opened again, any number of times, each copy-on-write, through Spec.State.
type State interface {
	// Release removes the files. Sandboxes opened from the state must be closed.
	Release() error
}

// Exporter is a State whose newest files can be kept on the host: those that were
// written since the world that it is of was opened.
type Exporter interface {
	// Export puts them into dir, which is empty, as Spec.Prepared takes them, and may move them there:
	// no world is opened from the state after it. gone are the files of the project that were removed.
	Export(dir string) (gone []string, err error)
}

// CacheKeeper is a State that still has the build caches of its world.
type CacheKeeper interface {
	// KeepCaches copies what was written to them into dir, which is empty, as
	// Spec.Caches takes it.
	KeepCaches(dir string) error
}

// Caches are the directories in Spec.Caches that programs other than Go have; Go's own
// files lie beside them. A program whose directory is there is told to use it.
const (
	PythonCache = "python" // compiled files, under the paths of their sources
	NodeCache   = "node"
	CargoCache  = "cargo" // of dependencies: what is between source and result
	CCache      = "ccache"
)

// Copier is a Sandbox whose files can be had while its processes live on.
type Copier interface {
	// Copy gives the files as they are now. What the world writes afterwards
	// is not in the state, and the sandbox is still to be sealed or closed.
	Copy(ctx context.Context) (State, error)
}

// Waker is a Sandbox in which a wait for a time can be cut short. Processes are
// named by their numbers inside.
type Waker interface {
	// Sleeping gives those of the processes that wait for a time to pass, or for
	// something else until it has. None where this machine can't say.
	Sleeping(pids []int) []int
	// Wake has them go on as if the time had passed, and gives how many did.
	Wake(pids []int) int
}

// Filesystem says what of the host a sandbox may see and change.
type Filesystem string

// The file system policies. Nothing on the host is written under any of them.
const (
	ProjectOnly  Filesystem = "project_only" // the project, writable
	ReadOnly     Filesystem = "read_only"    // the project, read-only; HOME and /tmp writable
	Unrestricted Filesystem = "unrestricted" // the project, writable, and all of the host in a private overlay
)

// Network says what a sandbox can reach.
type Network string

// The network policies.
const (
	NoNetwork      Network = "none"
	AllowedNetwork Network = "allow" // what Spec.Gate lets through
	FullNetwork    Network = "full"
)

// Profile says for whom a sandbox is.
type Profile string

// Agent puts the task's directories first on PATH. Verify puts them last,
// clears what could hijack a check (rc files, GIT_CONFIG, NODE_OPTIONS, PYTHON*,
// GOFLAGS, …) and mounts nothing writable that outlives the sandbox.
const (
	Agent  Profile = "agent"
	Verify Profile = "verify"
)

// Spec describes a sandbox. The zero Spec is an empty project, project_only,
// no network, default limits, agent profile.
type Spec struct {
	Filesystem Filesystem
	Network    Network
	Gate       Gate   `json:"-"` // with AllowedNetwork, and only then
	Gateway    Gate   `json:"-"` // takes what is said to GatewayAddr; not with FullNetwork: its loopback is the host's
	Project    string // host directory whose content /work starts with; never written; "": empty
	Prepared   string // host directory that a State was exported to: its files lie over those of Project
	// Caches is the host directory that a CacheKeeper kept build caches in: they are beside
	// the state, and what is written to them is in none.
	Caches  string   `json:",omitempty"`
	State   State    // start from this final state instead of Project
	Hidden  []string // doublestar globs of project files left out of the view
	Profile Profile
	Path    []string // the task's tool directories (~/x, or relative to /work), first on PATH
	// ToolPaths are host tool chains made visible read-only; each one's bin/ (or itself) is
	// on PATH, before the system unless behind "/usr".
	ToolPaths []string
	Concealed []string `json:",omitempty"` // host files and directories that Unrestricted does not show
	ReadOnly  []Mount  // further host files or directories, read-only
	Mounts    []Place  `json:",omitempty"` // further directories that are a part of the state
	Env       []string // K=V, added to the cleared environment
	Limits    Limits
	Image     string // container image that the world is made of; "": this machine's programs
	Root      Root   // files that it is made of, unpacked; zero: this machine's programs
	User      User   // whom commands run as
}

// Mount makes Source on the host visible at Target, read-only.
type Mount struct{ Source, Target string }

// Limits bounds a sandbox; a zero field takes the one of DefaultLimits.
type Limits struct {
	Processes int           // at once
	Memory    int64         // bytes, resident, all processes together
	FileSize  int64         // bytes, one file
	Disk      int64         // bytes written to project and home
	Files     int           // files and directories made
	Tmp       int64         // bytes of /tmp
	Output    int           // bytes kept of each of stdout and stderr of a call (head and tail)
	Call      time.Duration // one Exec
}

// DefaultLimits are the limits of a trial that asks for no others.
func DefaultLimits() Limits {
	return Limits{Processes: 256, Memory: 2 << 30, FileSize: 512 << 20, Disk: 2 << 30, Files: 200_000, Tmp: 256 << 20,
		Output: 1 << 20, Call: 2 * time.Minute}
}

// Little is what a world may have written, in bytes and files, and not be the one that filled
// the disk: one that wrote more could void its own trial.
func (l Limits) Little() (bytes int64, files int) {
	return min(64<<20, l.Disk/4), min(20_000, l.Files/4)
}

// MaxOutput bounds Limits.Output and Cmd.Output in bytes, so that a result fits a message of the guest.
const MaxOutput = 16 << 20

// Cmd is one command: a Script for bash, or Argv.
type Cmd struct {
	Script  string        // run as by bash --noprofile --norc -c, but without its text on the command line
	Argv    []string      // instead of Script
	Dir     string        // "": /work; relative to /work; ~/x
	Else    bool          // where Dir can't be entered, start at home, in /tmp or in /, and say so on standard error
	Env     []string      // K=V, added for this command
	Stdin   []byte        // nil: empty
	Timeout time.Duration // 0: Limits.Call
	Output  int           `json:",omitempty"` // bytes kept of each stream, at most MaxOutput; 0: Limits.Output

	Terminal *Window // Start only: its streams are a terminal of this size
}

// Window is the size of a terminal.
type Window struct{ Rows, Columns uint16 }

// Result is how a command ended.
type Result struct {
	Exit     int    // exit status; 128+n after signal n; 124 after a timeout
	Signal   string // "SIGKILL", … when a signal ended it
	Reason   string // "" or the limit that ended it: timeout, memory, disk, files, processes, file size
	Stdout   []byte // head and tail when long, with a line between that says how much was left out
	Stderr   []byte
	Cut      int64 // bytes of output left out
	Duration time.Duration
}

// OK reports whether the command exited 0 by itself.
func (r Result) OK() bool { return r.Exit == 0 && r.Signal == "" && r.Reason == "" }

// FS is the world's file system, served from inside: paths are relative to
// /work, absolute in the world, or start with ~/. An error of the request
// (no such file, not a regular file, escapes the world) is a *FileError; any
// other error is the sandbox's.
type FS interface {
	// Read gives up to n bytes of a regular file from off on.
	Read(ctx context.Context, path string, off, n int64) (Chunk, error)
	// Write replaces or creates a regular file, and its parent directories.
	// An existing file keeps its mode; a new one gets 0644.
	Write(ctx context.Context, path string, data []byte) error
	// List gives the entries of a directory, sorted by name.
	List(ctx context.Context, dir string) ([]Entry, error)
	// Find gives the paths (relative to dir, sorted) that match the
	// doublestar glob, at most max; more says that there were more. What is
	// called .git is passed over unless the glob names it.
	Find(ctx context.Context, q FindQuery) (paths []string, more bool, err error)
	// Grep searches file contents.
	Grep(ctx context.Context, q GrepQuery) (lines []GrepLine, more bool, err error)
	// Manifest describes every file of project and home that a glob matches
	// (nil: all): what judging compares. Paths are relative to the project,
	// or start with ~/.
	Manifest(ctx context.Context, globs []string) (Manifest, error)
	// Pack calls each with every file of paths (as in a Manifest), in that
	// order. Links are not followed, and what is not there is Gone.
	Pack(ctx context.Context, paths []string, each func(Item) error) error
	// Unpack makes project and home hold the items, whatever stands in their
	// places; what is Gone is removed. Links on the way are not followed.
	Unpack(ctx context.Context, items []Item) error
}

// Item is a file, directory or link as a whole, as Pack and Unpack move it.
type Item struct {
	Path string // as in a Manifest
	Gone bool   // there is none
	Mode fs.FileMode
	Size int64
	Link string // target of a symbolic link
	Time time.Time
	Data []byte // content of a regular file
	Left string // why Data is not all of it: it is too large or can't be read
	// Owner is the user and group where a world has several, and it is not its root's; else "".
	Owner string `json:",omitempty"`
}

// MaxItem is the size in bytes above which Pack leaves out the content of a
// file.
const MaxItem = 16 << 20

// Chunk is a piece of a file.
type Chunk struct {
	Data []byte `json:"-"`
	Size int64  // of the whole file, bytes
	Mode fs.FileMode
}

// Entry is one name in a directory.
type Entry struct {
	Name string
	Mode fs.FileMode
	Size int64
	Link string // target of a symbolic link
}

// FindQuery is a search for file names.
type FindQuery struct {
	Dir  string // "": /work
	Glob string // doublestar, relative to Dir
	Max  int    // results
}

// GrepQuery is a search in file contents. Binary files and .git are skipped.
type GrepQuery struct {
	Dir        string // "": /work; a file is searched alone
	Pattern    string // RE2
	Glob       string // "": every file; doublestar, relative to Dir
	IgnoreCase bool
	Context    int // lines before and after
	Max        int // lines
}

// GrepLine is a line found, or a line of context around one.
type GrepLine struct {
	Path  string
	Line  int // from 1
	Text  string
	Match bool // false: context
}

// Manifest describes files, sorted by path. One of more files than there is
// memory for ends with an entry of the name MoreFiles, and lacks the rest.
type Manifest []File

// MoreFiles is the path of an entry that stands for all that is not described.
const MoreFiles = "(more files than can be listed)"

// File is one entry of a Manifest.
type File struct {
	Path string
	Mode fs.FileMode // type and permission bits
	Size int64       // of a regular file
	Sum  string      // of the content of a regular file: equal where the content is; "" where it can't be read
	Link string      // target of a symbolic link
	// Owner is the user and group as the world numbers them, and Attrs the
	// extended attributes that its programs can set: equal where those are.
	Owner, Attrs string
	// Touched reports that something changed the file or its mode since the
	// sandbox was opened, even to what it was before. Not part of what is
	// compared.
	Touched bool
}

// Foreign gives whose a file is, where it is another user's than its world's own; else "".
func (f File) Foreign() string {
	if f.Owner == "0:0" || f.Owner == "1000:1000" {
		return ""
	}
	return f.Owner
}

// FileError is a file request that can't be met, in words fit for a model.
type FileError struct {
	Op     string // read, write, list, find, search
	Path   string
	Reason string // "no such file or directory", "is a directory", …
	Kind   FileErrorKind
}

// FileErrorKind says what programs go on from; most errors are of no kind.
type FileErrorKind string

// Kinds of file errors.
const (
	FileMissing   FileErrorKind = "missing"   // there is no such file, or a part of its path is none
	FileDirectory FileErrorKind = "directory" // a file was asked for, and there is a directory
)

func (e *FileError) Error() string { return e.Op + " " + e.Path + ": " + e.Reason }
