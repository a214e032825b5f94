package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"cookoff/contestant/acp/acptest"
	"cookoff/internal/oneline"
	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == acptest.Command {
		os.Exit(acptest.Main(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// played is what came of a conversation with the fake agent.
type played struct {
	stop  Stop
	err   error
	said  string
	calls []string
	noise int
	lines int
	dir   string
}

// play lets the fake agent work in a directory of its own on a script of its model.
func play(t *testing.T, name string, opt func(*Options), steps ...openaitest.Step) played {
	t.Helper()
	server := openaitest.New(steps...)
	defer server.Close()
	p := played{dir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], acptest.Command, name)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "FAKE_BASE_URL="+server.URL, "FAKE_MODEL=m", "FAKE_TOKEN=t")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cancel()
	var mu sync.Mutex
	calls := &Calls{Began: func(c *Call) { p.calls = append(p.calls, fmt.Sprintf("%s %s", c.Name, c.Args)) },
		Ended: func(c *Call) {
			p.calls = append(p.calls, fmt.Sprintf("-> %q failed=%v told=%v", c.Text, c.Failed, c.Told))
		}}
	o := Options{Out: out, In: in, Noise: func([]byte) { mu.Lock(); p.noise++; mu.Unlock() },
		Line: func(bool, []byte) { mu.Lock(); p.lines++; mu.Unlock() },
		Update: func(u Update) {
			mu.Lock()
			defer mu.Unlock()
			if p.said += u.Text; u.Tool != nil {
				calls.Take(u.Tool)
			}
		}}
	if opt != nil {
		opt(&o)
	}
	c := New(o)
	p.stop, p.err = converse(ctx, c)
	c.Close()
	in.Close()
	mu.Lock() // an agent may say more than it needs to
	defer mu.Unlock()
	calls.Close()
	return p
}

func converse(ctx context.Context, c *Client) (Stop, error) {
	if _, err := c.Initialize(ctx); err != nil {
		return "", err
	}
	s, err := c.NewSession(ctx, "/work", nil)
	if err != nil {
		return "", err
	}
	if !s.HasMode("yolo") || s.HasMode("nolo") {
		return "", errors.New("its modes were not heard")
	}
	if err := c.SetMode(ctx, s.ID, "yolo"); err != nil {
		return "", err
	}
	return c.Prompt(ctx, s.ID, "mend it")
}

func run(command string) openaitest.Step {
	args, _ := json.Marshal(map[string]string{"command": command})
	return openaitest.Calls(model.Call{ID: "c1", Name: "bash", Arguments: string(args)})
}

// TestConversation: whatever way an agent tells of its tool call, it is one call with
// its arguments and its result.
func TestConversation(t *testing.T) {
	const whole = `bash {"command":"echo hi | tee f"};-> "hi\n" failed=false told=true`
	unnamed := strings.Replace(whole, "bash", "execute", 1)
	for name, want := range map[string]string{
		"": whole, "banner": whole, "ask-back": whole, "permission": unnamed, "only-permission": unnamed, "only-end": unnamed,
		"empty-first": unnamed, "late": whole, "stubborn": whole,
		"no-end": `bash {"command":"echo hi | tee f"};-> "the agent did not say what came of it" failed=true told=false`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, name, nil, run("echo hi | tee f"), openaitest.Text("It is mended."))
			if p.err != nil || p.stop != EndTurn {
				t.Errorf("stop %q, %v", p.stop, p.err)
			}
			got := strings.Join(p.calls, ";")
			if got != want {
				t.Errorf("calls %s\nwant  %s", got, want)
			}
			if !strings.HasPrefix(p.said, "It is mended.") {
				t.Errorf("it said %q", p.said)
			}
			if text, err := os.ReadFile(filepath.Join(p.dir, "f")); string(text) != "hi\n" {
				t.Errorf("it wrote %q, %v", text, err)
			}
			if name == "banner" != (p.noise == 4) || p.lines < 10 {
				t.Errorf("%d lines, %d of them no messages", p.lines, p.noise)
			}
		})
	}
}

