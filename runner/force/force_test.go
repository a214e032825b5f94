// Package force_test shows of every key of a recipe that it is in force.
package force_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/runnertest"
	"cookoff/sandbox"

	"github.com/google/go-cmp/cmp"
)

// watched is the stub backend with a record of all that it is asked for.
type watched struct {
	mu   sync.Mutex
	seen []string
}

func (w *watched) Check(context.Context) error { return nil }

func (w *watched) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Sandbox, error) {
	stub, err := runnertest.Backend{}.Open(ctx, spec)
	spec.State = nil
	files, _ := filepath.Glob(filepath.Join(spec.Project, "*"))
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	spec.Project = strings.Join(files, " ") // which is a copy somewhere
	w.add("open", spec)
	return &watchedWorld{stub.(*runnertest.World), w}, err
}

func (w *watched) add(what string, v any) {
	text, _ := json.Marshal(v)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, what+" "+string(text))
}

type watchedWorld struct {
	*runnertest.World
	w *watched
}

func (w *watchedWorld) Exec(ctx context.Context, c sandbox.Cmd) (sandbox.Result, error) {
	w.w.add("exec", c)
	res, err := w.World.Exec(ctx, c)
	if strings.Contains(c.Script, "many") {
		res.Stdout = []byte(strings.Repeat("a line of many\n", 50))
	}
	return res, err
}

// liveCaches matches the names of the caches that live checks compile into: nobody could
// know them beforehand.
var liveCaches = regexp.MustCompile(`/tmp/\.go-[A-Z2-7]{26}`)

// observe runs all trials of a recipe and gives everything that a run does:
// which sandboxes it opens, what it runs there, what models are sent, and what
// is recorded; but for the recipe's own text, which always differs.
func observe(t *testing.T, text, project string) string {
	t.Helper()
	again := func() model.Chat {
		return &runnertest.Chat{Steps: []any{runnertest.Bash(1, "one"), runnertest.Call("2", "bash", `{"command":"many"}`),
			runnertest.Call("r", "repair_daemon_stale", `{"Name":"x","Path":"run/x.pid"}`),
			runnertest.Call("3", "bash", `{"command":"touch done"}`), runnertest.Say("done")}}
	}
	one, two := again(), again()
	b := runnertest.New(t, map[string]model.Chat{"test/model": one, "test/other": two, "one": one, "two": two})
	w := &watched{}
	b.Env.Backend, b.Env.Dir, b.Env.Parallel = w, project, 1
	b.Env.Allow = []string{"unrestricted", "network", "hosts", "host", "host-mcp"}
	r := b.Runner(text)
	if err := r.RunAll(t.Context(), "run", b.Log, nil); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	slices.Sort(w.seen) // witnesses run side by side
	out.WriteString(liveCaches.ReplaceAllString(strings.Join(w.seen, "\n"), "cache"))
	for _, c := range []model.Chat{one, two} {
		for _, req := range c.(*runnertest.Chat).Seen {
			line, _ := json.Marshal(req)
			out.Write(line)
		}
	}
	for _, e := range b.Log.Events {
		if e.Run != nil {
			run := *e.Run
			run.Digest, run.Markdown, run.Metadata, run.Contestants = "", "", nil, nil
			e.Run = &run
		}
		line, _ := json.Marshal(e)
		out.WriteString(runnertest.Seconds.ReplaceAllString(string(line), ""))
	}
	return out.String()
}

// force says how a key of the format is known to be in force.
type force struct {
	was, is string // sections, of which only the key's value differs: a run differs
	tail    bool   // was and is stand behind the task instead
	test    string // package.Test that changes this key alone
	label   bool   // it describes something: what is shown of the recipe differs, and no run
	only    string // the one value that there is
}

func section(name, base string) func(was, is string) force {
	return func(was, is string) force {
		return force{was: "## " + name + "\n" + base + was + "\n\n", is: "## " + name + "\n" + base + is + "\n\n"}
	}
}

func labelled(f force) force {
	f.label = true
	return f
}

func behind(was, is string) force { return force{was: was, is: is, tail: true} }

