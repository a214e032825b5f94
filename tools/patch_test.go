//go:build linux

package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"cookoff/internal/oneline"
	"cookoff/sandbox"
	"cookoff/tools"
)

// patchWorld is a sandbox with files, as a model's patches meet them.
func patchWorld(t *testing.T) sandbox.Sandbox {
	sb := open(t, sandbox.Spec{})
	bash(t, sb,
		`mkdir -p d; seq 20 > n; printf 'a\nb\nc' > end; printf 'x\r\ny\r\n' > crlf
printf 'same\nA\nsame\nB\nsame\n' > twice; echo gone > d/gone; echo old > d/old; chmod 700 d/old
printf 'one\n\tindented\n' > tabs`)
	return sb
}

func apply(t *testing.T, sb sandbox.Sandbox, patch string) (tools.Result, error) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"patch": patch})
	if err != nil {
		t.Fatal(err)
	}
	return use(t, sb, "apply_patch", string(args))
}

func TestApplyPatch(t *testing.T) {
	sb := patchWorld(t)
	good := func(patch, said, script, want string) {
		t.Helper()
		r, err := apply(t, sb, patch)
		if err != nil || r.Text != said || !r.Wrote {
			t.Errorf("%s\ngave %q, %v; want %q", patch, r.Text, err, said)
			return
		}
		is(t, script, bash(t, sb, script), want)
	}
	good("--- a/n\n+++ b/n\n@@ -2,3 +2,3 @@\n 2\n-3\n+three\n 4\n", "patched n", "sed -n 2,4p n | xargs", "2 three 4")
	// wrong counts, wrong numbers, no numbers, no prefix, text around it
	good("Here it is:\n--- n\n+++ n\n@@ -1,99 +1,2 @@\n 4\n-5\n+five\n+more\n 6\n@@\n 9\n-10\n 11\n",
		"patched n (hunk 1 at line 4, hunk 2 at line 9)", "sed -n 4,11p n | xargs", "4 five more 6 7 8 9 11")
	// a file without a newline at its end, by a model that did not see that
	good("--- a/end\n+++ b/end\n@@ -1,3 +1,3 @@\n-a\n+A\n b\n c\n", "patched end",
		"cat end | od -c | head -1 | tr -d ' '", `0000000A\nb\nc`)
	good("--- a/end\n+++ b/end\n@@ -3,1 +3,1 @@\n-c\n\\ No newline at end of file\n+C\n", "patched end",
		"tail -c2 end | od -An -c | tr -d ' '", `C\n`)
	// several files at once: made, deleted, renamed with its mode, made executable
	good("--- /dev/null\n+++ b/new/f\n@@ -0,0 +1,2 @@\n+one\n+two\n--- a/d/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"+
		"diff --git a/d/old b/moved\nold mode 100700\nnew mode 100755\nsimilarity index 50%\nrename from d/old\n"+
		"rename to moved\n--- a/d/old\n+++ b/moved\n@@ -1 +1 @@\n-old\n+new\n",
		"created new/f\ndeleted d/gone\nmade moved", "cat new/f moved | xargs; ls d; stat -c %a moved",
		"one two new\n755")
	good("--- a/n\n+++ b/n\n@@ -1,0 +2,1 @@\n+after one\n", "patched n", "sed -n 1,3p n | xargs", "1 after one 2")
	good("diff --git a/empty b/empty\nnew file mode 100644\nindex 000..111\n", "created empty", "stat -c %s empty", "0")
	good("--- a/n\n+++ b/n\n@@ -1 +1 @@\n-1\n+I\n--- a/n\n+++ b/n\n@@ -1 +1 @@\n-I\n+II\n", "patched n\npatched n",
		"head -1 n", "II")
	good("--- /dev/null\n+++ b/sql\n@@ -0,0 +1,1 @@\n+--- a comment\n", "created sql", "cat sql", "--- a comment")
}

