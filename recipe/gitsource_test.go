package recipe

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"cookoff/recipe/gitsource"
)

// repository is a git repository of a test.
type repository struct {
	t   *testing.T
	dir string
}

// gitRepository makes a repository that holds the files of a txtar text.
func gitRepository(t *testing.T, text string) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed here")
	}
	t.Setenv("HOME", t.TempDir())
	r := repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.commit(text)
	return r
}

func (r repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") }),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes files and commits them; it gives the commit's hash.
func (r repository) commit(text string) string {
	r.t.Helper()
	for _, f := range txtar.Parse([]byte(text)).Files {
		file := filepath.Join(r.dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "x")
	return r.git("rev-parse", "HEAD")
}

func (r repository) url(path, rev string) string {
	return fmt.Sprintf("git+file://%s//%s@%s", r.dir, path, rev)
}

func extending(title, ext string) string {
	return "# " + title + "\n\nversion: 1\n\n## Metadata\n\n- extends: " + ext + "\n"
}

const shared = "version: 1\n\n## Constraints\n\n- max_steps: %d\n"

// withCache is a world of its own cache.
func withCache(t *testing.T, text string) Finder {
	f := world(t, text)
	f.Cache = t.TempDir()
	return f
}

// lockOf writes what was resolved as cookoff does.
func lockOf(t *testing.T, f Finder, r *Recipe) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(f.Dir, gitsource.LockName), gitsource.MarshalLock(r.Sources()),
		0o644); err != nil {
		t.Fatal(err)
	}
}

func readLock(t *testing.T, f Finder) *gitsource.Lock {
	t.Helper()
	l, err := gitsource.ReadLock(filepath.Join(f.Dir, gitsource.LockName))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func steps(t *testing.T, f Finder, want int) *Recipe {
	t.Helper()
	r, err := f.Discover("")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "max_steps", r.Constraints.MaxSteps, want)
	return r
}

func TestExtendsAGitSource(t *testing.T) {
	repo := gitRepository(t, files("team/base.md", extending("Base", "../common.md"), "common.md",
		fmt.Sprintf(shared, 7)))
	repo.git("tag", "v1")
	first := repo.git("rev-parse", "HEAD")
	f := withCache(t, files("recipe.md", extending("Top", repo.url("team/base.md", "v1"))))
	r := steps(t, f, 7)
	same(t, "where it came from", r.SectionSource("constraints"), repo.url("common.md", "v1"))
	same(t, "the place of a value", r.At("constraints.max_steps").String(), repo.url("common.md", "v1")+":5:14")
	same(t, "commits", []string{r.Sources()[0].Commit, r.Sources()[1].Commit}, []string{first, first})

	// The tag moves: without a lock so does the recipe, with one it does not.
	lockOf(t, f, r)
	repo.commit(files("common.md", fmt.Sprintf(shared, 9)))
	repo.git("tag", "-f", "v1")
	steps(t, f, 7)
	f.Cache = t.TempDir() // fetched again, by its commit
	steps(t, f, 7)
	f.Locked = true
	steps(t, f, 7)
	f.Locked, f.Update = false, true
	moved := steps(t, f, 9)
	lock := readLock(t, f)
	if changed := lock.Pin("recipe.md", moved.Sources()); !changed || len(lock.Sources()) != 2 ||
		lock.Sources()[0].Commit == first {
		t.Errorf("the new lock: %s, changed %v", lock.Marshal(), changed)
	}
	if lock.Pin("recipe.md", moved.Sources()) {
		t.Error("the same sources change a lock")
	}
}