// inForce is the list of all keys: for each what shows that it is in force.
func inForce() map[string]force {
	params, limits := section("Model Parameters", ""), section("Constraints", "")
	list := map[string]force{
		"version": {test: "recipe.TestBadRecipes"},
		"name":    {was: "# Mend", is: "# Mend more"},
		"models":  section("Models", "")("- test/model", "- test/other"),

		"system_prompt":       section("System Prompt", "")("Be brief.", "Be kind."),
		"tool_guidance":       section("Tool Guidance", "")("Use them.", "Use them well."),
		"tool_descriptions":   section("Tool Descriptions", "### bash\n")("A shell.", "The shell."),
		"tools.allowlist":     section("Tools", "")("- bash", "- bash\n- read_file"),
		"tools.guidance":      section("Tools", "")("- bash", "- bash: Short commands."),
		"tools.bash_prefixes": section("Tools", "")("- bash(echo, touch)", "- bash(echo)"),
		"tools.repairs":       section("Tools", "- bash\n")("- repair(git-index-lock)", "- repair(env-file-missing)"),
		"tools.probes":        section("Tools", "- bash\n")("- probe(git-*)", "- probe(*)"),

		"mcp_servers.name":    {test: "runner/machines.TestServers"},
		"mcp_servers.command": {test: "runner/machines.TestServers"},

		"model_parameters.temperature":         params("", "temperature: 0"),
		"model_parameters.top_p":               params("top_p: 1", "top_p: 0.5"),
		"model_parameters.max_tokens":          params("max_tokens: 100", "max_tokens: 200"),
		"model_parameters.seed":                params("", "seed: 0"),
		"model_parameters.reasoning_effort":    params("reasoning_effort: low", "reasoning_effort: high"),
		"model_parameters.parallel_tool_calls": params("", "parallel_tool_calls: false"),

		"constraints.max_steps":      limits("max_steps: 9", "max_steps: 1"),
		"constraints.timeout":        limits("timeout: 5m", "timeout: 3s"),
		"constraints.bash_timeout":   limits("bash_timeout: 9", "bash_timeout: 8"),
		"constraints.max_tool_calls": limits("max_tool_calls: 9", "max_tool_calls: 1"),
		"constraints.max_cost":       {test: "runner/conversation.TestMaxCostIsReservedBeforeARequest"},
		"constraints.project_root":   limits("project_root: a", "project_root: b"),
		"constraints.allow_classes": section("Constraints", "")("allow_classes: safe\n\n## Tools\n- bash\n- repair(*)",
			"allow_classes: safe, shared, destructive\n\n## Tools\n- bash\n- repair(*)"),

		"context.strategy":             {test: "runner/conversation.TestAutoCompact"},
		"context.compact_threshold":    {test: "runner/conversation.TestTheThresholdAndThePromptOfTheRecipe"},
		"context_summarization_prompt": {test: "runner/conversation.TestTheThresholdAndThePromptOfTheRecipe"},
		"context.max_history_turns":    {test: "runner/conversation.TestMaxHistoryTurns"},
		"context.task_mode":            {test: "runner/runs.TestASequenceIsPlannedModelByModel"},
		"sub_agent.model":              {test: "runner/conversation.TestSubAgentOfAnotherModel"},
		"sub_agent.max_depth":          {test: "runner/conversation.TestSubAgentsOfSubAgents"},
		"sub_agent.tools":              {test: "runner/conversation.TestSubAgentTools"},
		"sub_agent_modes":              {test: "runner/conversation.TestSubAgentModes"},
	}
	maps.Copy(list, blocksInForce())
	maps.Copy(list, contestantsInForce())
	maps.Copy(list, taskKeysInForce())
	return list
}