func TestPatchRefused(t *testing.T) {
	sb := patchWorld(t)
	before := bash(t, sb, "find . ~ -type f -exec sha256sum {} + | sort")
	bad := func(patch string, kind tools.ErrorKind, why string) {
		t.Helper()
		_, err := apply(t, sb, patch)
		if reason := refused(t, err, kind); !strings.Contains(reason, why) {
			t.Errorf("%s\nwas refused with %q, want %q", patch, reason, why)
		}
		if now := bash(t, sb, "find . ~ -type f -exec sha256sum {} + | sort"); now != before {
			t.Fatalf("%s\nwas refused, but the files changed", patch)
		}
	}
	const ok = "--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"
	bad("", tools.BadArguments, "empty")
	bad("do this and that", tools.BadArguments, "no file in it")
	bad("@@ -1 +1 @@\n-a\n+b\n", tools.BadArguments, "without file header")
	bad(ok+"--- a/n\n+++ b/n\n@@ -5,2 +5,2 @@\n 5\n-seven\n+x\n", tools.ToolFailed,
		`patch n: hunk 1 of 1, @@ -5,2 +5,2 @@`)
	bad(ok+"--- a/end\n+++ b/end\n@@ -1,3 +1,3 @@\n a\n-x\n+y\n c\n", tools.ToolFailed,
		`line 2 of the file is "b" where the patch has "x"; nothing was changed`)
	bad("--- a/twice\n+++ b/twice\n@@ -9,1 +9,1 @@\n-same\n+other\n", tools.ToolFailed,
		"it fits at lines 1 3 5; hint: give more context")
	bad("--- a/crlf\n+++ b/crlf\n@@ -1,1 +1,1 @@\n-x\n+z\n", tools.ToolFailed, `lines end in \r\n`)
	bad("--- a/tabs\n+++ b/tabs\n@@ -1,2 +1,2 @@\n one\n-  indented\n+x\n", tools.ToolFailed,
		"only blanks or tabs differ")
	bad("--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n", tools.ToolFailed,
		"no such file; hint: a new file begins with --- /dev/null")
	bad("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n", tools.ToolFailed, "creates this file, but it exists")
	bad("--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", tools.ToolFailed, "more lines than the patch removes")
	bad("diff --git a/n b/end\nrename from n\nrename to end\n", tools.ToolFailed, "it exists")
	bad("--- a/n\n+++ b/n\n@@ -900,0 +901 @@\n+x\n", tools.ToolFailed, "the file has 20 lines")
	bad("diff --git a/n b/n\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZQzU|?ha00961\n\nliteral 0\nHcmV?d00001\n",
		tools.BadArguments, "binary")
	// The last file can't be written: the first one gets its content back.
	bad(ok+"--- /dev/null\n+++ b//usr/x\n@@ -0,0 +1 @@\n+x\n", tools.ToolFailed, "ead-only")
	bad(ok+"--- /dev/null\n+++ b/n/x\n@@ -0,0 +1 @@\n+x\n", tools.ToolFailed, "not a directory")
}

// TestPatchRepeats wants a search that would take for ever to be given up.
func TestPatchRepeats(t *testing.T) {
	w := newPlain(t)
	w.read = func(_ string, off, n int64) (sandbox.Chunk, error) {
		all := strings.Repeat("a\n", 1<<20) + "b\n"
		return sandbox.Chunk{Data: []byte(all[min(off, int64(len(all))):min(off+n, int64(len(all)))]),
			Size: int64(len(all))}, nil
	}
	_, err := apply(t, w, "--- f\n+++ f\n@@ -1 +1 @@\n"+strings.Repeat(" a\n", 1<<18)+"-b\n-c\n")
	if reason := refused(t, err, tools.ToolFailed); !strings.Contains(reason, "repeat too often") {
		t.Error(reason)
	}
}

func FuzzApplyPatch(f *testing.F) {
	f.Add("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
	f.Add("diff --git a/f b/g\nrename from f\nrename to g\n")
	f.Add("@@\n--- \n+++ \n@@ -1 +1 @@\n\\")
	f.Fuzz(func(t *testing.T, patch string) {
		w := newPlain(t)
		w.result = &sandbox.Result{}
		w.read = func(_ string, off, _ int64) (sandbox.Chunk, error) {
			const all = "a\nb\na\n"
			return sandbox.Chunk{Data: []byte(all[min(off, 6):]), Size: 6}, nil
		}
		args, _ := json.Marshal(map[string]string{"patch": patch})
		_, err := use(t, w, "apply_patch", string(args))
		var ce *tools.CallError
		if err != nil && !errors.As(err, &ce) && !strings.Contains(err.Error(), w.dir) {
			t.Errorf("%q: %v", patch, err)
		}
	})
}

func TestSeveralEdits(t *testing.T) {
	sb := patchWorld(t)
	is(t, "edits", text(t, sb, "edit_file",
		oneline.Of(`{"path":"twice","edits":[
			{"old":"A","new":"AA"},{"old":"AA\nsame","new":"X"},
			{"old":"same","new":"s","replace_all":true}]}`)),
		"made 3 edits, which replaced 4 occurrences, in twice")
	is(t, "the file", bash(t, sb, "xargs < twice"), "s X B s")
	bad := func(args string, kind tools.ErrorKind, why string) {
		t.Helper()
		_, err := use(t, sb, "edit_file", args)
		is(t, args, refused(t, err, kind), why)
	}
	bad(`{"path":"n","edits":[{"old":"17","new":"x"},{"old":"none","new":"x"}]}`, tools.ToolFailed,
		"edit n: edits[1].old does not occur in the file")
	bad(`{"path":"n","edits":[{"old":"13","new":"x"},{"old":"1","new":"x"}]}`, tools.ToolFailed,
		"edit n: edits[1].old occurs 11 times; hint: give more of the text around it, or set replace_all")
	is(t, "untouched", bash(t, sb, "seq 20 | cmp - n && echo same"), "same")
	bad(`{"path":"n","edits":[]}`, tools.BadArguments, "edits: empty")
	bad(`{"path":"n"}`, tools.BadArguments, "old: missing; hint: give old and new, or a list of both in edits")
	bad(`{"path":"n","old":"x"}`, tools.BadArguments, "new: missing; hint: an empty text removes old")
	bad(`{"path":"n","old":"x","new":"y","edits":[{"old":"1","new":"2"}]}`, tools.BadArguments,
		"edits: given beside old, new or replace_all; hint: put them into edits as well")
	bad(`{"path":"n","edits":[{"old":"","new":"x"}]}`, tools.BadArguments,
		"edits[0].old: empty; hint: write_file creates a file or replaces all of it")
	bad(`{"path":"n","edits":[{"old":"1","new":"1"}]}`, tools.BadArguments,
		"edits[0].new: the same as old; nothing would change")
}