func TestWhatIsPinnedNeedsNoRepository(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7)))
	f := withCache(t, files("recipe.md", extending("Top", repo.url("a.md", "main"))))
	lockOf(t, f, steps(t, f, 7))
	if err := os.RemoveAll(repo.dir); err != nil {
		t.Fatal(err)
	}
	r := steps(t, f, 7)

	// What lies in the cache is believed only if it is what was pinned.
	kept := filepath.Join(f.Cache, r.Sources()[0].SHA256)
	if err := os.WriteFile(kept, []byte(fmt.Sprintf(shared, 666)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Discover(""); err == nil || !strings.Contains(err.Error(), "fetching ") {
		t.Errorf("a cache that was tampered with gives %v", err)
	}
}

func TestALockThatIsNotMet(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7)))
	f := withCache(t, files("recipe.md", extending("Top", repo.url("a.md", "main"))))
	check := func(what, lock string, f Finder, wants ...string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(f.Dir, gitsource.LockName), []byte(lock), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := f.Discover("")
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", what, err, want)
			}
		}
	}
	locked := f
	locked.Locked = true
	check("nothing is pinned", `{"version": 1, "sources": []}`, locked, "recipe.md:7:12: ",
		"--locked resolves nothing anew", "(recipe.md → git+file://")
	other := gitsource.MarshalLock([]gitsource.Source{{URL: repo.url("a.md", "main"),
		Commit: repo.git("rev-parse", "HEAD"), SHA256: strings.Repeat("0", 64)}})
	check("another file", string(other), f, "recipe.md:7:12: ", "the file is not the one that recipe.lock pins",
		"(recipe.md → git+file://")
	gone := gitsource.MarshalLock([]gitsource.Source{{URL: repo.url("a.md", "main"), Commit: strings.Repeat("0", 40),
		SHA256: strings.Repeat("0", 64)}})
	check("a commit that is gone", string(gone), f, "recipe.md:7:12: ", "fetching file://")
	check("no JSON", "{", f, "recipe.lock: reading ")
	check("an unknown key", `{"version": 1, "source": []}`, f, `unknown field "source"`)
	check("a newer lock", `{"version": 2, "sources": []}`, f, "version 2 is not supported")
	twice := gitsource.Source{URL: "git+file:///a//b.md@c", Commit: strings.Repeat("0", 40),
		SHA256: strings.Repeat("0", 64)}
	check("a source twice", string(gitsource.MarshalLock([]gitsource.Source{twice, twice})), f, "is there twice")
	check("two locks", string(gitsource.MarshalLock(nil))+"{}", f, "something stands behind the lock")
	check("half a hash", `{"version": 1, "sources": [{"url": "git+file:///a//b.md@c", "commit": "abc", "sha256": ""}]}`,
		f, "has no whole commit and sha256")
}

// TestALockIsPruned: what one recipe uses goes when it does not any more, what
// others beside it use stays, until they are gone.
func TestALockIsPruned(t *testing.T) {
	source := func(name string) gitsource.Source {
		return gitsource.Source{URL: "git+file:///r//" + name + "@main", Commit: strings.Repeat("1", 40),
			SHA256: strings.Repeat("2", 64)}
	}
	urls := func(l *gitsource.Lock) string {
		var out []string
		for _, s := range l.Sources() {
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(s.URL, "git+file:///r//"), "@main"))
		}
		return strings.Join(out, " ")
	}
	f := world(t, files("one.md", "", "two.md", ""))
	l := readLock(t, f)
	l.Pin("dir/one.md", []gitsource.Source{source("a"), source("b")})
	l.Pin("two.md", []gitsource.Source{source("b"), source("c")})
	same(t, "pinned", urls(l), "a b c")
	gone, changed := l.Prune("one.md", []gitsource.Source{source("a"), source("b")})
	same(t, "all is used", fmt.Sprint(gone, changed), "[] false")
	gone, changed = l.Prune("one.md", []gitsource.Source{source("b")})
	same(t, "one uses less", fmt.Sprint(gone, changed), "[git+file:///r//a@main] true")
	same(t, "what stays", urls(l), "b c")
	gone, changed = l.Prune("one.md", nil)
	same(t, "what two uses stays", fmt.Sprintln(gone, changed, urls(l)), "[] true b c\n")
	l.Pin("one.md", []gitsource.Source{source("a")})
	if err := os.Remove(filepath.Join(f.Dir, "two.md")); err != nil {
		t.Fatal(err)
	}
	l.Prune("one.md", []gitsource.Source{source("a")})
	same(t, "two is gone", urls(l), "a")

	// A lock that does not say who uses what is claimed by who reads it.
	if err := os.WriteFile(filepath.Join(f.Dir, gitsource.LockName),
		gitsource.MarshalLock([]gitsource.Source{source("a"), source("b")}), 0o644); err != nil {
		t.Fatal(err)
	}
	l = readLock(t, f)
	if !l.Pin("one.md", []gitsource.Source{source("a")}) {
		t.Error("that one.md uses a source is not noted")
	}
	l.Prune("one.md", []gitsource.Source{source("a")})
	same(t, "what nobody claims", urls(l), "a")
	if err := os.WriteFile(filepath.Join(f.Dir, gitsource.LockName), l.Marshal(), 0o644); err != nil {
		t.Fatal(err)
	}
	same(t, "written and read", string(readLock(t, f).Marshal()), string(l.Marshal()))
}