// blocksInForce is the part of the list for sandboxes and what is named.
func blocksInForce() map[string]force {
	box, hook := section("Sandbox", ""), section("Hooks", "")
	reminder := section("System Reminders", "")
	output, cut := section("Output Processing", "### bash\n"), section("Output Processing", "### bash\nmax_lines: 4\n")
	profile, compare := section("Model Profiles", "### test/model\n"), section("Comparison", "")
	criteria := section("Success Criteria", "")
	return map[string]force{
		"sandbox.filesystem":  box("filesystem: project_only", "filesystem: read_only"),
		"sandbox.network":     box("network: none", "network: full"),
		"sandbox.allow_hosts": box("network: allow\nallow_hosts: a.example", "network: allow\nallow_hosts: b.example"),
		"sandbox.allow_local_fetch": box("network: allow\nallow_hosts: a.example",
			"network: allow\nallow_hosts: a.example\nallow_local_fetch: true"),
		"sandbox.backend":         {test: "cmd/cookoff.backends.txtar"},
		"sandbox.isolation":       {test: "cmd/cookoff.backends.txtar"},
		"sandbox.image":           box("image: debian:12", "image: debian:13"),
		"sandbox.memory":          box("memory: 1GiB", "memory: 2GiB"),
		"sandbox.processes":       box("processes: 20", "processes: 30"),
		"sandbox.disk":            box("disk: 1GiB", "disk: 2GiB"),
		"sandbox.file_size":       box("file_size: 1MiB", "file_size: 2MiB"),
		"sandbox.mounts":          {test: "cmd/cookoff.mounts.txtar"},
		"sandbox.root":            {test: "cmd/cookoff.own_root.txtar"},
		"sandbox.user":            {test: "cmd/cookoff.own_root.txtar"},
		"sandbox.prepare":         {test: "cmd/cookoff.prepare.txtar"},
		"sandbox.prepare_timeout": {test: "cmd/cookoff.prepare.txtar"},
		"sandbox.warm":            {test: "cmd/cookoff.warm.txtar"},
		"sandbox.env":             box("env: A=1", "env: A=2"),

		"system_reminders.name": reminder("### a\ntrigger: step == 2\n\nHurry.",
			"### b\ntrigger: step == 2\n\nHurry."),
		"system_reminders.trigger": reminder("### a\ntrigger: step == 2\n\nHurry.",
			"### a\ntrigger: step == 3\n\nHurry."),
		"system_reminders.content": reminder("### a\ntrigger: step == 2\n\nHurry.",
			"### a\ntrigger: step == 2\n\nRest."),

		"hooks.name": hook("### a\nevent: pre_tool_use\ncommand: 'true'",
			"### b\nevent: pre_tool_use\ncommand: 'true'"),
		"hooks.event": hook("### a\nevent: pre_tool_use\ncommand: 'true'",
			"### a\nevent: session_start\ncommand: 'true'"),
		"hooks.matcher": hook("### a\nevent: pre_tool_use\nmatcher: bash\ncommand: 'true'",
			"### a\nevent: pre_tool_use\nmatcher: read_*\ncommand: 'true'"),
		"hooks.action": {only: "command"},
		"hooks.command": hook("### a\nevent: pre_tool_use\ncommand: 'true'",
			"### a\nevent: pre_tool_use\ncommand: 'test -e gone'"),
		"hooks.timeout": hook("### a\nevent: pre_tool_use\ncommand: 'true'\ntimeout: 8s",
			"### a\nevent: pre_tool_use\ncommand: 'true'\ntimeout: 9s"),
		"hooks.inject_output": hook("### a\nevent: post_tool_use\ncommand: many\ninject_output: false",
			"### a\nevent: post_tool_use\ncommand: many\ninject_output: true"),

		"output_processing.max_lines":  output("max_lines: 4", "max_lines: 5"),
		"output_processing.max_tokens": output("max_tokens: 40", "max_tokens: 50"),
		"output_processing.truncation": cut("truncation: head", "truncation: tail"),
		"output_processing.truncation_message": cut("truncation_message: cut",
			"truncation_message: \"{line_count} lines\""),

		"model_profiles.context_budget": section("System Reminders",
			"### r\ntrigger: context_usage > 0.5\n\nHurry.\n\n## Model Profiles\n"+
				"### test/model\n")("context_budget: 100000",
			"context_budget: 15"),
		"model_profiles.tool_format":      profile("tool_format: native", "tool_format: text_in_prompt"),
		"model_profiles.system_role":      profile("system_role: true", "system_role: false"),
		"model_profiles.mid_convo_system": {test: "runner/conversation.TestProfilesChangeHowAModelIsSpokenTo"},

		"success_criteria.kind":    criteria("- has_writes", "- no_errors"),
		"success_criteria.text":    criteria("- contains: done", "- contains: gone"),
		"success_criteria.limit":   criteria("- max_tool_calls: 3", "- max_tool_calls: 2"),
		"success_criteria.timeout": criteria("- run(timeout=5): true", "- run(timeout=6): true"),
		"success_criteria.path":    {test: "verify/judge.TestCriteria"},

		"comparison.trials": compare("trials: 1", "trials: 2"),
		"comparison.baseline": section("Models",
			"- test/model\n- test/other\n\n## Comparison\n")("baseline: test/model", "baseline: test/other"),
		"comparison.confidence":    compare("confidence: 0.95", "confidence: 0.9"),
		"comparison.seed":          compare("seed: 1", "seed: 2"),
		"comparison.order":         {only: "interleaved"},
		"comparison.until_decided": {test: "cmd/cookoff.until.txtar"},
		"comparison.alpha":         {test: "cmd/cookoff.until.txtar"},
		"comparison.delta":         {test: "cmd/cookoff.until.txtar"},

		"metadata.name":         labelled(section("Metadata", "")("name: a", "name: b")),
		"metadata.description":  labelled(section("Metadata", "")("description: a", "description: b")),
		"metadata.tags":         labelled(section("Metadata", "")("tags: a", "tags: a, b")),
		"metadata.author":       labelled(section("Metadata", "")("author: a", "author: b")),
		"metadata.version":      labelled(section("Metadata", "")("version: 1.0", "version: 1.1")),
		"metadata.extends":      {test: "recipe.TestExtendsABuiltin"},
		"metadata.contribute":   {test: "cmd/cookoff.share.txtar"},
		"metadata.project_root": section("Metadata", "")("project_root: a", "project_root: b"),
	}
}

