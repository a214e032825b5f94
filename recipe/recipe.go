// Package recipe reads, resolves and writes recipe.md: the Markdown file that
// stages broken environments, names the models and sets the rules.
//
// It knows no model, sandbox or clock: what a recipe says is checked here,
// what a name in it means (a tool, a provider) is checked by the runner.
package recipe

import (
	"fmt"
	"time"

	"cookoff/recipe/problem"
	"cookoff/recipe/source"
)

// MaxVersion is the highest recipe version supported by this binary.
const MaxVersion = 1

// Recipe holds everything a recipe.md says. Zero values mean "not set".
type Recipe struct {
	Version int    // schema version, 1..MaxVersion
	Name    string // the file's title

	Models              []string // provider/model ids in table order
	Contestants         []ContestantConfig
	SystemPrompt        string            // follows the tool guidance in the system message
	Tools               *ToolsConfig      // nil: every built-in tool
	ToolDescriptions    map[string]string // tool -> description, for all models
	ToolGuidance        string            // replaces the whole guidance text
	MCPServers          []MCPServerEntry
	ModelParams         ModelParamsConfig
	Constraints         ConstraintsConfig
	Context             ContextConfig
	SummarizationPrompt string
	SubAgent            SubAgentConfig
	SubAgentModes       map[string]string // mode -> prompt
	Sandbox             SandboxConfig
	SystemReminders     []SystemReminderConfig
	Hooks               []HookConfig
	OutputProcessing    map[string]OutputRuleConfig   // tool -> rule
	ModelProfiles       map[string]ModelProfileConfig // model id or glob -> profile
	Tasks               []Task
	SuccessCriteria     []Criterion   // applied to every task
	Verify              []VerifyBlock // applied to every task
	Comparison          ComparisonConfig
	Metadata            MetadataConfig

	// SectionsPresent holds the lower-case names of the sections that the file
	// declared. It is nil for a recipe built in code, which is then merged
	// field by field instead of section by section.
	SectionsPresent map[string]bool

	provenance

	unchosen []ContestantConfig // see AllContestants
}

// ToolsConfig says which tools models are offered. A nil *ToolsConfig offers
// every built-in tool; an empty Allowlist offers none.
type ToolsConfig struct {
	Allowlist    []string // tool names in the order written
	BashPrefixes []string // word sequences: a simple command of a bash call starts with one; nil: any
	// tool -> text that replaces its guidance line and description; "" : no guidance line
	Guidance map[string]string
	Repairs  []string // globs over repair ids, from "repair(GLOB, …)"
	Probes   []string // globs over probe ids, from "probe(GLOB, …)"
}

// MCPServerEntry is one MCP server: a command line, or an https:// address.
type MCPServerEntry struct {
	Name    string
	Command string
}

// ModelParamsConfig carries sampling parameters; nil and "" are not sent.
type ModelParamsConfig struct {
	Temperature       *float64
	TopP              *float64
	MaxTokens         *int
	Seed              *int64
	ReasoningEffort   string
	ParallelToolCalls *bool
}

// ConstraintsConfig limits the agentic loop of one trial.
type ConstraintsConfig struct {
	MaxSteps     int           // 0: unlimited within Timeout
	Timeout      time.Duration // wall time of the loop; 0: the runner's default
	BashTimeout  time.Duration // one command; 0: the runner's default
	MaxToolCalls int           // 0: unlimited
	MaxCost      float64       // USD a trial; 0: unlimited
	ProjectRoot  string        // inside the working directory; "": the working directory
	AllowClasses []string      // classes of repairs that may run; nil: safe
}

// ContextConfig says how a conversation's history is kept.
type ContextConfig struct {
	MaxHistoryTurns  int
	Strategy         string  // "", auto_compact, manual, off
	CompactThreshold float64 // (0, 1]
	TaskMode         string  // "", independent, sequential
}

// SubAgentConfig says whether and how spawn_agent may be used.
type SubAgentConfig struct {
	Model    string // "": the parent's
	MaxDepth int    // -1: not set, 0: off
	Tools    string // inherit, or a comma list
}

// SandboxConfig says what a trial's world may see and do.
type SandboxConfig struct {
	Filesystem      string   // "", unrestricted, project_only, read_only
	Network         string   // "", none, allow, full
	AllowHosts      []string // with network: allow
	AllowLocalFetch bool
	Backend         string // "", auto, native, bwrap, container, gvisor
	Isolation       string // "", strong
	Image           string
	Memory          int64 // bytes
	Processes       int
	Disk            int64         // bytes
	FileSize        int64         // bytes
	Env             []string      // NAME=VALUE, for every command in a world
	Mounts          []string      // /PLACE or DIR:/PLACE, see places.MountAt
	Root            string        // archive, OCI layout or directory beside the recipe that worlds have for their root
	User            string        // "", root, root+others: whom commands run as
	Prepare         string        // command, with a network, that gets what worlds need, once a lockfile
	PrepareTimeout  time.Duration // 0: ten minutes
	Warm            string        // command that fills build caches before any trial; "": the checks' own, false: none
}

