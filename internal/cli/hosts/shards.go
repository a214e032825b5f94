package hosts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cookoff/hosts/shards"
	"cookoff/internal/cli"
)

// maxParts bounds N.
const maxParts = 1000

// shardFlags are those of "shards".
type shardFlags struct {
	engine string
	usd    cli.USD
	job    shards.Job
}

func newShards(c *cli.Common) *cobra.Command {
	var f shardFlags
	cmd := &cobra.Command{
		Use:   "shards N --for ENGINE [-- ARGUMENT...]",
		Short: "Write a job that runs a comparison in N parts, by Slurm, Kubernetes, GitHub or parallel",
		Long: `Writes what runs a comparison in N parts by an engine, each a "cookoff run --shard
I/N" with these arguments, and makes one table of them: a script for Slurm (an array)
or GNU parallel, an Indexed Job for Kubernetes, a workflow for GitHub. Nothing is run.
--max-total-cost is shared out: each part may spend an N-th.`,
		Example: `  cookoff shards 8 --for slurm -- recipe.md --trials 3 > parts.sh
  cookoff shards 4 --for github --max-total-cost 20 > .github/workflows/compare.yml
  cookoff shards 16 --for kubernetes --image registry/cookoff:1 | kubectl apply -f -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.engine, "for", "", "the `ENGINE`: "+strings.Join(shards.Engines(), ", "))
	cli.MaxTotalCost(cmd, &f.usd, "share these `USD` out among the parts")
	fl.StringVar(&f.job.Image, "image", "cookoff:latest", "with kubernetes: the `IMAGE` of a part")
	fl.StringVar(&f.job.Claim, "claim", "project", "with kubernetes: the volume claim `NAME` that has the project")
	fl.StringVar(&f.job.Keys, "keys", "keys", "with kubernetes: the secret `NAME` with the keys of providers")
	return cmd
}

func (f *shardFlags) run(c *cli.Common, args []string) error {
	if err := cli.OneOf("for", f.engine, shards.Engines()...); err != nil {
		return err
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > maxParts {
		return cli.Usage("%q parts: give a number from 1 to %d", args[0], maxParts)
	}
	for _, flag := range []string{"--shard", "--max-total-cost", "--until-decided", "--watch"} {
		if slices.ContainsFunc(args[1:], func(a string) bool { return a == flag || strings.HasPrefix(a, flag+"=") }) {
			return cli.Usage("%s is no argument of parts\n"+
				"  hint: --max-total-cost before the -- is shared out among them", flag)
		}
	}
	f.job.Parts, f.job.Args = n, args[1:]
	if usd := float64(f.usd); usd > 0 {
		f.job.Args = append(f.job.Args, fmt.Sprintf("--max-total-cost=%.6g", usd/float64(n)))
		c.Say("each part may spend $%.6g, an equal share of $%.6g: what one does not need, no other one gets",
			usd/float64(n), usd)
	}
	text, err := f.job.For(f.engine)
	if err != nil {
		return cli.Fail(cli.ExitUsage, err)
	}
	_, err = fmt.Fprint(c.Out, text)
	return cli.Written(err)
}

// newManifest is "hosts manifest".
func newManifest(c *cli.Common) *cobra.Command {
	var image string
	var replicas int
	cmd := &cobra.Command{
		Use:   "manifest",
		Short: "Write a StatefulSet of pods for --hosts kubernetes:app=hands",
		Long: `Writes a StatefulSet of pods in which sandboxes can be opened by a user who is not
root and has no capability. The image must have this very cookoff on PATH. It says
which clusters refuse such pods. Nothing is sent to a cluster.`,
		Example: `  cookoff hosts manifest --image registry/cookoff:1 --replicas 4 | kubectl apply -f -`,
		Args:    cli.Positional(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			if replicas < 1 || replicas > maxParts {
				return cli.Usage("--replicas %d: give a number from 1 to %d", replicas, maxParts)
			}
			text, err := shards.Hands(replicas, image)
			if err == nil {
				_, err = fmt.Fprint(c.Out, text)
			}
			return cli.Written(err)
		},
	}
	cmd.Flags().StringVar(&image, "image", "cookoff:latest", "the `IMAGE` of a pod")
	cmd.Flags().IntVar(&replicas, "replicas", 2, "`N` pods")
	return cmd
}
