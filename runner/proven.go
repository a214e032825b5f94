package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"cookoff/recipe"
	"cookoff/sandbox"
	"cookoff/trial"
	"cookoff/verify"
)

// Proofs remembers which tasks were admitted. It is safe for concurrent use.
type Proofs interface {
	// Known reports whether the task with this key was admitted before, and
	// gives what was learned then.
	Known(key string) (learned []byte, is bool)
	// Add remembers it. What can't be kept is proved again next time.
	Add(key string, learned []byte)
}

// proofKey gives the key of everything that the admission of a task depends
// on: the task, what is checked of every task, the sandbox, the project, and
// what Env.Proving says of the program and its tool chain. It is "" where an
// admission must not be remembered: with a network or the whole host, tomorrow
// may differ.
func (r *Runner) proofKey(t *task, project string) string {
	spec := r.spec(t, sandbox.Agent)
	if r.env.Proofs == nil || spec.Network != sandbox.NoNetwork && spec.Network != "" || spec.Filesystem == sandbox.Unrestricted {
		return ""
	}
	spec.Project = ""
	text, err := json.Marshal(struct {
		Version   int
		Proving   string
		Task      recipe.Task
		Shortcuts []verify.Shortcut
		Verify    []recipe.VerifyBlock
		Criteria  []recipe.Criterion
		Spec      sandbox.Spec
		Project   string
	}{r.version, r.env.Proving, t.Task, t.shortcuts, r.recipe.Verify, r.recipe.SuccessCriteria, spec, project})
	if err != nil { // plain values always encode
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// remember keeps an admission.
func (r *Runner) remember(key string, x *trial.Exclude, learned []byte) {
	if key != "" && x == nil {
		r.env.Proofs.Add(key, learned)
	}
}

// known reports whether a task was admitted before, and gives its checks what
// was learned then.
func (r *Runner) known(key string, t *task) bool {
	if key == "" {
		return false
	}
	learned, is := r.env.Proofs.Known(key)
	return is && t.checks.Learn(learned) == nil
}
