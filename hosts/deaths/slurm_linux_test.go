package deaths

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"cookoff/hosts/engine"
	"cookoff/sandbox"
)

// TestSlurm: however a step of Slurm ends, its worlds end, and the brain hears of it; an
// allocation that is made is given back.
func TestSlurm(t *testing.T) {
	dir := engines(t, "slurm")
	t.Setenv("SLURM_CONF", dir+"/slurm.conf")
	e := &engine.Engine{Env: os.Environ(), Hand: hand()}
	places, back, err := e.Find(t.Context(), "slurm:-N2 -n2 -t 9")
	if err != nil {
		t.Fatal(err)
	}
	if len(places) != 2 {
		t.Fatalf("the nodes are %v", places)
	}
	job := places[0].Command[3]
	on := func(t *testing.T, node int) *life { return begin(t, host(t, places[node].Command...)) }
	t.Run("client killed", func(t *testing.T) {
		l := on(t, 0)
		signal(t, client(t, "srun", "n1"), syscall.SIGKILL)
		l.ended(t)
	})
	t.Run("step killed", func(t *testing.T) {
		l := on(t, 0)
		signal(t, l.above(t, "slurmstepd", ""), syscall.SIGKILL)
		l.ended(t)
	})
	t.Run("daemon killed", func(t *testing.T) {
		l := on(t, 0)
		var pid int
		if text, err := os.ReadFile(dir + "/slurmd.n1.pid"); err != nil {
			t.Fatal(err)
		} else if _, err := fmt.Sscan(string(text), &pid); err != nil {
			t.Fatal(err)
		}
		signal(t, pid, syscall.SIGKILL)
		r, err := l.Exec(t.Context(), sandbox.Cmd{Script: "echo goes on"})
		if err != nil || strings.TrimSpace(string(r.Stdout)) != "goes on" {
			t.Errorf("%q %v", r.Stdout, err)
		}
		run(t, "/usr/sbin/slurmd", "-f", dir+"/slurm.conf", "-N", "n1")
	})
	t.Run("node down", func(t *testing.T) {
		l := on(t, 1)
		run(t, "scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test")
		l.ended(t) // and the node comes back by itself
	})
	if err := back.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(within); strings.Contains(run(t, "squeue", "-h", "-o", "%i"), job); {
		if time.Now().After(deadline) {
			t.Fatalf("the job %s was not given back", job)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Run("job cancelled", func(t *testing.T) {
		said, err := exec.Command("salloc", "-N1", "--no-shell", "-w", "n1").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		_, rest, _ := strings.Cut(string(said), "Granted job allocation ")
		job := strings.Fields(rest)[0]
		places, _, err := e.Find(t.Context(), "slurm:"+job)
		if err != nil {
			t.Fatal(err)
		}
		l := begin(t, host(t, places[0].Command...))
		run(t, "scancel", job)
		l.ended(t)
	})
}