// TestRejected: what is not allowed is not done.
func TestRejected(t *testing.T) {
	p := play(t, "permission", func(o *Options) {
		o.Allow = func(w Wish) (Choice, error) {
			return Choice{Allow: string(w.Call.Input) != `{"command":"touch f"}`}, nil
		}
	}, run("touch f"))
	if p.err != nil || p.stop != EndTurn || len(p.calls) != 2 {
		t.Errorf("%+v", p)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "f")); err == nil {
		t.Error("it was done all the same")
	}
}

// TestChosen: an agent gets the option that somebody chose, of those that it offers and that say
// what was decided; else the one that says it for once.
func TestChosen(t *testing.T) {
	options := []Option{{"r", "No", "reject_once"}, {"rr", "Never", "reject_always"}, {"a", "Yes", "allow_once"},
		{"git", "Yes, git always", "allow_always"}, {"all", "Yes, all", "allow_always"}, {"x", "?", "other"}}
	for _, test := range []struct {
		choice Choice
		want   string
	}{
		{Choice{Allow: true}, "a"}, {Choice{}, "r"}, {Choice{true, "git"}, "git"}, {Choice{true, "all"}, "all"},
		{Choice{false, "rr"}, "rr"}, {Choice{false, "all"}, "r"}, {Choice{true, "rr"}, "a"}, {Choice{true, "gone"}, "a"},
	} {
		if got := choose(options, test.choice); got["optionId"] != test.want {
			t.Errorf("%+v: %v, want %s", test.choice, got, test.want)
		}
	}
	if got := choose(nil, Choice{true, "a"}); got["outcome"] != "cancelled" {
		t.Errorf("of none: %v", got)
	}
}

// TestUndecided: an agent is listened to while somebody decides, and what nobody decides is
// cancelled; of too many questions at once the rest is refused.
func TestUndecided(t *testing.T) {
	out, theirs := io.Pipe()
	in, ours := io.Pipe()
	decide, said := make(chan struct{}), make(chan string, 1)
	c := New(Options{Out: out, In: ours, Update: func(u Update) {
		if u.Text != "" {
			said <- u.Text
		}
	}, Allow: func(Wish) (Choice, error) {
		<-decide
		return Choice{}, errors.New("nobody is there")
	}})
	defer c.Close()
	for id := range maxAsked + 1 {
		fmt.Fprintf(theirs, oneline.Of(`{"jsonrpc":"2.0","id":%d,"method":"session/request_permission",
			"params":{"options":[]}}`)+"\n", id)
	}
	fmt.Fprintln(theirs, oneline.Of(`{"jsonrpc":"2.0","method":"session/update",
		"params":{
			"update":{"sessionUpdate":"agent_message_chunk","content":{"text":"still here"}}}}`))
	if got := <-said; got != "still here" {
		t.Errorf("it said %q", got)
	}
	lines := bufio.NewReader(in)
	line, _ := lines.ReadString('\n')
	if !strings.Contains(line, "32 questions wait for an answer") || !strings.Contains(line, `"id":32`) {
		t.Errorf("answered %s", line)
	}
	close(decide)
	for range maxAsked {
		if line, _ = lines.ReadString('\n'); !strings.Contains(line, `"outcome":{"outcome":"cancelled"}`) {
			t.Errorf("answered %s", line)
		}
	}
}