func TestGitSourcesThatCantBe(t *testing.T) {
	repo := gitRepository(t, files(
		"a.md", extending("A", "b.md"), "b.md", extending("B", "a.md"), "up.md", extending("Up", "../../secret.md"),
		"gone.md", extending("Gone", "no.md"),
		"bad.md", "version: 1\n\n## Modls\n", "dir/x.md", "version: 1\n"))
	if err := os.Symlink("/etc/passwd", filepath.Join(repo.dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	repo.commit("")
	check := func(what, ext string, wants ...string) {
		t.Helper()
		_, err := withCache(t, files("recipe.md", extending("Top", ext))).Discover("")
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", what, err, want)
			}
		}
	}
	a, b := repo.url("a.md", "main"), repo.url("b.md", "main")
	check("a circle", a, b+":7:12: recipes extend each other in a circle: recipe.md → "+a+" → "+b+" → "+a)
	check("out of the repository", repo.url("up.md", "main"), ":7:12: ", "the path leaves the repository")
	check("a missing file within", repo.url("gone.md", "main"), ":7:12: ", `there is no file "no.md" at`,
		repo.url("gone.md", "main")+" → "+repo.url("no.md", "main"))
	check("a missing file", repo.url("nope.md", "main"), "recipe.md:7:12: ", `there is no file "nope.md"`)
	check("a missing revision", repo.url("a.md", "v9"), "recipe.md:7:12: ", `at "v9"`)
	check("a missing repository", "git+file:///no/such/repository//a.md@main", "recipe.md:7:12: ",
		"fetching file:///no/such/repository")
	check("a symbolic link", repo.url("link.md", "main"), "is no regular file")
	check("a directory", repo.url("dir", "main"), "is no regular file")
	check("what does not parse", repo.url("bad.md", "main"), repo.url("bad.md", "main")+`:3:4: unknown section "Modls"`)
}

// TestNothingOfARepositoryRuns: neither its hooks nor its configuration, nor
// what the environment or its attributes say, is anybody's but ours.
func TestNothingOfARepositoryRuns(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7), ".gitattributes",
		"*.md filter=evil diff=evil text eol=crlf\n"))
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\ntouch " + ran + "\n"
	hooks, _ := filepath.Glob(filepath.Join(repo.dir, ".git", "hooks", "*"))
	for _, h := range append(hooks, "post-checkout", "reference-transaction", "post-merge", "pre-receive",
		"fsmonitor-watchman") {
		file := filepath.Join(repo.dir, ".git", "hooks", strings.TrimSuffix(filepath.Base(h), ".sample"))
		if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	evil := "touch " + ran
	for _, key := range []string{"core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv",
		"uploadpack.packObjectsHook", "core.sshCommand", "credential.helper", "core.pager", "alias.fetch"} {
		repo.git("config", key, evil)
	}
	t.Setenv("GIT_DIR", filepath.Join(repo.dir, ".git"))
	t.Setenv("GIT_EXEC_PATH", t.TempDir())
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
	t.Setenv("GIT_CONFIG_VALUE_0", filepath.Join(repo.dir, ".git", "hooks"))
	f := withCache(t, files("recipe.md", extending("Top", repo.url("a.md", "main"))))
	steps(t, f, 7)
	if _, err := os.Stat(ran); err == nil {
		t.Error("something of the repository was run")
	}
	left, _ := filepath.Glob(filepath.Join(f.Cache, ".*"))
	same(t, "what is left of fetching", len(left), 0)
}

