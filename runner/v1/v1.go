// Package v1 holds what version 1 says to models, and its limits.
package v1

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cookoff/model"
	"cookoff/recipe"

	"github.com/bmatcuk/doublestar/v4"
)

// What version 1 means. Everything here can change an outcome, so it never
// changes: another behaviour is another version. testdata/golden/v1 holds it
// still.
const (
	Timeout     = 5 * time.Minute // of the loop
	BashTimeout = 2 * time.Minute // of one command
	HookTimeout = 30 * time.Second

	MaxCallsPerReply = 64      // calls beyond are answered with an error
	MaxReply         = 1 << 20 // bytes of a reply's text, and of the arguments of one call
	MaxUnusable      = 3       // unusable replies in a row end the loop as malformed
	WarnRepeats      = 4       // from this many equal calls in a row on, the model is told
	MaxSentBack      = 8       // times in a row that hooks can send a model back to work
	MaxRepeats       = 6       // equal calls in a row end the loop

	MaxTries         = 6                // of one request
	MaxWaitSum       = 10 * time.Minute // backing off for one request, all tries together
	CompactThreshold = 0.8              // of a conversation's budget: where auto_compact begins
	AssumedBudget    = 128_000          // tokens of a conversation with a model that no profile tells of
	TokenBytes       = 4                // bytes a token, where only an estimate is at hand
	OutputLimit      = 10_000           // tokens of one tool result, unless Output Processing says otherwise
)

const preamble = `%s Work with the tools until the task is done, ` +
	`then answer in plain text without calling a tool: that ends the session.

The project is in /work, the working directory. Your home is /home/agent. Files and processes live on between calls. %s
You are judged by the state you leave behind, not by what you say about it.`

// The preamble begins with v1Mends where a task of the recipe stages something
// broken, else with v1Project.
const (
	Mends   = "You are an engineer who mends broken environments."
	Project = "You are an engineer who works on a project."
)

const subPreamble = `You are an engineer who does a piece of work for another agent, ` +
	`in the environment that it works in. ` +
	`Work with the tools until it is done, then answer in plain text without calling a tool: ` +
	`the answer goes back to that agent, and is all that it sees of your work.

The project is in /work, the working directory. The home is /home/agent. Files and processes live on. %s`

const whole = `You also see the files of the machine outside of it, ` +
	`such as /etc and the home directory of its user, $HOST_HOME. ` +
	`What you change there is in a private copy that nobody judges. `

// System assembles the system message: preamble, tool guidance, the
// recipe's own prompt.
func System(r *recipe.Recipe, specs []model.ToolSpec) string {
	who := Mends
	if !slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool {
		return t.Setup != "" || t.Before != "" ||
			t.Repair != ""
	}) {
		who = Project
	}
	return assemble(r, specs, fmt.Sprintf(preamble, who, world(r)))
}

// SubSystem is the system message of a sub-agent: the prompt of its mode
// follows.
func SubSystem(r *recipe.Recipe, specs []model.ToolSpec, mode string) string {
	text := assemble(r, specs, fmt.Sprintf(subPreamble, world(r)))
	if mode == "" {
		return text
	}
	return text + "\n\n" + mode
}

// world says what of the machine and the network there is.
func world(r *recipe.Recipe) string {
	network := "There is no network."
	switch {
	case r.Sandbox.Network == "full":
		network = "The network can be reached."
	case r.Sandbox.Network == "allow":
		network = fmt.Sprintf("Of the network, these hosts can be reached, "+
			"through the proxy that HTTPS_PROXY and HTTP_PROXY name: %s.", strings.Join(r.Sandbox.AllowHosts, ", "))
	case slices.ContainsFunc(r.MCPServers, func(s recipe.MCPServerEntry) bool {
		return strings.Contains(s.Command,
			"://")
	}):
		network = "Of the network, only what tools ask servers for can be reached."
	case r.Sandbox.AllowLocalFetch:
		network = "Of the network, only localhost can be reached."
	}
	if r.Sandbox.Filesystem == "unrestricted" {
		return whole + network
	}
	return network
}

func assemble(r *recipe.Recipe, specs []model.ToolSpec, preamble string) string {
	parts := []string{preamble}
	if g := guidance(r, specs); g != "" {
		parts = append(parts, g)
	}
	if r.SystemPrompt != "" {
		parts = append(parts, r.SystemPrompt)
	}
	return strings.Join(parts, "\n\n")
}

// guidance is the text about tools: the recipe's own as a whole, or a line a
// tool. A tool written as "- name:" has no line.
func guidance(r *recipe.Recipe, specs []model.ToolSpec) string {
	if r.ToolGuidance != "" {
		return r.ToolGuidance
	}
	var b strings.Builder
	for _, s := range specs {
		text := firstSentence(s.Description)
		if r.Tools != nil {
			if g, ok := r.Tools.Guidance[s.Name]; ok {
				text = g
			}
		}
		if text != "" {
			fmt.Fprintf(&b, "\n- %s: %s", s.Name, text)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "Tools:" + b.String()
}

func firstSentence(s string) string {
	if i := strings.Index(s, ". "); i >= 0 {
		return s[:i+1]
	}
	return s
}

// What version 1 says to a model in the loop.
const (
	Empty     = "Your reply was empty. Call a tool, or answer in plain text when the task is done."
	Truncated = "Your reply was cut off at the token limit. Go on from where it ended."
	Repeat    = "\n\n(You have made this same call %d times in a row. After %d the session ends.)"
	Summary   = "The conversation up to here was replaced by your own summary of it. Go on from there."
	Summarize = `Summarize the conversation below for yourself: ` +
		`it is about to be deleted, and you will go on from your summary alone. ` +
		`Say what the task is, what you found out ` +
		`(paths, versions, error messages, word for word where it matters), what you changed, what failed and why, and what is left to do. ` +
		`Write nothing else.`
	Ended = "not called: the session had ended"
	Spawn = "Hands a piece of the work to an agent of its own, which works in the same environment " +
		"until it is done. The result is its final answer. What it uses counts against the limits of this session."
	SubEnded   = "the agent ended without an answer: %s: %s"
	Nothing    = "(an empty reply)"
	Unreadable = "A tool call could not be read: %s. Nothing was called for it."
	TooMany    = "not called: a reply may hold at most %d tool calls"
	Unknown    = "there is no tool %q; the tools are: %s"
	SentBack   = "A hook sends you back to work: %s"
	Denied     = "denied by a hook: %s"
	Halted     = "not called: a hook ended the session"
	Limit      = "not called: the limit of %d tool calls is reached"
)

// ProfileOf names the profile of a model: its very id, else the longest glob
// that matches it; "" for none.
func ProfileOf(r *recipe.Recipe, id string) string {
	if _, ok := r.ModelProfiles[id]; ok {
		return id
	}
	globs := slices.DeleteFunc(slices.Sorted(maps.Keys(r.ModelProfiles)), func(g string) bool {
		ok, err := doublestar.Match(g, id)
		return err != nil || !ok
	})
	if len(globs) == 0 {
		return ""
	}
	return slices.MaxFunc(globs, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// The strategies that compact a conversation: at the threshold, and when a person
// says so.
const (
	AutoCompact   = "auto_compact"
	ManualCompact = "manual"
)

// What a compaction comes from, as hooks are told.
const (
	TriggerAuto   = "auto"
	TriggerManual = "manual"
)
