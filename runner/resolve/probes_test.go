package resolve_test

import (
	"testing"

	"cookoff/model"
	"cookoff/recipe"
	"cookoff/runner/resolve"
	"cookoff/tools/probe"
	"cookoff/tools/repair"
)

// TestMatcherLooksForItself: the doctor that goes by rules believes what a task
// says was found only where it is offered no probe to look with.
func TestMatcherLooksForItself(t *testing.T) {
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	repairs, err := lib.Select([]string{"crlf-line-ends", "git-index-lock"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(finding, want string, globs ...string) {
		t.Helper()
		task := &resolve.Task{Task: recipe.Task{Probe: finding}, Repairs: repairs}
		req := &model.Request{}
		for _, r := range repairs {
			req.Tools = append(req.Tools, r.Tool(repair.ToolOptions{}).Spec())
		}
		if len(globs) > 0 {
			if task.Probes, err = probe.Select(globs); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range task.Probes {
			req.Tools = append(req.Tools, p.Tool().Spec())
		}
		reply, err := resolve.MatcherFor(task).Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range reply.Message.Calls {
			got += c.Name + c.Arguments
		}
		if got != want {
			t.Errorf("%q with %q: %s, want %s", finding, globs, got, want)
		}
	}
	check("crlf Path=a", `repair_crlf_line_ends{"Path":"a"}`)
	check("crlf Path=a", `repair_crlf_line_ends{"Path":"a"}`, "git-lock")
	check("crlf Path=a", "probe_crlf{}probe_git_lock{}", "git-lock", "crlf")
	check("", "probe_crlf{}", "crlf")
	check("", "")
}
