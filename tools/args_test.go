package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/tools"
)

type everyKind struct {
	Text  string   `json:"text"`
	Count int64    `json:"count,omitempty" description:"how many"`
	Share float64  `json:"share,omitempty"`
	Sure  bool     `json:"sure,omitempty"`
	Names []string `json:"names,omitempty"`
	Mode  string   `json:"mode,omitempty" enum:"fast,slow"`
	Edits []struct {
		Old string `json:"old"`
	} `json:"edits,omitempty"`
}

func TestArguments(t *testing.T) {
	var got everyKind
	tool := tools.New("every", "every kind", func(_ context.Context, _ sandbox.Sandbox, a everyKind) (tools.Result,
		error) {
		got = a
		return tools.Result{}, nil
	})
	bad := func(args, want string) {
		t.Helper()
		_, err := tool.Call(t.Context(), nil, json.RawMessage(args))
		if reason := refused(t, err, tools.BadArguments); reason != want {
			t.Errorf("%s\n got %s\nwant %s", tools.Clip(args, 100), reason, want)
		}
	}
	good := func(args string, ok func() bool) {
		t.Helper()
		got = everyKind{}
		if _, err := tool.Call(t.Context(), nil, json.RawMessage(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		} else if !ok() {
			t.Errorf("%s: decoded as %+v", args, got)
		}
	}
	// T01: not JSON
	bad(`{"text": "ls`, `arguments are not JSON: unexpected end of JSON input at byte 12 of 12`)
	bad(`{"text" "ls"}`, `arguments are not JSON: invalid character '"' after object key at byte 9 of 13`)
	bad(`{"text": "a"} {}`, `arguments are not JSON: invalid character '{' after top-level value at byte 15 of 16`)
	bad("{\"text\": \"\xff\"}", `arguments are not JSON: invalid UTF-8 at byte 10`)
	bad(`{"text":"\ud800"}`, `arguments: half a surrogate pair at byte 9 is no character`)
	// T11: deep nesting, many bytes
	bad(strings.Repeat("[", 100_000),
		`arguments are not JSON: invalid character '[' exceeded max depth at byte 10001 of 100000`)
	bad(`{"text":`+strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000)+"}",
		`text: expected a string, found an object`)
	bad(`{"text":"`+strings.Repeat("x", 11<<20)+`"}`,
		`arguments: 11534347 bytes are more than the 10485760 that one call may carry`)
	// T02: wrong types
	bad(`["a"]`, `arguments: expected an object, found a list`)
	bad(`"ls"`, `arguments: expected an object, found a string`)
	bad(`{"text": 5}`, `text: expected a string, found a number`)
	bad(`{"text": null}`, `text: expected a string, found null`)
	bad(`{"text": ["a"]}`, `text: expected a string, found a list`)
	bad(`{"text":"a","count":"10"}`, `count: expected an integer, found a string`)
	bad(`{"text":"a","count":1.5}`, `count: expected an integer, found 1.5`)
	bad(`{"text":"a","count":99999999999999999999}`, `count: number 99999999999999999999 does not fit the parameter`)
	bad(`{"text":"a","sure":"true"}`, `sure: expected true or false, found a string`)
	bad(`{"text":"a","names":["a",1]}`, `names[1]: expected a string, found a number`)
	bad(`{"text":"a","mode":"quick"}`, `mode: "quick" is not one of fast, slow`)
	bad(`{"text":"a","edits":[{"old":"x"},{}]}`, `edits[1].old: missing; required: old`)
	// T03: missing, unknown and doubled fields
	bad(``, `text: missing; required: text`)
	bad(`{}`, `text: missing; required: text`)
	bad(`{"Text":"a"}`, `arguments: unknown field "Text"; allowed: count, edits, mode, names, share, sure, text`)
	bad(`{"text":"a","text":"b"}`, `text: given twice`)

	good(`{"text":"a","count":9007199254740993}`, func() bool { return got.Count == 9007199254740993 })
	good(`{"text":"\ud83d\ude00 \\ud800","share":0.5,"sure":true,"names":["b"]}`, func() bool {
		return got.Text == "😀 \\ud800" && got.Share == 0.5 && got.Sure && got.Names[0] == "b"
	})
	good(`{"text":"a","count":null}`, func() bool { return got.Count == 0 })
}

func TestSchema(t *testing.T) {
	tool := tools.New("every", "every kind", func(context.Context, sandbox.Sandbox, everyKind) (tools.Result, error) {
		return tools.Result{}, nil
	})
	var schema struct {
		Type       string
		Properties map[string]struct{ Type, Description string }
		Required   []string
		Additional *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(tool.Spec().Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Type != "object" || strings.Join(schema.Required, " ") != "text" || schema.Additional == nil ||
		*schema.Additional {
		t.Errorf("schema %s", tool.Spec().Parameters)
	}
	if p := schema.Properties["count"]; p.Type != "integer" || p.Description != "how many" {
		t.Errorf("count: %+v", p)
	}
}

// FuzzArguments: whatever a model writes is decoded or goes back to it.
func FuzzArguments(f *testing.F) {
	f.Add(`{"text":"a","count":1}`)
	f.Add(`{"text":"\ud800"}`)
	f.Add(`[[[[`)
	tool := tools.New("every", "", func(_ context.Context, _ sandbox.Sandbox, a everyKind) (tools.Result, error) {
		return tools.Result{Text: a.Text}, nil
	})
	f.Fuzz(func(t *testing.T, args string) {
		r, err := tool.Call(t.Context(), nil, json.RawMessage(args))
		if err != nil {
			refused(t, err, tools.BadArguments)
			return
		}
		var loose struct {
			Text string `json:"text"`
		}
		if json.Unmarshal([]byte(args), &loose) != nil || loose.Text != r.Text {
			t.Errorf("%q decoded as %q", args, r.Text)
		}
	})
}