// TestBroken: an agent that can't be spoken with is told from one that says no.
func TestBroken(t *testing.T) {
	rpc := new(*RPCError)
	for name, c := range map[string]struct {
		as   any
		want string
	}{
		"no-protocol": {new(*GoneError), "the agent has closed its output"},
		"crash":       {new(*GoneError), "the agent has closed its output"},
		"close":       {new(*GoneError), "the agent has closed its output"},
		"garbage":     {new(*GoneError), "the agent has closed its output"},
		"flood":       {new(*GoneError), "the agent writes without end what is no message"},
		"long-line":   {new(*GoneError), "the agent sent a message of more than 16777216 bytes"},
		"no-session":  {new(*GoneError), "the agent made a session without an id"},
		"version-2":   {new(*VersionError), "the agent speaks version 2 of the protocol, and cookoff 1"},
		"login": {as: new(*RPCError), want: "the agent answered session/new with error -32000: " +
			`Authentication required {"details":"see above"}`},
		"no-mode": {as: new(*RPCError), want: "the agent answered session/set_mode with error -32603: " +
			`not in an untrusted folder {"details":"see above"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := play(t, name, nil)
			if !errors.As(p.err, c.as) || p.err.Error() != c.want {
				t.Errorf("%T %v, want %s", p.err, p.err, c.want)
			}
		})
	}
	p := play(t, "code-400", nil, openaitest.Status(400, openaitest.Error("", "no")))
	if !errors.As(p.err, rpc) || (*rpc).Code != 400 || (*rpc).Login() {
		t.Errorf("%v", p.err)
	}
	if p := play(t, "swallow", nil, openaitest.Status(400, openaitest.Error("", "no"))); p.err != nil ||
		p.stop != EndTurn {
		t.Errorf("%+v", p)
	}
}

// TestSilent: nobody waits longer for an agent than he wants to.
func TestSilent(t *testing.T) {
	for _, name := range []string{"silent", "deaf"} {
		ctx, cancel := context.WithCancel(t.Context())
		out, _ := io.Pipe()
		c := New(Options{Out: out, In: io.Discard})
		time.AfterFunc(time.Millisecond, cancel)
		if _, err := c.Initialize(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
	}
}

// broken takes no input.
type broken struct{ refused chan bool }

func (b broken) Write([]byte) (int, error) { close(b.refused); return 0, syscall.EPIPE }

// TestNoInput: an agent that has ended is told from one that only takes no input, whichever is seen first.
func TestNoInput(t *testing.T) {
	for ends, want := range map[bool]string{true: "the agent has closed its output",
		false: "the agent takes no input: broken pipe"} {
		synctest.Test(t, func(t *testing.T) {
			out, theirs := io.Pipe()
			in := broken{make(chan bool)}
			c := New(Options{Out: out, In: in})
			go func() {
				if <-in.refused; ends {
					theirs.Close()
				}
			}()
			var gone *GoneError
			if _, err := c.Initialize(t.Context()); !errors.As(err, &gone) || gone.Why != want {
				t.Errorf("%v, want %s", err, want)
			}
			theirs.Close()
			synctest.Wait()
		})
	}
}

// TestUnread: an agent that never reads does not make its client wait.
func TestUnread(t *testing.T) {
	out, theirs := io.Pipe()
	in, ours := io.Pipe()
	defer in.Close()
	c := New(Options{Out: out, In: ours})
	go func() {
		for n := range 2 * waiting {
			fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%d,"method":"x"}`+"\n", n)
		}
		theirs.Close()
	}()
	<-c.Done()
	if err := c.Gone(); err == nil || !strings.Contains(err.Error(), "left 256 messages unread") {
		t.Error(err)
	}
}

// TestSamples: what real agents said, see their transcripts, is understood.
func TestSamples(t *testing.T) {
	dir := os.Getenv("COOKOFF_FACTS")
	files, _ := filepath.Glob(filepath.Join(dir, "field/samples/acp/*-full.jsonl"))
	if dir == "" || len(files) == 0 {
		t.Skip("COOKOFF_FACTS names no directory with field/samples/acp")
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		for line := range strings.Lines(string(text)) {
			var l struct {
				Dir string          `json:"dir"`
				Msg json.RawMessage `json:"msg"`
			}
			if json.Unmarshal([]byte(line), &l) == nil && l.Dir == "A" {
				lines.Write(append(l.Msg, '\n'))
			}
		}
		var got []string
		said := ""
		calls := &Calls{Began: func(c *Call) { got = append(got, string(c.Args)) },
			Ended: func(c *Call) { got = append(got, c.Text) }}
		c := New(Options{Out: strings.NewReader(lines.String()), In: io.Discard, Update: func(u Update) {
			if said += u.Text; u.Tool != nil {
				calls.Take(u.Tool)
			}
		}})
		<-c.Done()
		if len(got) != 2 || !strings.Contains(got[0], "echo fixed > status.txt") || !strings.Contains(said,
			"status.txt says fixed.") {
			t.Errorf("%s: said %q, calls %q", filepath.Base(f), said, got)
		}
	}
}
