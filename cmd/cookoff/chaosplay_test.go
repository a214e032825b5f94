package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"cookoff/model"
	"cookoff/model/openai/openaitest"
)

// chaosRecipe is a run in which much happens that costs money: helpers, summaries,
// tries again, and jobs that live on.
const chaosRecipe = `# Chaos

version: 1

## Models

- openai/gpt-4o
- openai/gpt-4o-mini

## Tools

- bash

## Model Profiles

### openai/gpt-4o
context_budget: 10000

## Context
strategy: auto_compact

## Sub-Agent
max_depth: 1

## Model Parameters
max_tokens: 1000

## Constraints

- max_steps: 12
- timeout: 1m

## Tasks

### The greeting is wrong

Make the file say hello: greeting.

` + "```sh setup\necho bye > greeting\n```\n```sh before\n! grep -qx hello greeting\n```\n" +
	"```sh after\ngrep -qx hello greeting\n```\n```sh solution\necho hello > greeting\n```\n"

// chaosConfig lets a request that is made again be known for what it is.
const chaosConfig = "[providers.openai]\nidempotency_header = \"Idempotency-Key\"\n"

// provider plays chaosRecipe's models. What it answers follows from the
// conversation alone; it keeps a bill.
type provider struct {
	*openaitest.Server

	prices *model.Prices

	mu       sync.Mutex
	onAsked  func(n int)         // nil, or called when the n-th request is charged and not answered yet
	busy     map[string]int      // how often each conversation is told to come again
	answered map[string][]string // keys of the answers, by request
	charged  map[string]float64  // USD, by key: a provider that knows keys charges once
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	prices, err := model.LoadPrices(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{prices: prices, busy: busy(), answered: map[string][]string{},
		charged: map[string]float64{}}
	p.Server = openaitest.NewFunc(p.answer)
	p.List(openaitest.Models("gpt-4o", "gpt-4o-mini"))
	t.Cleanup(p.Close)
	return p
}

// replies says what each conversation is answered, by model, kind and number of the
// replies before.
var replies = map[string]model.Reply{
	"gpt-4o main 0":      calls("bash", `{"command":"(setsid sleep 1000 >/dev/null 2>&1 &); until grep -aqs ^sleep /proc/*/cmdline; do :; done; echo begun"}`, 1001),
	"gpt-4o main 1":      calls("spawn_agent", `{"prompt":"Halve it."}`, 1102),
	"gpt-4o helper 0":    calls("bash", `{"command":"echo half > half"}`, 503),
	"gpt-4o helper 1":    says("It is halved.", 604),
	"gpt-4o main 2":      calls("bash", `{"command":"rm half; echo hello > greeting"}`, 8505),
	"gpt-4o summary 0":   says("All is mended.", 8606),
	"gpt-4o after 0":     says("It says hello now.", 907),
	"gpt-4o-mini main 0": calls("bash", `{"command":"echo $RANDOM > /dev/null; false"}`, 1108),
	"gpt-4o-mini main 1": says("It can't be done.", 1209),
}

func calls(tool, args string, input int) model.Reply {
	call := model.Call{ID: fmt.Sprintf("call_%d", input), Name: tool, Arguments: args}
	return model.Reply{Message: model.Message{Calls: []model.Call{call}}, Finish: model.FinishCalls,
		Usage: usageOf(input)}
}

func says(text string, input int) model.Reply {
	return model.Reply{Message: model.Message{Content: text}, Finish: model.FinishStop, Usage: usageOf(input)}
}

func usageOf(input int) model.Usage {
	return model.Usage{Input: input, Output: input % 100, Known: true}
}

// busy are the conversations whose first request is told to come again.
func busy() map[string]int {
	return map[string]int{"gpt-4o main 1": 1, "gpt-4o-mini main 0": 1, "gpt-4o summary 0": 1}
}

func (p *provider) answer(n int, r *openaitest.Request) openaitest.Step {
	step := p.charge(r)
	p.mu.Lock()
	asked := p.onAsked
	p.mu.Unlock()
	if asked != nil {
		asked(n)
	}
	return step
}

// charge puts a request on the bill, and says what is answered.
func (p *provider) charge(r *openaitest.Request) openaitest.Step {
	place := placeOf(r)
	reply, ok := replies[place]
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[place] > 0 {
		p.busy[place]--
		return openaitest.Status(http.StatusServiceUnavailable, openaitest.Error("", "busy"))
	}
	key := r.Header.Get("Idempotency-Key")
	p.answered[string(r.Body)] = append(p.answered[string(r.Body)], key)
	p.charged[key], _ = p.prices.Cost("openai/"+r.Model, reply.Usage)
	return openaitest.Reply(reply)
}

// placeOf says where in which conversation a request stands.
func placeOf(r *openaitest.Request) string {
	kind, before := "main", 0
	first := r.Messages[0].Content + r.Text("user")
	switch {
	case len(r.Tools) == 0:
		kind = "summary"
	case strings.Contains(first, "<summary>"):
		kind = "after"
	}
	for _, m := range r.Messages {
		if m.Role == "assistant" {
			before++
		}
		if m.Role == "user" && strings.HasPrefix(m.Content, "Halve it.") {
			kind = "helper"
		}
	}
	return fmt.Sprintf("%s %s %d", r.Model, kind, before)
}

// bill is what was charged, in USD.
func (p *provider) bill() (sum float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, usd := range p.charged {
		sum += usd
	}
	return sum
}

// twice gives the requests that were answered more than once under different
// keys, so that they were paid twice.
func (p *provider) twice() (bodies []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for body, keys := range p.answered {
		for _, k := range keys[1:] {
			if k != keys[0] || k == "" {
				bodies = append(bodies, body)
				break
			}
		}
	}
	return bodies
}