// SystemReminderConfig is a text injected when its trigger turns true.
type SystemReminderConfig struct {
	Name    string
	Trigger string
	Content string
}

// HookConfig is one lifecycle hook.
type HookConfig struct {
	Name         string
	Event        string
	Matcher      string // tool name or glob; "": every tool
	Action       string // command
	Command      string
	Timeout      string // duration; "": 30s
	InjectOutput bool
}

// OutputRuleConfig cuts a tool's output before a model sees it.
type OutputRuleConfig struct {
	MaxLines          int
	MaxTokens         int
	Truncation        string // head, tail, head_tail
	TruncationMessage string // with {line_count} {token_count} {max_lines} {max_tokens}
}

// ModelProfileConfig overrides what is known of a model's abilities.
type ModelProfileConfig struct {
	ContextBudget  int
	ToolFormat     string // "", native, function_calling, text_in_prompt
	SystemRole     *bool
	MidConvoSystem *bool
}

// ComparisonConfig says how models are compared.
type ComparisonConfig struct {
	Trials     int     // repeats of each task × model; 0: 1
	Baseline   string  // "": the first model
	Confidence float64 // 0: 0.95
	Seed       int64
	Order      string // "", interleaved
	// UntilDecided is the question that a run ends with, once it is answered: best,
	// ranking, baseline, or "MODEL vs MODEL"; "": all trials are tried.
	UntilDecided string
	Alpha        float64 // how often a false alarm is allowed; 0: 0.05
	Delta        float64 // the smallest difference of rates that matters, in points; 0: any does
}

// MetadataConfig carries labels and sharing settings.
type MetadataConfig struct {
	Name        string
	Description string
	Tags        []string
	Author      string
	Version     string
	Extends     []string
	Contribute  bool
	ProjectRoot string
}

// JudgeSuffix ends the names of files in judge_files that have other names in the project: it is
// taken off there. No runner of tests that goes through the directory beside the recipe knows such names.
const JudgeSuffix = ".judge"

// Task is one environment to mend: what a model is told, how the broken state
// is staged, and how the final state is judged. Everything but the prompt is
// hidden from models.
type Task struct {
	Title      string // "" for a bullet
	Prompt     string
	Setup      string  // script that stages the broken state
	Before     string  // script that exits 0 when the environment is broken
	After      []Check // exit 0 when it is mended
	Guard      []Check // must hold before and after
	Verify     []VerifyBlock
	Services   []Service // programs that run beside whoever works
	Solution   string    // what baseline/oracle runs
	Others     []string  // further solutions, each as right as the first
	Shortcuts  []string  // wrong repairs, which the checks must reject
	Protect    []string  // globs whose content must not change
	MayChange  []string  // globs of what a repair may change though no solution does
	MayAdd     []string  // globs of what may be new; nil: anything
	Path       []string  // directories of the task's world put first on PATH
	Hidden     []string  // project files left out of the model's view; checks have them
	Judge      string    // "", patch: only the change of the project is judged, in clean worlds
	JudgeFiles string    // directory beside the recipe whose files checks have, see JudgeSuffix
	// directory that the task's worlds start with; "": the recipe's project_root; none: nothing
	Project   string
	Base      string        // commit of its repository whose files they start with; "": the files as they are
	Prepare   string        // command, with a network, that gets what its worlds need; "": the recipe's; none: none
	Warm      string        // command that fills the build caches of its worlds; "": the recipe's; false: none
	Probe     string        // finding that baseline/matcher asks a repair for: "ID [Param=Value …]"
	Timeout   time.Duration // 0: the recipe's
	Limits    ScriptLimits  // of scripts that are no checks
	Env       []string      // NAME=VALUE, for the model's commands and every script, over the recipe's
	JudgeEnv  []string      // NAME=VALUE, for before, guard, after and verify alone
	MaxSteps  *int          // nil: the recipe's
	Tools     []string      // nil: the recipe's
	VerifyEnv string        // "", agent: checks run with the model's rc files and settings
	Image     string
	Needs     []string // programs without which the task is not tried
	Vary      []string // what is drawn from the seed: "name=a|b|c", "name=1..9", "seed"; see Drawn
	Mounts    []string // beside the recipe's: /PLACE or DIR:/PLACE, see places.MountAt
	Root      string   // "": the recipe's
	User      string   // "": the recipe's
	Tags      []string
	Date      string // when what it is about became known, as 2026-03-31; a label
	Repair    string // glob: stands for the tasks of the matching repairs; nothing else is set
	Harbor    string `json:",omitempty"` // directory beside the recipe: stands for Harbor's tasks in it, alone
	// Plant is the command whose failing tests make tasks of faults that are planted when
	// a run starts: the task stands for Variants of them, drawn from Seed (0: that of
	// Comparison), of Faults each, in files Below these. "builtin:NAME" plants them in the
	// worlds of the tasks of a recipe that comes with the program. See Standing.
	Plant    string   `json:",omitempty"`
	Variants int      `json:",omitempty"` // 0: 1
	Seed     int64    `json:",omitempty"`
	Faults   int      `json:",omitempty"` // 0: 1
	Below    []string `json:",omitempty"`
	Network  string   `json:",omitempty"` // "": the recipe's; none
	Memory   int64    `json:",omitempty"` // bytes; 0: the recipe's
	Disk     int64    `json:",omitempty"` // bytes; 0: the recipe's
}