// taskKeysInForce is the part of the list for tasks and verify blocks.
func taskKeysInForce() map[string]force {
	fence := func(info string) func(was, is string) force {
		return func(was, is string) force {
			return behind("```"+info+"\n"+was+"\n```\n", "```"+info+"\n"+is+"\n```\n")
		}
	}
	limit := func(role, script string) force {
		one := "\n### Second\nDo it.\n\n```sh after\ntest -e done\n```\n```sh %s timeout=%s\n%s\n```\n"
		return behind(fmt.Sprintf(one, role, "5m", script), fmt.Sprintf(one, role, "4m", script))
	}
	second := "\n### Second\nDo it.\n\n```sh after\ntest -e done\n```\n"
	list := map[string]force{
		"tasks.title": behind("\n### A\nDo it.\n\n```sh after\ntrue\n```\n",
			"\n### B\nDo it.\n\n```sh after\ntrue\n```\n"),
		"tasks.prompt": behind(second, strings.Replace(second, "Do it.", "Do that.", 1)),
		"tasks.setup":  behind(second+"```sh setup\ntouch a\n```\n", second+"```sh setup\ntouch b\n```\n"),
		"tasks.before": behind(second+"```sh before\n! test -e a\n```\n",
			second+"```sh before\n! test -e b\n```\n"), "tasks.after.script": fence("sh after")("true", "test -e gone"),
		"tasks.after.live":   behind("```sh after\ntrue\n```\n", "```sh after live\ntrue\n```\n"),
		"tasks.guard.script": fence("sh guard")("true", "! test -e done"),
		"tasks.guard.live":   behind("```sh guard\ntrue\n```\n", "```sh guard live\ntrue\n```\n"),
		"tasks.solution": behind(second+"```sh solution\ntouch done\n```\n",
			second+"```sh solution\ntouch other\n```\n"),
		"tasks.limits.setup":    limit("setup", "touch a"),
		"tasks.limits.before":   limit("before", "! test -e done"),
		"tasks.limits.solution": limit("solution", "touch done"),
		"tasks.after.timeout":   limit("after", "true"),
		"tasks.guard.timeout":   limit("guard", "true"),
		"tasks.after.env":       behind("```sh after A=1\ntrue\n```\n", "```sh after A=2\ntrue\n```\n"),
		"tasks.guard.env":       behind("```sh guard A=1\ntrue\n```\n", "```sh guard A=2\ntrue\n```\n"),
		"tasks.env":             behind("\nenv: A=1\n", "\nenv: A=2\n"),
		"tasks.judge_env":       behind("\njudge_env: A=1\n", "\njudge_env: A=2\n"),
		"tasks.protect":         behind("\nprotect: state\n", "\nprotect: done\n"),
		"tasks.others":          {test: "verify.TestFootprint"},
		"tasks.shortcuts":       {test: "cmd/cookoff.shortcut.txtar"},
		"tasks.needs":           {test: "cmd/cookoff.vary.txtar"},
		"tasks.vary":            {test: "cmd/cookoff.vary.txtar"},
		"tasks.may_change":      {test: "verify.TestTrapsAllowed"},
		"tasks.may_add":         {test: "verify.TestTrapsAllowed"},
		"tasks.path":            behind("\npath: ~/a\n", "\npath: ~/b\n"),
		"tasks.hidden":          behind("\nhidden: a\n", "\nhidden: b\n"),
		"tasks.judge":           {test: "cmd/cookoff.patch.txtar"},
		"tasks.judge_files":     {test: "cmd/cookoff.judge_files.txtar"},
		"tasks.probe":           {test: "cmd/cookoff.repair.txtar"},
		"tasks.timeout":         behind("\ntimeout: 5m\n", "\ntimeout: 3s\n"),
		"tasks.max_steps":       behind("\nmax_steps: 9\n", "\nmax_steps: 1\n"),
		"tasks.tools":           behind("\ntools: bash\n", "\ntools: bash, read_file\n"),
		"tasks.verify_env":      {test: "verify/attacks.TestNativeAttacks"},
		"tasks.image":           behind("\nimage: debian:12\n", "\nimage: debian:13\n"),
		"tasks.tags":            labelled(behind("\ntags: a\n", "\ntags: b\n")),
		"tasks.repair":          {test: "cmd/cookoff.TestLibraryTable"},
		"tasks.harbor":          {test: "cmd/cookoff.harbor_run.txtar"},
		"tasks.plant":           {test: "cmd/cookoff.variants.txtar"},
		"tasks.variants":        {test: "cmd/cookoff.variants.txtar"},
		"tasks.seed":            {test: "cmd/cookoff.variants.txtar"},
		"tasks.faults":          {test: "cmd/cookoff.variants.txtar"},
		"tasks.below":           {test: "cmd/cookoff.variants.txtar"},
		"tasks.network":         {test: "runner/force.TestANetworkThatATaskRefuses"},
		"tasks.memory":          behind("\nmemory: 1GiB\n", "\nmemory: 2GiB\n"),
		"tasks.disk":            behind("\ndisk: 1GiB\n", "\ndisk: 2GiB\n"),
		"tasks.project":         {test: "cmd/cookoff.base.txtar"},
		"tasks.base":            {test: "cmd/cookoff.base.txtar"},
		"tasks.date":            {test: "cmd/cookoff.split.txtar"},
		"tasks.mounts":          {test: "cmd/cookoff.mounts.txtar"},
		"tasks.root":            {test: "cmd/cookoff.own_root.txtar"},
		"tasks.user":            {test: "cmd/cookoff.own_root.txtar"},
		"tasks.prepare":         {test: "cmd/cookoff.prepare.txtar"},
		"tasks.warm":            {test: "cmd/cookoff.warm.txtar"},
	}
	for _, key := range []string{"name", "command", "ready", "down", "timeout", "env"} {
		list["tasks.services."+key] = force{test: "cmd/cookoff.services.txtar"}
	}
	for _, key := range []string{"mode", "command", "pattern", "patterns", "version_format", "reason", "exit_code",
		"version", "version_command", "stream", "timeout", "live", "binary",
		"additional.command", "additional.pattern", "additional.patterns", "additional.exit_code",
		"additional.stream"} {
		where := "verify/judge.TestEveryKeyDecides"
		if key == "reason" {
			where = "verify/judge.TestReasonDecides"
		}
		list["tasks.verify."+key] = force{test: where}
		list["verify."+key] = force{was: "## Verify\n```toml\ncommand = \"true\"\nmode = \"functional\"\n" +
			"reason = \"r\"\n```\n\n",
			is:   "## Verify\n```toml\ncommand = \"test -e gone\"\nmode = \"functional\"\nreason = \"r\"\n```\n\n",
			test: where}
	}
	return list
}

