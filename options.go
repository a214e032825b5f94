package cookoff

import (
	"context"
	"io"
	"time"

	"cookoff/internal/host"
	"cookoff/internal/played"
	"cookoff/runner"
	"cookoff/trial"
	"cookoff/trial/final"
)

// Options say what a comparison is made with. With the zero value it is as the
// recipe and the user's configuration say, in the working directory; nobody is
// told or asked anything, so that a recipe from elsewhere is refused.
type Options struct {
	Dir     string              // where recipe and project are looked for; "": the working directory
	Getenv  func(string) string // gives keys and places of files; nil: os.Getenv
	Config  string              // a file of configuration instead of the user's own
	Sandbox string              // the backend, by name; "": as recipe and configuration say
	Locked  bool                // git sources are as recipe.lock has them, or it is an error
	Build   bool                // podman or docker builds the images of tasks for Harbor

	Models  []string // compare these instead of the recipe's
	Trials  int      // of each model with each task; 0: as the recipe says
	Seed    int64    // that tasks are drawn from, and intervals; 0: as the recipe says
	Until   Until    // the question that the run ends with
	Repairs []string // directories of further repairs
	Allow   []string // what the recipe may do beside what the configuration allows
	// Select gives those of the recipe's tasks that are run, in their order; nil:
	// all. Its error is Open's.
	Select func(tasks []string) ([]string, error)
	Shard  *trial.Shard // the part of the comparison that Select gives, for the record; nil: all of it

	// Hosts are the machines that trials run on, by their names in the configuration;
	// "local" is this one. None: this one alone.
	Hosts []string
	// CopySelf has all of them run this very program, which is sent there.
	CopySelf bool

	Parallel     int           // trials under way at once; 0: as many as their providers take requests
	Retries      int           // new attempts of a void trial
	MaxCost      float64       // USD that a run may spend; 0: any
	ProviderWait time.Duration // for a provider that is silent; 0: 10 minutes
	StopOnLoss   bool          // end the run when a provider is given up
	Unasked      bool          // providers are not asked beforehand whether they are there
	Keep         runner.Keep   // which final states are stored; "": all
	Outputs      []string      // files that the run writes for its user: no part of the project

	Offline bool          // keys need not be there: no model will be asked
	Dry     bool          // nothing will be run: nothing is trusted, nothing is made ready
	Record  bool          // keep what models are asked and answer beside the journal
	Replay  *Recorded     // the run whose recorded models answer
	Resume  *ResumedRun   // the run to go on with, as OpenRun gives it
	Front   *runner.Front // a person before a screen; nil: nobody
	States  *final.Writer // where final states are stored; nil: beside the journal

	// Spoken remembers which agents were tried, for several comparisons; nil: nobody does.
	Spoken *Spoken

	// Proving is told at which step Lint's proof of a task is, as a StepWatch is of Run's;
	// nil: nobody is.
	Proving func(task, step string)

	Notify  func(Notice)                                  // nil: nobody is told
	Confirm func(context.Context, Question) (bool, error) // nil: nothing is agreed to
	AtEnd   func(io.Closer)                               // takes what to close in the end; nil: Close does
	Clock   runner.Clock                                  // nil: the real one
}

// Spoken remembers which agents speak their protocol.
type Spoken = runner.Spoken

// Notice is something that whoever waits may want to know.
type Notice = host.Notice

// Recorded is a run of which it was kept what models were asked and answered.
type Recorded = played.Run

// FindRecorded reads the run that name means, of the project in dir, and what its
// models answered.
func FindRecorded(dir, name string) (*Recorded, error) { return played.Load(dir, name) }