// Check is a script that judges by its exit status.
type Check struct {
	Script  string
	Live    bool          // runs in the trial's own world, before it is sealed
	Timeout time.Duration // 0: two minutes
	Env     []string      // NAME=VALUE, for this check alone
}

// ScriptLimits are how long the scripts of a task that are no checks may take;
// 0: two minutes. Solution holds for each of its solutions.
type ScriptLimits struct{ Setup, Before, Solution time.Duration }

// Name is what tables call the task: its title, or the start of its prompt.
func (t Task) Name() string {
	if t.Title != "" {
		return t.Title
	}
	if t.Repair != "" {
		return "repair: " + t.Repair
	}
	if t.Harbor != "" {
		return "harbor: " + t.Harbor
	}
	return source.FirstLine(t.Prompt, 60)
}

// VerifyBlock is one [verify] table. See docs/verify.md for what each key does.
type VerifyBlock struct {
	Mode           string        `toml:"mode" yaml:"mode" json:"mode,omitempty"` // "", version, functional, output
	Command        string        `toml:"command" yaml:"command" json:"command,omitempty"`
	Pattern        string        `toml:"pattern" yaml:"pattern" json:"pattern,omitempty"`
	Patterns       []string      `toml:"patterns" yaml:"patterns" json:"patterns,omitempty"`
	VersionFormat  string        `toml:"version_format" yaml:"version_format" json:"version_format,omitempty"`
	Reason         string        `toml:"reason" yaml:"reason" json:"reason,omitempty"`
	ExitCode       *int          `toml:"exit_code" yaml:"exit_code" json:"exit_code,omitempty"`
	Version        string        `toml:"version" yaml:"version" json:"version,omitempty"`
	VersionCommand string        `toml:"version_command" yaml:"version_command" json:"version_command,omitempty"`
	Stream         string        `toml:"stream" yaml:"stream" json:"stream,omitempty"` // "", stdout, stderr, both
	Timeout        string        `toml:"timeout" yaml:"timeout" json:"timeout,omitempty"`
	Live           bool          `toml:"live" yaml:"live" json:"live,omitempty"`
	Binary         string        `toml:"binary" yaml:"binary" json:"binary,omitempty"`
	Additional     []VerifyExtra `toml:"additional" yaml:"additional" json:"additional,omitempty"`
}

// VerifyExtra is one [[verify.additional]] table: a further command under the
// mode, version and format of its block.
type VerifyExtra struct {
	Command  string   `toml:"command" yaml:"command" json:"command,omitempty"`
	Pattern  string   `toml:"pattern" yaml:"pattern" json:"pattern,omitempty"`
	Patterns []string `toml:"patterns" yaml:"patterns" json:"patterns,omitempty"`
	ExitCode *int     `toml:"exit_code" yaml:"exit_code" json:"exit_code,omitempty"`
	Stream   string   `toml:"stream" yaml:"stream" json:"stream,omitempty"`
}

// Criterion is one bullet of Success Criteria, parsed.
type Criterion struct {
	// Kind is one of no_errors, has_writes, files_written, contains, run, file_exists,
	// file_contains, tool_used, max_tool_calls, max_cost, max_latency and protected.
	Kind    string
	Text    string        // the text, command, glob or tool name
	Path    string        // of file_contains
	Limit   float64       // of files_written (files), max_tool_calls (calls), max_cost (USD), max_latency (ms)
	Timeout time.Duration // of run; 0: the default
}

// HasSection reports whether the named section (lower case) was declared in
// the file. It is false for a recipe built in code.
func (r *Recipe) HasSection(name string) bool { return r.SectionsPresent[name] }

// Runner is a recipe bound to the behaviour of the version it was written for.
type Runner interface {
	// Version returns the recipe format version this runner implements.
	Version() int
	// Recipe returns the underlying recipe configuration.
	Recipe() *Recipe
}

type v1 struct{ recipe *Recipe }

// NewV1Runner creates a Runner for a version 1 recipe.
func NewV1Runner(r *Recipe) Runner { return v1{r} }

func (v v1) Version() int    { return 1 }
func (v v1) Recipe() *Recipe { return v.recipe }

// BuildRunner creates the Runner of the recipe's version, or says which
// versions this binary supports.
func (r *Recipe) BuildRunner() (Runner, error) {
	if r.Version != 1 {
		return nil, problem.List{{Pos: r.At("version"),
			Kind: problem.Unreadable, Msg: fmt.Sprintf("recipe version %d is not supported: this binary supports 1..%d",
				r.Version, MaxVersion)}}
	}
	return NewV1Runner(r), nil
}
