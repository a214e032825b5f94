package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cookoff/hooks"
	"cookoff/model"
	"cookoff/runner/reminder"
	"cookoff/runner/toolset"
	"cookoff/runner/v1"
	"cookoff/trial"
)

// Loop is the conversation of one attempt, or of a sub-agent in it.
type Loop struct {
	*base
	*conversation
	requests  *requests
	calls     *toolCalls
	reminders []reminder.Armed
	manual    []string // reminders asked for by hand, to be looked at once
	unusable  int      // replies in a row
	cut       int      // replies in a row that ended at the token limit
	sentBack  int      // times in a row, by hooks, without a call in between
	again     bool     // it was sent back after it was done
	agents    int      // sub-agents it has had
	answered  string
	output    int // tokens of the last reply
}

// base is what all parts of a conversation work with.
type base struct {
	*Config
	*account
	id    string // of the model
	depth int    // 0: the contestant itself
}

// New begins a conversation, or goes on with the one before.
func New(cfg *Config) *Loop {
	b := &base{Config: cfg, account: &account{calls: map[string]int{}}, id: cfg.Model}
	l := b.loop(cfg.Tools)
	system := v1.System(cfg.Recipe, cfg.Tools.Specs)
	if cfg.Before == nil {
		l.open(system, cfg.Prompt)
		return l
	}
	cfg.Before.adopt(l.headOf(system))
	l.resume(cfg.Before, system, cfg.Prompt)
	return l
}

// loop makes one that is offered tools.
func (b *base) loop(set *toolset.Set) *Loop {
	who := b.Speaker(b.id)
	m := manner{b, who.Traits}
	c := &conversation{History: newHistory(), dialect: m.dialect(), set: set}
	l := &Loop{base: b, conversation: c, reminders: reminder.Arm(b.Reminders)}
	l.requests = &requests{manner: m, conversation: c, chat: who.Chat}
	l.calls = &toolCalls{base: b, conversation: c}
	l.offerAgents()
	l.requests.caveats()
	return l
}

// Messages is what was said.
func (l *Loop) Messages() *History { return l.History }

// Used is what a trial has used, sub-agents included.
type Used struct {
	Calls map[string]int // by tool
	Wrote int            // calls that may have changed files
	Time  time.Duration  // of the loop
}

// Used gives what was used up to now.
func (l *Loop) Used() Used { return Used{l.account.calls, l.wrote, l.used} }

// Cost is what the trial has cost in USD, if that is known.
func (l *Loop) Cost() (float64, bool) { return l.known() }

// Work lets the model work between the hooks of the session, and writes to the
// outcome how it ended. An error voids the trial.
func (l *Loop) Work(ctx context.Context) error {
	out := l.Outcome
	var err error
	out.Stop, out.Detail, err = joinStop("", "", l.begin(ctx, l.Before != nil))
	if out.Stop == trial.StopHalted || err != nil {
		return err
	}
	for rest := false; !rest; {
		out.Stop, out.Detail, err = l.run(ctx)
		out.Answer, out.Seconds.Agent = l.answered, l.used.Seconds()
		if err != nil || out.Stop == trial.StopCancelled {
			return err
		}
		l.Record.Step = 0
		rest, err = l.finished(ctx, hooks.Event{Point: hooks.PreVerify, Stop: string(out.Stop)}, out.Stop)
		if out.Stop, out.Detail, err = joinStop(out.Stop, out.Detail, err); err != nil {
			return err
		}
	}
	_, err = l.ask(ctx, hooks.Event{Point: hooks.SessionEnd, Stop: string(out.Stop)})
	return err
}

// errStop carries a Stop through the calls of a step.
type errStop struct {
	stop   trial.Stop
	detail string
}

func (e *errStop) Error() string { return string(e.stop) + ": " + e.detail }

