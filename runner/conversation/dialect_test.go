// Package conversation_test has the tests of what models are told in a run, and of what comes of
// what they say: dialects, compaction, reminders, hooks, sub-agents and people who sit in front.
package conversation_test

import (
	"strings"
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/runnertest"
	"cookoff/runner/v1"

	"github.com/google/go-cmp/cmp"
)

func TestProfilesChangeHowAModelIsSpokenTo(t *testing.T) {
	const reminder = "## System Reminders\n### r\ntrigger: step == 2\n\nHurry.\n\n"
	check := func(profile, wantFirst, wantSecond, wantAside string) {
		t.Helper()
		b, c := runnertest.Quick(t, runnertest.Bash(1, "a"), runnertest.Say("done"))
		b.One(runnertest.Recipe(reminder + "## Model Profiles\n### test/model\n" + profile + "\n"))
		last := c.Seen[1].Messages[len(c.Seen[1].Messages)-1].Content
		if got := runnertest.Roles(c.Seen[0]); got != wantFirst {
			t.Errorf("%s: first request: %s", profile, got)
		}
		if got := runnertest.Roles(c.Seen[1]); got != wantSecond || last != wantAside {
			t.Errorf("%s: second request: %s, %q", profile, got, last)
		}
	}
	const tag = "<system-reminder>\nHurry.\n</system-reminder>"
	check("context_budget: 1000\n", "system user", "system user assistant tool user", tag)
	check("mid_convo_system: true\n", "system user", "system user assistant tool system", "Hurry.")
	check("mid_convo_system: false\n", "system user", "system user assistant tool user", tag)
	check("system_role: true\n", "system user", "system user assistant tool user", tag)
	check("system_role: false\n", "user", "user assistant tool user", tag)
}

func TestAModelWithoutSystemMessagesIsToldTheSame(t *testing.T) {
	whole := func(profile string) string {
		b, c := runnertest.Quick(t, runnertest.Say("done"))
		b.One(runnertest.Recipe(profile))
		var text []string
		for _, m := range c.Seen[0].Messages {
			text = append(text, m.Content)
		}
		return strings.Join(text, "\n\n")
	}
	if d := cmp.Diff(whole(""), whole("## Model Profiles\n### test/model\nsystem_role: false\n\n")); d != "" {
		t.Error(d)
	}
}

func TestToolFormats(t *testing.T) {
	check := func(format string, tools, functions bool) {
		t.Helper()
		b, c := runnertest.Quick(t, runnertest.Say("done"))
		b.One(runnertest.Recipe("## Model Profiles\n### test/model\ntool_format: " + format + "\n\n"))
		if req := c.Seen[0]; req.Tools != nil != tools || req.Functions != functions {
			t.Errorf("%s: tools %v, functions %v", format, req.Tools != nil, req.Functions)
		}
	}
	check("native", true, false)
	check("function_calling", true, true)
	check("text_in_prompt", false, false)
}

func TestHookContextIsAnAside(t *testing.T) {
	check := func(event, profile, want string) {
		t.Helper()
		c := &runnertest.Chat{Steps: []any{runnertest.Bash(1, "a"), runnertest.Say("done")}}
		b := runnertest.New(t, map[string]model.Chat{"test/model": c})
		b.One(runnertest.Recipe("## Hooks\n### h\nevent: " + event + "\ncommand: echo look up\ninject_output: true\n\n" +
			profile))
		var got []string
		for _, m := range c.Seen[len(c.Seen)-1].Messages {
			if strings.Contains(m.Content, "look up") {
				got = append(got, string(m.Role)+": "+m.Content)
			}
		}
		if d := cmp.Diff([]string{want}, got); d != "" {
			t.Errorf("%s: %s", event, d)
		}
	}
	const tag = "<hook-context>\nlook up\n</hook-context>"
	check("session_start", "", "user: Make a file called done.\n\n"+tag)
	check("pre_tool_use", "", "user: "+tag)
	check("post_tool_use", "", "user: "+tag)
	check("post_tool_use", "## Model Profiles\n### test/*\nmid_convo_system: true\n\n", "system: look up")
}

func TestTheNearestProfileIsTaken(t *testing.T) {
	r := &recipe.Recipe{ModelProfiles: map[string]recipe.ModelProfileConfig{"**": {}, "a/*": {},
		"a/b*": {}, "a/bc": {}}}
	check := func(id, want string) {
		t.Helper()
		if got := v1.ProfileOf(r, id); got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	check("a/bc", "a/bc")
	check("a/bcd", "a/b*")
	check("a/x", "a/*")
	check("a/x/y", "**")
	check("z/z", "**")
}

func TestProfilesAreChecked(t *testing.T) {
	b, _ := runnertest.Quick(t)
	check := func(profile string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, problems(b, runnertest.Recipe("## Model Profiles\n"+profile))); d != "" {
			t.Errorf("%s:\n%s", profile, d)
		}
	}
	check("### test/model\ncontext_budget: 10\n\n")
	check("### tset/model\ncontext_budget: 10\n\n",
		`recipe.md:8:5: warning: profile "tset/model" is of none of this recipe's models`)
	check("### *\ncontext_budget: 10\n\n", `recipe.md:8:5: warning: profile "*" is of none of this recipe's models`)
	check("### **\nsystem_role: false\nmid_convo_system: true\n\n",
		"recipe.md:10:19: a model without system_role can't have mid_convo_system")
}
