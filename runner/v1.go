package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/model"
	"cookoff/recipe"
)

// What version 1 means. Everything here can change an outcome, so it never
// changes: another behaviour is another version. testdata/golden/v1 holds it
// still.
const (
	defaultTimeout     = 5 * time.Minute // of the loop
	defaultBashTimeout = 2 * time.Minute // of one command
	defaultHookTimeout = 30 * time.Second

	maxCallsPerReply = 64      // calls beyond are answered with an error
	maxReply         = 1 << 20 // bytes of a reply's text, and of the arguments of one call
	maxUnusable      = 3       // unusable replies in a row end the loop as malformed
	warnRepeats      = 4       // from this many equal calls in a row on, the model is told
	maxSentBack      = 8       // times in a row that hooks can send a model back to work
	maxRepeats       = 6       // equal calls in a row end the loop

	maxTries         = 6                // of one request
	maxWaitSum       = 10 * time.Minute // backing off for one request, all tries together
	defaultThreshold = 0.8              // of a conversation's budget: where auto_compact begins
	assumedBudget    = 128_000          // tokens of a conversation with a model that no profile tells of
	tokenBytes       = 4                // bytes a token, where only an estimate is at hand
	outputLimit      = 10_000           // tokens of one tool result, unless Output Processing says otherwise
)

const v1Preamble = `%s Work with the tools until the task is done, then answer in plain text without calling a tool: that ends the session.

The project is in /work, the working directory. Your home is /home/agent. Files and processes live on between calls. %s
You are judged by the state you leave behind, not by what you say about it.`

// The preamble begins with v1Mends where a task of the recipe stages something
// broken, else with v1Project.
const (
	v1Mends   = "You are an engineer who mends broken environments."
	v1Project = "You are an engineer who works on a project."
)

const v1SubPreamble = `You are an engineer who does a piece of work for another agent, in the environment that it works in. Work with the tools until it is done, then answer in plain text without calling a tool: the answer goes back to that agent, and is all that it sees of your work.

The project is in /work, the working directory. The home is /home/agent. Files and processes live on. %s`

const v1Whole = `You also see the files of the machine outside of it, such as /etc and the home directory of its user, $HOST_HOME. What you change there is in a private copy that nobody judges. `

// v1System assembles the system message: preamble, tool guidance, the
// recipe's own prompt.
func v1System(r *recipe.Recipe, specs []model.ToolSpec) string {
	who := v1Mends
	if !slices.ContainsFunc(r.Tasks, func(t recipe.Task) bool { return t.Setup != "" || t.Before != "" || t.Repair != "" }) {
		who = v1Project
	}
	return v1Assemble(r, specs, fmt.Sprintf(v1Preamble, who, v1World(r)))
}

// v1SubSystem is the system message of a sub-agent: the prompt of its mode
// follows.
func v1SubSystem(r *recipe.Recipe, specs []model.ToolSpec, mode string) string {
	return joinNonEmpty(v1Assemble(r, specs, fmt.Sprintf(v1SubPreamble, v1World(r))), mode, "\n\n")
}

// v1World says what of the machine and the network there is.
func v1World(r *recipe.Recipe) string {
	network := "There is no network."
	switch {
	case r.Sandbox.Network == "full":
		network = "The network can be reached."
	case r.Sandbox.Network == "allow":
		network = fmt.Sprintf("Of the network, these hosts can be reached, through the proxy that HTTPS_PROXY and HTTP_PROXY name: %s.", strings.Join(r.Sandbox.AllowHosts, ", "))
	case slices.ContainsFunc(r.MCPServers, func(s recipe.MCPServerEntry) bool { return strings.Contains(s.Command, "://") }):
		network = "Of the network, only what tools ask servers for can be reached."
	case r.Sandbox.AllowLocalFetch:
		network = "Of the network, only localhost can be reached."
	}
	if r.Sandbox.Filesystem == "unrestricted" {
		return v1Whole + network
	}
	return network
}

func v1Assemble(r *recipe.Recipe, specs []model.ToolSpec, preamble string) string {
	parts := []string{preamble}
	if g := v1Guidance(r, specs); g != "" {
		parts = append(parts, g)
	}
	if r.SystemPrompt != "" {
		parts = append(parts, r.SystemPrompt)
	}
	return strings.Join(parts, "\n\n")
}

// v1Guidance is the text about tools: the recipe's own as a whole, or a line a
// tool. A tool written as "- name:" has no line.
func v1Guidance(r *recipe.Recipe, specs []model.ToolSpec) string {
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
	v1Empty      = "Your reply was empty. Call a tool, or answer in plain text when the task is done."
	v1Truncated  = "Your reply was cut off at the token limit. Go on from where it ended."
	v1Repeat     = "\n\n(You have made this same call %d times in a row. After %d the session ends.)"
	v1Summary    = "The conversation up to here was replaced by your own summary of it. Go on from there."
	v1Summarize  = `Summarize the conversation below for yourself: it is about to be deleted, and you will go on from your summary alone. Say what the task is, what you found out (paths, versions, error messages, word for word where it matters), what you changed, what failed and why, and what is left to do. Write nothing else.`
	v1Ended      = "not called: the session had ended"
	v1Spawn      = "Hands a piece of the work to an agent of its own, which works in the same environment until it is done. The result is its final answer. What it uses counts against the limits of this session."
	v1SubEnded   = "the agent ended without an answer: %s: %s"
	v1Nothing    = "(an empty reply)"
	v1Unreadable = "A tool call could not be read: %s. Nothing was called for it."
	v1TooMany    = "not called: a reply may hold at most %d tool calls"
	v1Unknown    = "there is no tool %q; the tools are: %s"
	v1SentBack   = "A hook sends you back to work: %s"
	v1Denied     = "denied by a hook: %s"
	v1Halted     = "not called: a hook ended the session"
	v1Limit      = "not called: the limit of %d tool calls is reached"
)
