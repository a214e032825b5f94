// Package shards writes what runs the parts of a comparison by an engine, without a
// brain: each part is a "cookoff run --shard I/N" of its own, and "cookoff report"
// makes one table of them.
package shards

import (
	"fmt"
	"strings"

	"cookoff/shell"
)

// Job is a comparison in parts.
type Job struct {
	Parts int
	Args  []string // of "cookoff run", without --shard
	Image string   // of a pod
	Claim string   // the volume of a pod that has the project
	Keys  string   // the secret of a pod with the keys of providers
}

// Engines are what Job can be written for.
func Engines() []string { return []string{"slurm", "kubernetes", "github", "parallel"} }

// For writes the job for an engine, one of Engines.
func (j Job) For(engine string) (string, error) {
	run, err := shell.Quote(append([]string{"cookoff", "run"}, j.Args...))
	if err != nil {
		return "", fmt.Errorf("an argument that no shell can be given: %w", err)
	}
	switch engine {
	case "slurm":
		return filled(slurm, j.Parts, run), nil
	case "parallel":
		inner, err := shell.Quote([]string{run + " --shard {}/" + fmt.Sprint(j.Parts)})
		if err != nil {
			return "", err
		}
		return filled(parallel, j.Parts, inner), nil
	case "github":
		if strings.Contains(run, "${{") {
			return "", fmt.Errorf("an argument holds ${{, which GitHub would take for its own")
		}
		return j.github(run)
	case "kubernetes":
		return j.kubernetes(run)
	}
	return "", fmt.Errorf("no shards are written for %q", engine)
}

// filled puts the number of parts and the command into a text.
func filled(text string, parts int, run string) string {
	return strings.NewReplacer("@PARTS@", fmt.Sprint(parts), "@RUN@", run).Replace(text)
}

// markStart marks when parts were started: reports are of the runs after it.
const markStart = `mkdir -p .cookoff/shards .cookoff/runs
: > .cookoff/shards/begun
`

// printTable makes one table of the parts.
const printTable = `parts=$(find .cookoff/runs -mindepth 1 -maxdepth 1 -type d -newer .cookoff/shards/begun)
[ -n "$parts" ] || { echo "no part has run: .cookoff/shards/*.out say why" >&2; exit 3; }
# It names parts that are missing.
# shellcheck disable=SC2086 # ids of runs have no blanks
exec cookoff report $parts
`

const slurm = `#!/bin/sh
# Runs a comparison in @PARTS@ parts, by an array of Slurm, and prints one table. The
# project must lie on a file system that all nodes share.
set -eu
` + markStart + `job=$(sbatch --parsable --job-name=cookoff --array=1-@PARTS@ --output=.cookoff/shards/%a.out <<'END'
#!/bin/sh
exec @RUN@ --shard "$SLURM_ARRAY_TASK_ID/@PARTS@"
END
)
job=${job%%;*}
trap 'scancel "$job"; exit 130' INT TERM
# sbatch --wait would look with growing pauses, and squeue fails once the job is forgotten.
while :; do
  if said=$(squeue --noheader --jobs="$job" --format=%i 2>&1); then
    [ -n "$said" ] || break
  else
    case $said in *"nvalid job id"*) break ;; esac
  fi
  sleep 2
done
` + printTable

const parallel = `#!/bin/sh
# Runs a comparison in @PARTS@ parts, by GNU parallel, and prints one table. Its arguments
# are parallel's, as --jobs 4, or --sshlogin A,B where the project's directory is shared.
set -u
` + markStart + `parallel --workdir "$PWD" --results .cookoff/shards/{}.out "$@" @RUN@ ::: $(seq @PARTS@)
` + printTable