// leaves gives the keys of a schema.
func leaves(key string, s map[string]any) []string {
	switch {
	case s["items"] != nil:
		return leaves(key, s["items"].(map[string]any))
	case s["properties"] != nil:
		var out []string
		for _, name := range slices.Sorted(maps.Keys(s["properties"].(map[string]any))) {
			out = append(out, leaves(strings.TrimPrefix(key+"."+name, "."),
				s["properties"].(map[string]any)[name].(map[string]any))...)
		}
		return out
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		return leaves(key, more)
	}
	return []string{key}
}

// TestEveryKeyIsInForce walks all keys of the format, as the types have them:
// each must be in the list, and what the list says of it must hold.
func TestEveryKeyIsInForce(t *testing.T) {
	list := inForce()
	keys := leaves("", recipe.Schema())
	for _, key := range keys {
		f, ok := list[key]
		if !ok {
			t.Errorf("nothing shows that %q is in force: add it to the list", key)
			continue
		}
		t.Run(key, func(t *testing.T) { f.check(t, key) })
	}
	for key := range list {
		if !slices.Contains(keys, key) {
			t.Errorf("the list has %q, which is no key", key)
		}
	}
}

func (f force) check(t *testing.T, key string) {
	project := t.TempDir()
	for _, dir := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(project, dir, "in-"+dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if f.only != "" {
		f.checkOnly(t, key)
		return
	}
	if f.test != "" {
		exists(t, f.test)
	}
	switch {
	case f.was == f.is && f.test == "":
		t.Fatal("nothing shows it")
	case f.label:
		f.checkLabel(t, key, project)
	case f.was != f.is:
		was, is := observe(t, f.text(f.was), project), observe(t, f.text(f.is), project)
		if was == is {
			t.Error("a run is the same whatever it says")
		}
		if again := observe(t, f.text(f.was), project); again != was {
			t.Errorf("two runs of the same recipe differ: this shows nothing: %s", cmp.Diff(was, again))
		}
	}
}

// text gives a recipe of which the sections, or the end, are given.
func (f force) text(part string) string {
	if f.tail {
		return runnertest.Recipe("") + part
	}
	if strings.HasPrefix(part, "# ") {
		return strings.Replace(runnertest.Recipe(""), "# Mend\n", part+"\n", 1)
	}
	text := runnertest.Recipe(part)
	if strings.HasPrefix(part, "## Models") {
		text = strings.Replace(text, "## Models\n- test/model\n\n", "", 1)
	}
	return text
}

// checkLabel: what describes something is shown, and changes no run.
func (f force) checkLabel(t *testing.T, key, project string) {
	shown := func(part string) string {
		r, err := recipe.ParseContent([]byte(f.text(part)))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, v := range r.Values() {
			if strings.HasPrefix(v.Key, strings.Replace(key, "tasks.", "tasks[0].", 1)) {
				fmt.Fprintln(&out, v.Key, v.Text)
			}
		}
		return out.String()
	}
	if was, is := shown(f.was), shown(f.is); was == is || was == "" {
		t.Errorf("it is not shown: %q, %q", was, is)
	}
	if was, is := observe(t, f.text(f.was), project), observe(t, f.text(f.is), project); was != is {
		t.Error("it changes a run: it is no label")
	}
}

// checkOnly: a key with one value takes that one alone.
func (f force) checkOnly(t *testing.T, key string) {
	s := recipe.Schema()
	for part := range strings.SplitSeq(key, ".") {
		if items, ok := s["items"].(map[string]any); ok {
			s = items
		}
		s = s["properties"].(map[string]any)[part].(map[string]any)
	}
	if words := fmt.Sprint(s["enum"]); words != "["+f.only+"]" {
		t.Errorf("it takes %s, and nothing shows what they do", words)
	}
}

// exists tells whether there is a test of that name: package.Test, or a script.
func exists(t *testing.T, name string) {
	t.Helper()
	dir, test, _ := strings.Cut(name, ".")
	if strings.HasSuffix(test, ".txtar") {
		if _, err := os.Stat(filepath.Join("..", "..", "testdata", "script", test)); err != nil {
			t.Errorf("there is no script %s", test)
		}
		return
	}
	files, _ := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
	is := regexp.MustCompile(fmt.Sprintf(`(?m)^func %s\(t \*testing\.T\)`, test))
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil && is.Match(content) {
			return
		}
	}
	t.Errorf("there is no test %s in %s", test, dir)
}
