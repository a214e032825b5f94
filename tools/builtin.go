package tools

import (
	"errors"
	"time"

	"cookoff/sandbox"
)

// Options are what a recipe may set of the built-in tools.
type Options struct {
	BashTimeout time.Duration // longest one bash call may take; 0: two minutes
	// word sequences one of which every simple command of a bash call must start with; nil: any
	BashPrefixes []string
	Background   bool   // bash may leave commands running: bash_job is offered too
	Fetch        *Fetch // what web_fetch may reach; nil: there is no web_fetch
}

// defaultBashTimeout is the BashTimeout of a recipe that sets none.
const defaultBashTimeout = 2 * time.Minute

// Names gives the names of the built-in tools, in the order they are offered.
func Names() []string {
	return []string{"bash", "bash_job", "read_file", "write_file", "edit_file", "apply_patch", "list_directory",
		"search_files", "search_code", "web_fetch"}
}

// Builtin makes the built-in tools, in the order of Names; web_fetch only where
// opt says what it may reach. They hold no state:
// what a trial changes, its working directory too, lives in its sandbox, so
// one set may serve many trials at once.
func Builtin(opt Options) []Tool {
	if opt.BashTimeout <= 0 {
		opt.BashTimeout = defaultBashTimeout
	}
	set := []Tool{
		newBash(opt),
		New("bash_job", bashJobDoc, bashJob),
		New("read_file", readFileDoc, readFile),
		New("write_file", writeFileDoc, writeFile),
		New("edit_file", editFileDoc, editFile),
		New("apply_patch", applyPatchDoc, applyPatch),
		New("list_directory", listDirectoryDoc, listDirectory),
		New("search_files", searchFilesDoc, searchFiles),
		New("search_code", searchCodeDoc, searchCode),
	}
	if opt.Fetch != nil {
		set = append(set, newFetch(*opt.Fetch))
	}
	return set
}

// fileFailed makes an error of a file request one that the model is told; any
// other error is the sandbox's and stays as it is.
func fileFailed(err error) error {
	var fe *sandbox.FileError
	if errors.As(err, &fe) {
		return failed("%s", Clip(Clean([]byte(fe.Error())), 500))
	}
	return err
}