// run lets the model work until it is done or a limit ends it. An error voids
// the trial: it is never the model's doing.
func (l *Loop) run(ctx context.Context) (trial.Stop, string, error) {
	for {
		err := l.step(ctx)
		var stop *errStop
		switch {
		case err == nil:
		case errors.As(err, &stop):
			return stop.stop, stop.detail, nil
		case errors.Is(context.Cause(ctx), ErrStopped):
			return trial.StopCancelled, ErrStopped.Error(), nil
		case ctx.Err() != nil:
			return trial.StopCancelled, "", ctx.Err()
		case errors.Is(err, context.DeadlineExceeded) && l.used >= l.Timeout:
			return trial.StopTimeout, fmt.Sprintf("the loop took its %s", l.Timeout), nil
		default:
			return trial.StopBroken, "", err
		}
	}
}

// step is one reply of the model and what it asked for.
func (l *Loop) step(ctx context.Context) error {
	if l.MaxSteps > 0 && l.Outcome.Steps >= l.MaxSteps {
		return &errStop{trial.StopMaxSteps, fmt.Sprintf("%d steps", l.MaxSteps)}
	}
	if err := l.heed(ctx); err != nil {
		return err
	}
	if err := l.makeRoom(ctx); err != nil {
		return err
	}
	if err := l.remind(); err != nil {
		return err
	}
	l.interject()
	if err := l.affordable(l.estimate()); err != nil {
		return err
	}
	l.Outcome.Steps++
	l.Record.Step = l.Outcome.Steps
	reply, err := l.next(ctx)
	if err != nil {
		return err
	}
	l.appendReply(reply)
	calls, wrong := l.callsOf(reply, l.Outcome.Steps)
	if ok, err := l.accepted(ctx, reply, calls); err != nil || !ok && usable(reply, calls) {
		return err
	}
	if len(calls) == 0 && (len(wrong) == 0 || reply.Finish == model.FinishLength) {
		return l.answer(reply)
	}
	l.cut = 0
	return l.callAll(ctx, calls, wrong)
}

// usable reports whether a reply says or asks for something.
func usable(r *model.Reply, calls []model.Call) bool {
	cut := r.Finish == model.FinishLength || r.Finish == model.FinishFilter
	return len(calls) > 0 || r.Message.Content != "" && !cut
}

// answer handles a reply without calls: the end, or a reply that is unusable.
func (l *Loop) answer(reply *model.Reply) error {
	switch {
	case reply.Finish == model.FinishFilter:
		return &errStop{trial.StopRefused, "the provider's content filter ended the reply"}
	case reply.Finish == model.FinishLength:
		if l.cut++; l.cut > 1 {
			return &errStop{trial.StopMalformed,
				strings.Join(append([]string{"two replies in a row were cut off at the token limit"}, reply.Notes...),
					": ")}
		}
		l.Record.Note("truncated", "the reply was cut off at the token limit")
		l.say(v1.Truncated)
		return nil
	case reply.Message.Content == "":
		if err := l.unusableReply("an empty reply"); err != nil {
			return err
		}
		l.say(v1.Empty)
		return nil
	}
	l.answered = reply.Message.Content
	return &errStop{trial.StopDone, ""}
}

func (l *Loop) unusableReply(what string) error {
	l.Outcome.Counters.Malformed++
	if l.unusable++; l.unusable >= v1.MaxUnusable {
		return &errStop{trial.StopMalformed, fmt.Sprintf("%d unusable replies in a row, the last %s", l.unusable, what)}
	}
	return nil
}

// appendReply appends a reply, which the journal has as model.replied. An empty one is
// sent back as one that says so: some servers reject a message without content.
func (l *Loop) appendReply(reply *model.Reply) {
	l.push(sendable(reply.Message))
	l.sent = len(l.messages)
	l.counted(reply.Usage)
	l.output = reply.Usage.Output
}

// sendable is a reply as it is sent back.
func sendable(m model.Message) model.Message {
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = readable(m.Calls[i].Arguments)
	}
	if m.Content == "" && len(m.Calls) == 0 {
		m.Content = v1.Nothing
	}
	return m
}

func (c *conversation) say(text string) {
	c.push(model.Message{Role: model.User, Content: text})
}
