package textcalls

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadCalls(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		calls, wrong := Read(text)
		var got []string
		for _, c := range calls {
			got = append(got, c.Name+" "+c.Arguments)
		}
		for _, w := range wrong {
			got = append(got, "wrong: "+w)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s\n%s", text, d)
		}
	}
	fenced := func(info, body string) string { return "```" + info + "\n" + body + "\n```\n" }
	ls := `{"name": "bash", "arguments": {"command": "ls"}}`
	check("I am done.")
	check(fenced("tool_call", ls), `bash {"command": "ls"}`)
	check("First I look.\n\n"+fenced("tool_call", ls)+"\nThen:\n"+fenced("tool_call",
		`{"name":"read_file","arguments":{}}`), `bash {"command": "ls"}`, "read_file {}")
	check(fenced("json", ls), `bash {"command": "ls"}`)
	check(fenced("", ls), `bash {"command": "ls"}`)
	check(ls, `bash {"command": "ls"}`)
	check(fenced("tool_call", "["+ls+","+ls+"]"), `bash {"command": "ls"}`, `bash {"command": "ls"}`)
	check(fenced("tool_call", `{"name":"bash","arguments":"{\"command\":\"ls\"}"}`), `bash {"command":"ls"}`)
	check("```tool_call\n"+ls, `bash {"command": "ls"}`)
	check("  ````tool_call\n"+ls+"\n````", `bash {"command": "ls"}`)
	check("```tool_call\r\n"+ls+"\r\n```\r\n", `bash {"command": "ls"}`)

	check(fenced("sh", "ls"))
	check(fenced("json", `{"version": 3}`))
	check(fenced("json", `{"name": "left-pad", "version": 3}`))
	check(fenced("json", `{not json}`))
	check(`{"answer": 42}`)
	check("{a set}")

	check(fenced("tool_call", "ls"), `wrong: it is no JSON object with "name" and "arguments"`)
	check(fenced("tool_call", ""), `wrong: it is no JSON object with "name" and "arguments"`)
	check(fenced("tool_call", "[]"), `wrong: it is no JSON object with "name" and "arguments"`)
	check(fenced("tool_call", `{"name":"bash"}`), `wrong: it is no JSON object with "name" and "arguments"`)
	check(fenced("tool_call", `{"name":5,"arguments":{}}`), `wrong: it is no JSON object with "name" and "arguments"`)
	check(fenced("tool_call", ls+"\n"+ls), `wrong: there is more than one JSON object in it: write one a block`)
	check(fenced("tool_call", `{"name":"bash","arguments":{},"comment":"x"}`),
		`wrong: it has the key "comment" beside "name" and "arguments"`)
	check(fenced("json", `{"name": "bash", "arguments": {"command": "ls"`), "wrong: the JSON is not complete")
	check(fenced("json", `{"name": "bash", "arguments": {command: "ls"}}`),
		"wrong: it is no valid JSON: invalid character 'c' looking for beginning of object key string")
}

func FuzzReadCalls(f *testing.F) {
	f.Add("```tool_call\n{\"name\":\"bash\",\"arguments\":{}}\n```")
	f.Add("````\n```\n[{\"name\":1}]")
	f.Add("{\"name\":\"\",\"arguments\":\"\"}")
	f.Fuzz(func(t *testing.T, text string) {
		calls, wrong := Read(text)
		if n := strings.Count(text, "```"); len(wrong) > n+1 {
			t.Errorf("%d complaints about %d fences", len(wrong), n)
		}
		for _, c := range calls {
			if !strings.Contains(text, "arguments") {
				t.Errorf("a call of nothing: %+v", c)
			}
		}
	})
}