// TestOverHTTPS fetches from git's own server program, over TLS.
func TestOverHTTPS(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7), "spy.md",
		extending("Spy", "git+file:///etc//passwd@main"), "keys.md", extending("Keys", "git+ssh://host/r//a.md@main")))
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(&cgi.Handler{Path: git, Args: []string{"http-backend"},
		Env:        []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repo.dir), "GIT_HTTP_EXPORT_ALL=1"},
		InheritEnv: []string{"PATH", "HOME"}})
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o644); err != nil {
		t.Fatal(err)
	}
	url := func(file string) string {
		return fmt.Sprintf("git+%s/%s//%s@main", server.URL, filepath.Base(repo.dir), file)
	}

	repo.git("config", "uploadpack.allowFilter", "true") // so the file comes in a second request

	f := withCache(t, files("recipe.md", extending("Top", url("a.md"))))
	if _, err := f.Discover(""); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server that nobody vouches for gives %v", err)
	}
	t.Setenv("GIT_SSL_CAINFO", ca)
	steps(t, f, 7)

	r, err := f.Discover(url("a.md"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "source", r.Source(), url("a.md"))
	f.Locked = true
	if _, err := f.Discover(url("a.md")); err == nil || !strings.Contains(err.Error(), "--locked") {
		t.Errorf("--locked resolves a branch: %v", err)
	}
	if r, err = f.Discover(strings.TrimSuffix(url("a.md"), "main") + repo.git("rev-parse", "HEAD")); err != nil ||
		r.Constraints.MaxSteps != 7 {
		t.Errorf("a commit needs no lock: %v", err)
	}
	f.Locked = false
	for file, want := range map[string]string{"spy.md": "can't name repositories on this machine",
		"keys.md": "can't use your ssh keys"} {
		if _, err := f.Discover(url(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
	if !slices.Contains(r.Files(), r.Source()) {
		t.Errorf("files are %v", r.Files())
	}
}

// TestOverSSH fetches through a stand-in for ssh that runs on this machine what
// it is told to run on the other.
func TestOverSSH(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7), "b.md", extending("B", "a.md"), "spy.md",
		extending("Spy", "git+file:///etc//passwd@main")))
	url := func(file string) string { return "git+ssh://me@far.example" + repo.dir + "//" + file + "@main" }
	dir := t.TempDir()
	called := filepath.Join(dir, "called")
	standIn := func(name string) string {
		file := filepath.Join(dir, name)
		script := "#!/bin/sh\nprintf '%s ' " + name + " \"$@\" >> " + called +
			"\nfor last; do :; done\nexec sh -c \"$last\"\n"
		if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	check := func(what, want string) {
		t.Helper()
		_ = os.Remove(called) // there may be none
		r, err := withCache(t, files("recipe.md", extending("Top", url("b.md")))).Discover("")
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		same(t, what, r.Constraints.MaxSteps, 7)
		if got, _ := os.ReadFile(called); !strings.HasPrefix(string(got), want) {
			t.Errorf("%s: ssh was called as %q, want %q", what, got, want)
		}
	}
	standIn("ssh")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	check("the ssh of the machine, which must not ask", "ssh -o BatchMode=yes ")
	config := filepath.Join(os.Getenv("HOME"), ".gitconfig")
	if err := os.WriteFile(config, []byte("[core]\n\tsshCommand = "+standIn("own")+" -i key\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	check("the user's own command", "own -i key ")
	t.Setenv("GIT_SSH_COMMAND", standIn("env")+" -v")
	check("that of the environment", "env -v ")

	// What came over ssh may name its own repository over ssh, and no file here.
	f := withCache(t, files("recipe.md", extending("Top", url("spy.md"))))
	if _, err := f.Discover(""); err == nil ||
		!strings.Contains(err.Error(), "can't name repositories on this machine") {
		t.Errorf("spy.md gives %v", err)
	}
}

// TestOnlyTheFileComes: of a repository that is larger than what is taken,
// servers that can send the one file do; else it is refused.
func TestOnlyTheFileComes(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7)))
	noise := make([]byte, 3<<20)
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(noise) // never fails
	if err := os.WriteFile(filepath.Join(repo.dir, "large"), noise, 0o644); err != nil {
		t.Fatal(err)
	}
	repo.commit("")
	read := func() error {
		f := withCache(t, files("recipe.md", extending("Top", repo.url("a.md", "main"))))
		f.maxFetched = 1 << 20
		_, err := f.Discover("")
		left, _ := filepath.Glob(filepath.Join(f.Cache, ".*"))
		same(t, "what is left of fetching", len(left), 0)
		return err
	}
	want := "recipe.md:7:12: extending \"" + repo.url("a.md",
		"main") + "\": fetching file://" + repo.dir +
		" at \"main\": the repository sends more than 1 MiB: its server can't send single files, so put the recipe " +
		"into a small repository of its own"
	if err := read(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	repo.git("config", "uploadpack.allowFilter", "true")
	if err := read(); err != nil {
		t.Errorf("from a server that sends single files: %v", err)
	}

	// One that says so, and then does not send them, is asked for all.
	config := filepath.Join(os.Getenv("HOME"), ".gitconfig")
	if err := os.WriteFile(config, []byte("[protocol]\n\tversion = 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := read(); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	f := withCache(t, files("recipe.md", extending("Top", repo.url("a.md", "main"))))
	steps(t, f, 7)
}

// TestAFetchThatIsStopped ends with its context, and leaves nothing behind: no
// process, no file.
func TestAFetchThatIsStopped(t *testing.T) {
	repo := gitRepository(t, files("a.md", fmt.Sprintf(shared, 7)))
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_SSH_COMMAND", "echo $$ > "+pipe+"; sleep 98765.4323; :")
	f := withCache(t, files("recipe.md", extending("Top", "git+ssh://far.example"+repo.dir+"//a.md@main")))
	ctx, cancel := context.WithCancel(t.Context())
	pid := make(chan int)
	go func() {
		line, _ := os.ReadFile(pipe)
		cancel()
		n, _ := strconv.Atoi(strings.TrimSpace(string(line)))
		pid <- n
	}()
	r, err := f.DiscoverContext(ctx, "")
	if !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("got %v, %v", r, err)
	}
	if n := <-pid; n == 0 {
		t.Error("ssh was never called")
	} else {
		for syscall.Kill(n, 0) == nil { // until it is reaped
			runtime.Gosched()
		}
	}
	left, _ := filepath.Glob(filepath.Join(f.Cache, "*"))
	same(t, "what is left of fetching", len(left), 0)
}

// TestBesideAGitSource: a section of a git source has no directory of this machine beside
// it, whatever its address ends in, and neither has one of a bundle.
func TestBesideAGitSource(t *testing.T) {
	repo := gitRepository(t, files("e.md", "# E\n\nversion: 1\n\n## Contestants\n\n### e\n\nmodel: a/b\n"))
	repo.git("branch", "x/recipe.md")
	f := withCache(t, files("recipe.md", extending("Top", "sub/recipe.md"), "sub/recipe.md",
		extending("Mid", repo.url("e.md", "x/recipe.md"))+"\n## Constraints\n\n- max_steps: 3\n"))
	r := steps(t, f, 3)
	same(t, "beside the git source", r.SectionPath("contestants"), "")
	same(t, "beside the file", r.SectionPath("constraints"), filepath.Join(f.Dir, "sub", "recipe.md"))
	same(t, "beside the defaults", r.SectionPath("sandbox"), "")
	if b, err := Discover(bundled(t, "recipe.md", minimal("x"))); err != nil || b.SectionPath("models") != "" ||
		len(b.LocalFiles()) != 1 {
		t.Errorf("a bundle: %v, %q, %q", err, b.SectionPath("models"), b.LocalFiles())
	}
}
