package tools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cookoff/sandbox"
)

const bashJobDoc = `Reads what a command that bash started with background true has printed since the last look, ` +
	`and says whether it still runs. ` +
	`With stop true the command is ended first.`

type jobArgs struct {
	Job  int  `json:"job" description:"the number that bash gave"`
	Wait int  `json:"wait,omitempty" description:"seconds to wait for it to print something or to end, at most 60; it is not waited for when absent"`
	Stop bool `json:"stop,omitempty" description:"end it, with everything it started"`
}

// runOrLaunch is bash where commands may run in the background.
func (b basher) runOrLaunch(ctx context.Context, sb sandbox.Sandbox, a bashBackArgs) (Result, error) {
	if !a.Background {
		return b.run(ctx, sb, bashArgs{a.Command, a.Timeout})
	}
	if a.Timeout != 0 {
		return Result{}, badArgs("timeout: a command in the background has none; hint: bash_job stops it")
	}
	script, err := b.script(bashArgs{Command: a.Command}, func(command string) string {
		return toDirectory + "unset __cwd; eval " + quote(command)
	})
	if err != nil {
		return Result{}, err
	}
	back, err := background(sb)
	if err != nil {
		return Result{}, err
	}
	n, err := back.Launch(ctx, sandbox.Cmd{Script: script, Else: true})
	if err != nil {
		return Result{}, fileFailed(err)
	}
	return Result{Text: fmt.Sprintf("started in the background as job %d", n), Wrote: true}, nil
}

func background(sb sandbox.Sandbox) (sandbox.Background, error) {
	back, ok := sb.(sandbox.Background)
	if !ok {
		return nil, sandbox.OfKinds("this sandbox runs nothing in the background", sandbox.ErrUnavailable)
	}
	return back, nil
}

// bashJob reads what a background job printed since the last look, after waiting for more
// where that is asked for, or stops the job.
func bashJob(ctx context.Context, sb sandbox.Sandbox, a jobArgs) (Result, error) {
	switch {
	case a.Job < 1:
		return Result{}, badArgs("job: %d is no number that bash gave", a.Job)
	case a.Wait < 0:
		return Result{}, badArgs("wait: %d is negative", a.Wait)
	}
	back, err := background(sb)
	if err != nil {
		return Result{}, err
	}
	wait := min(time.Duration(a.Wait)*time.Second, sandbox.MaxJobWait)
	var was sandbox.JobNews
	if a.Stop {
		// What it printed before tells whether it ended by itself.
		if was, err = back.Job(ctx, a.Job, 0); err == nil && !was.Ended {
			err = back.StopJob(ctx, a.Job)
			wait = sandbox.MaxJobWait
		}
	}
	var news sandbox.JobNews
	if err == nil {
		news, err = endOf(ctx, back, a, wait)
	}
	var fe *sandbox.FileError
	switch {
	case errors.As(err, &fe):
		return Result{}, failed("job %d: %s", a.Job, fe.Reason)
	case err != nil:
		return Result{}, err
	}
	text, cut := Output(sandbox.Result{Stdout: append(was.Output, news.Output...), Cut: was.Cut + news.Cut})
	stopped := a.Stop && !was.Ended
	switch {
	case !news.Ended:
		text += fmt.Sprintf("\n[job %d is running]", a.Job)
	case stopped:
		text += fmt.Sprintf("\n[job %d was stopped]", a.Job)
	default:
		end := ending(news.Result, 0)
		if end == "" {
			end = "[exit status 0]"
		}
		text += fmt.Sprintf("\n[job %d ended]\n%s", a.Job, end)
	}
	return Result{Text: text, Failed: news.Ended && !stopped && !news.Result.OK(), Cut: cut}, nil
}

// endOf asks for news. Of a job that was stopped, it waits for the end.
func endOf(ctx context.Context, back sandbox.Background, a jobArgs, wait time.Duration) (sandbox.JobNews, error) {
	news, err := back.Job(ctx, a.Job, wait)
	for range 8 {
		if err != nil || !a.Stop || news.Ended {
			break
		}
		var more sandbox.JobNews
		more, err = back.Job(ctx, a.Job, wait)
		more.Output, more.Cut = append(news.Output, more.Output...), news.Cut+more.Cut
		news = more
	}
	return news, err
}
