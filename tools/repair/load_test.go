package repair_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"cookoff/recipe/problem"
	"cookoff/tools/repair"

	"go.yaml.in/yaml/v3"
)

func files(nameAndText ...string) fs.FS {
	f := fstest.MapFS{}
	for i := 0; i < len(nameAndText); i += 2 {
		f[nameAndText[i]] = &fstest.MapFile{Data: []byte(nameAndText[i+1])}
	}
	return f
}

// one makes a repair whose only fix has the given lines.
func one(lines ...string) string {
	return "id: r\nprobe: p\nfixes:\n  - id: a\n    class: safe\n    " + strings.Join(lines, "\n    ") + "\n"
}

func TestLoadRejects(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := repair.Load(files("a.yaml", text), "lib")
		var ps problem.List
		if !errors.As(err, &ps) {
			t.Errorf("%s: loaded (%v)", text, err)
		} else if ps.Error() != want {
			t.Errorf("%s\n got %s\nwant %s", text, ps, want)
		}
	}
	check("", "lib/a.yaml:1:1: the file holds no repair")
	check("# nothing\n", "lib/a.yaml:1:1: the file holds no repair")
	check("---\n", "lib/a.yaml:1:1: the file holds no repair")
	check("- a\n",
		"lib/a.yaml:1:1: expected a mapping, found a list\nlib/a.yaml:1:1: missing id\n"+
			"lib/a.yaml:1:1: missing probe\nlib/a.yaml:1:1: missing fixes: a repair has at least one")
	check("id: r\n\tprobe: p\n", "lib/a.yaml:2:1: parsing YAML: found a tab character that violates indentation")
	check("probe: p\nfixes:\n- {id: a, class: safe, command: x}\n", "lib/a.yaml:1:1: missing id")
	check("id: r\nprobe: ' '\nfixes: []\n",
		"lib/a.yaml:1:1: missing fixes: a repair has at least one\nlib/a.yaml:2:8: missing probe")
	check("id: Node_Version\nprobe: p\nfixes:\n- {id: a--b, class: safe, command: x}\n",
		"lib/a.yaml:1:5: id \"Node_Version\" is not kebab-case: small letters, digits and single hyphens\n"+
			"lib/a.yaml:4:8: id of a fix \"a--b\" is not kebab-case: small letters, digits and single hyphens")
	check("id: r\nprobe: p\nfixes:\n- {id: a}\n",
		"lib/a.yaml:4:3: missing class of a fix\nlib/a.yaml:4:3: missing command of a fix")
	check("id: r\nprobe: p\nfixes:\n- {id: a, class: Safe, command: '  '}\n",
		"lib/a.yaml:4:18: unknown class \"Safe\"; allowed: safe, shared, destructive, privileged\n"+
			"  hint: did you mean \"safe\"?\nlib/a.yaml:4:33: missing command of a fix")
	check("id: r\nprobe: p\nfixes:\n- {id: a, class: safe, command: x}\n- {id: a, class: safe, command: x}\n",
		"lib/a.yaml:5:8: fix \"a\" is already defined at lib/a.yaml:4:8")
	check(one("command: x", "when: {os: Linux, arch: x86, has_tol: nv}"),
		"lib/a.yaml:7:16: unknown os \"Linux\"; allowed: linux, darwin\n  hint: did you mean \"linux\"?\n"+
			"lib/a.yaml:7:29: unknown arch \"x86\"; allowed: amd64, arm64\n"+
			"lib/a.yaml:7:34: unknown key \"has_tol\"; allowed: os, arch, distro, has_tool\n"+
			"  hint: did you mean \"has_tool\"?")
	check(one("command: x", "when: {has_tool: 'nv; id'}"),
		"lib/a.yaml:7:22: has_tool \"nv; id\" is no name of a program")
	check(one("command: x", "when: {os: [linux]}"), "lib/a.yaml:7:16: expected a text, found a list")
	check(one("command: x", "comand: y"),
		"lib/a.yaml:7:5: unknown key \"comand\"; allowed: id, class, when, label, command, fallback, test\n"+
			"  hint: did you mean \"command\"?")
	check("id: r\nid: s\nprobe: p\nfixes:\n- {id: a, class: safe, command: x}\n",
		"lib/a.yaml:2:1: key \"id\" is already given on line 1")
	check(one("command: &x x")+"---\nid: s\n", "lib/a.yaml:7:1: a second document; a file holds one repair")
	check(one("command: &x x", "label: *x"), "lib/a.yaml:7:12: expected a text, found an alias")
	check(one("command: x", "fallback: 'yes'"), "lib/a.yaml:7:15: expected true or false, found \"yes\"")
	check(one("command: x", "test: {before: {check: y}}"),
		"lib/a.yaml:7:20: before without after: nothing would tell that the fix worked")
	check(one("command: x", "test: {before: {}, after: {check: }}"),
		"lib/a.yaml:7:20: missing check of before\nlib/a.yaml:7:31: missing check of after")
	check(one("command: x", "test: {params: {P: {a: b}}}"),
		"lib/a.yaml:7:21: param \"P\" is used by no fix of the repair\n"+
			"lib/a.yaml:7:24: expected a text, found a mapping")
	check(one("command: x", "test: {protect: ['[']}"), "lib/a.yaml:7:22: protect: \"[\" is no glob")
	check(one("command: x", "test: {shortcuts: [{id: s, command: y}, {id: s}]}"),
		"lib/a.yaml:7:45: missing command of a shortcut\nlib/a.yaml:7:50: shortcut \"s\" is already defined")
	check(one("command: x", "test: {verify_env: host}"), "lib/a.yaml:7:24: unknown verify_env \"host\": agent, or none")
	check(one("command: x", "test: {verify: {exit_code: one}}"),
		"lib/a.yaml:7:32: expected a whole number, found \"one\"")
	check(strings.Repeat("#", 2<<20), "lib/a.yaml:1:1: 2097152 bytes are more than the 1048576 that a repair may have")
}

func TestLoadRejectsTemplates(t *testing.T) {
	check := func(lines []string, want string) {
		t.Helper()
		_, err := repair.Load(files("a.yaml", one(lines...)), "lib")
		if err == nil {
			t.Errorf("%q: loaded", lines)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n got %s\nwant %s", lines, err, want)
		}
	}
	cmd := func(command, want string) {
		t.Helper()
		check([]string{"command: |", "  " + command}, want)
	}
	cmd("x {{.Bad", "lib/a.yaml:7:1: command is no valid template: ")
	cmd("true\n      x {{.Bad", "lib/a.yaml:8:1: command is no valid template: ")
	check([]string{"command: x", "label: '{{.A'"}, "lib/a.yaml:7:12: label is no valid template")
	check([]string{"command: x {{.A}} {{index . \"B\"}} {{if .C}}c{{end}}", "label: '{{.D}}'",
		"test: {params: {A: a, E: e}, after: {check: y}}"},
		"lib/a.yaml:8:11: fix \"a\" uses {{.B}}, which the params of its test lack\n"+
			"lib/a.yaml:8:11: fix \"a\" uses {{.C}}, which the params of its test lack\n"+
			"lib/a.yaml:8:11: fix \"a\" uses {{.D}}, which the params of its test lack\n"+
			"lib/a.yaml:8:27: param \"E\" is used by no fix of the repair")
	cmd("x {{.fix}}", "that name is taken")
	cmd("x {{range .A}}{{.}}{{end}}", "every value is a text")
	cmd("x {{define \"a\"}}{{end}}", "no use here")
	cmd("x {{.A.B}}", "has no fields")
	cmd("x {{with .A}}{{.B}}{{end}}", "write {{$.B}}")
	cmd(strings.Repeat("{{if .A}}a{{end}}", 7), "7 conditions")
	cmd("x '", "parsing the command as shell")
	cmd("{{if .A}}x '{{end}}", "parsing the command as shell")
	// where a value would become syntax
	cmd("{{.A}}=1", "can't be quoted")
	cmd("cat <<E\n      {{.A}}\n      E", "here-document")
	cmd("echo $(({{.A}} + 1))", "arithmetic")
	cmd("echo ${x:-{{.A}}}", "inside ${…}")
	cmd("echo `id {{.A}}`", "backquotes")
	cmd("echo $'{{.A}}'", "can't be quoted")
	cmd("echo \\{{.A}}", "behind a backslash")
	cmd("echo \"\\{{.A}}\"", "behind a backslash")
	cmd("true # {{.A}}", "comment")
	cmd("echo ${{.A}}", "inside ${…}")
	cmd("echo @(a|{{.A}})", "can't be quoted")
	cmd("sh -c 'echo {{.A}}'", "code for sh")
	cmd("bash -ec \"echo {{.A}}\"", "code for bash")
	cmd("env X=1 bash -c 'echo {{.A}}'", "code for bash")
	cmd("eval \"x {{.A}}\"", "given to eval")
	cmd("trap 'rm {{.A}}' EXIT", "given to trap")
	cmd("python3 -c 'print(\"{{.A}}\")'", "code for python3")
	cmd("sed -i 's/a/{{.A}}/' f", "code for sed")
	cmd("sed -e 's/a/{{.A}}/' f", "code for sed")
	cmd("awk '/{{.A}}/' f", "code for awk")
	cmd("[[ {{.A}} -gt 3 ]]", "compared as a number")
	cmd("declare -i x={{.A}}", "declare")
	cmd("export {{.A}}", "name")
	cmd("unset {{.A}}", "given to unset")
	// other users
	for _, s := range []string{"sudo x", `su\do x`, "\"su\"do x", "a && doas x", "echo $(pkexec x)",
		"env A=1 sudo -n x", "/usr/bin/sudo x", "sh -c 'sudo x'", "bash <<E\n      sudo x\n      E",
		"xargs sudo rm", "su -c id", "{{if .A}}sudo x{{else}}y{{end}}", "'su'do x", "find . -exec sudo rm {} +",
		"eval sudo x", "timeout 5 sh -c 'sudo x'"} {
		cmd(s, "only class privileged may")
	}
}

func TestLoadAccepts(t *testing.T) {
	for _, s := range []string{
		"echo sudo", "grep -q sudo /etc/group", "echo 'run sudo x'", "# sudo x\n      true", "cat sudo.txt", "pseudo x",
		"awk -v v={{.A}} '{print v}' f", "sed -i s/a/b/ {{.A}}", "sh -c 'echo \"$1\"' _ {{.A}}",
		"x={{.A}}; echo \"a{{.A}}b\" 'c{{.A}}d' >{{.A}}",
		"export X={{.A}}", "kill $(lsof -ti :{{.A}})", "echo \"$(cat {{.A}})\"", "{{if eq .A \"x\"}}a{{else}}b{{end}}",
		"{{with .A}}x {{.}} {{$.A}}{{end}}", "true \\",
	} {
		if _, err := repair.Load(files("a.yaml", one("command: |", "  "+s)), "lib"); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	lib, err := repair.Load(files("a.yaml", one("command: 5", "test: {params: {}, after: {check: true}}"), "README.md",
		"x", "b.yml", "\ufeffid: s\r\nprobe: p\r\nfixes: [{id: a, class: privileged, command: sudo x}]\r\n"), "lib")
	if err != nil || len(lib.Repairs()) != 2 || lib.Repairs()[0].Fixes[0].Command != "5" {
		t.Errorf("%v", err)
	}
	if lib, err := repair.Load(files("README.md", "x"), "lib"); err != nil || len(lib.Repairs()) != 0 {
		t.Errorf("an empty library: %v", err)
	}
	if _, err := repair.Load(os.DirFS(filepath.Join(t.TempDir(), "missing")), "lib"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// A repair whose checks need the user's settings says so, as a task does.
func TestVerifyEnvOfARepair(t *testing.T) {
	for text, want := range map[string]string{"verify_env: agent, ": "agent", "": ""} {
		lib, err := repair.Load(files("a.yaml",
			one("command: x", "test: {"+text+"before: {check: y}, after: {check: z}}")), "lib")
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := lib.Repairs()[0].Tasks()
		if err != nil || len(tasks) != 1 || tasks[0].VerifyEnv != want {
			t.Errorf("%q: %+v %v", text, tasks, err)
		}
	}
}

// Problems of every file are told at once, in order, and so are ids that two
// files share.
func TestLoadTellsAll(t *testing.T) {
	_, err := repair.Load(files("a.yaml", one("command: x", "zzzzzz: 1", "worse: 2"), "b.yaml", one("command: y"),
		"c.yaml", "id: c\n"), "lib")
	want := `lib/a.yaml:7:5: unknown key "zzzzzz"; allowed: id, class, when, label, command, fallback, test
lib/a.yaml:8:5: unknown key "worse"; allowed: id, class, when, label, command, fallback, test
lib/b.yaml:1:5: repair "r" is already defined at lib/a.yaml:1:5
  hint: ids are unique in the library
lib/c.yaml:1:1: missing probe
lib/c.yaml:1:1: missing fixes: a repair has at least one`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestSelectAndAdd(t *testing.T) {
	two, err := repair.Load(files("a.yaml", "id: node-version\nprobe: node\nfixes: [{id: a, class: safe, command: x}]",
		"b.yaml", "id: go-version\nprobe: go\nfixes: [{id: a, class: safe, command: x}]"), "lib")
	if err != nil {
		t.Fatal(err)
	}
	ids := func(rs []*repair.Repair) string {
		var all []string
		for _, r := range rs {
			all = append(all, r.ID)
		}
		return strings.Join(all, " ")
	}
	check := func(want string, globs ...string) {
		t.Helper()
		rs, err := two.Select(globs)
		if got := ids(rs); err != nil && err.Error() != want || err == nil && got != want {
			t.Errorf("%q: %s (%v)", globs, got, err)
		}
	}
	check("go-version node-version", "*")
	check("go-version node-version", "node*", "go*", "*")
	check("")
	check(`no repair matches "node-verson"; did you mean "node-version"?`, "go*", "node-verson")
	check(`no repair matches "zzzzzzz*"; the library has 2 repairs`, "zzzzzzz*")
	check(`repair "[" is no glob`, "[")
	if got := ids(two.ByProbe("go")); got != "go-version" {
		t.Error(got)
	}
	more, err := repair.Load(files("c.yaml", "id: b\nprobe: node\nfixes: [{id: a, class: safe, command: x}]", "d.yaml",
		"id: go-version\nprobe: p\nfixes: [{id: a, class: safe, command: x}]"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	if err := two.Add(more); err == nil || !strings.Contains(err.Error(),
		`mine/d.yaml:1:5: repair "go-version" is already defined at lib/b.yaml:1:5`) || len(two.Repairs()) != 2 {
		t.Errorf("%v, %d repairs", err, len(two.Repairs()))
	}
}

// Every fix that ships has a test, and each makes a task.
func TestDefault(t *testing.T) {
	lib, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	fixes, wrong := 0, 0
	for _, r := range lib.Repairs() {
		for _, f := range r.Fixes {
			fixes++
			if f.Test == nil || f.Test.Solution != "" || len(f.Test.Shortcuts) == 0 {
				t.Errorf("%s/%s: its test is missing, has a solution of its own, or no wrong repair that it rejects",
					r.ID, f.ID)
				continue
			}
			wrong += len(f.Test.Shortcuts)
		}
		tasks, err := r.Tasks()
		if err != nil || len(tasks) != len(r.Fixes) {
			t.Errorf("%s: %d fixes make %d tasks (%v)", r.ID, len(r.Fixes), len(tasks), err)
		}
		for _, task := range tasks {
			probe, params, err := repair.ParseProbe(task.Probe)
			if err != nil || probe != r.Probe || task.Prompt == "" || task.Solution == "" || task.Before == "" ||
				len(task.After) == 0 {
				t.Errorf("%s: probe %q %v (%v), task %+v", r.ID, probe, params, err, task)
			}
		}
		if r.Pos.Line == 0 || len(r.ToolName()) > 64 || !json.Valid(r.Tool(repair.ToolOptions{}).Spec().Parameters) {
			t.Errorf("%s: at %s, called %s", r.ID, r.Pos, r.ToolName())
		}
	}
	if len(lib.Repairs()) < 40 || fixes < 60 || wrong < 45 {
		t.Errorf("%d repairs, %d fixes, %d wrong ones", len(lib.Repairs()), fixes, wrong)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(one("command: x {{.A}}", "test: {params: {A: 1}, before: {check: y}, after: {check: z}}"))
	f.Add("id: r\nprobe: p\nfixes: [{id: a, class: safe, command: '{{if .A}}sudo \"{{.A}}\"{{end}}'}]")
	f.Add("id: r\nprobe: p\nfixes:\n  -")
	f.Add("a: &a [*a, *a]\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		lib, err := repair.Load(files("a.yaml", text), "lib")
		if err != nil {
			var ps problem.List
			if !errors.As(err, &ps) {
				t.Fatalf("%v", err)
			}
			for _, p := range ps {
				if p.Pos.File != "lib/a.yaml" || p.Pos.Line < 1 || p.Pos.Col < 1 || p.Msg == "" {
					t.Errorf("problem %+v", p)
				}
			}
			return
		}
		for _, r := range lib.Repairs() {
			r.Tool(repair.ToolOptions{})
			if _, err := r.Tasks(); err != nil {
				t.Logf("tasks: %v", err)
			}
		}
	})
}

// facts opens a file of the facts of the original system, or skips.
func facts(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("COOKOFF_FACTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "facts")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("the facts of the original system are not here: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// The original's own cases: what it rejected is rejected, what it took is
// taken, but for what is named here.
func TestOriginalLoaderCases(t *testing.T) {
	stricter := map[string]string{
		"unknown when key":               `unknown key "has_tol"`,
		"when os invalid value":          `unknown os "Linux"`,
		"bad template syntax in command": "no valid template",
		"params int coerced":             `param "Port" is used by no fix`,
		"command whitespace only":        "missing command of a fix",
	}
	cases := 0
	lines := bufio.NewScanner(facts(t, "envdoctor-loader-cases.jsonl"))
	for lines.Scan() {
		var c struct {
			Name     string
			Accepted bool
			Files    map[string]string
			Recipes  int
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases++
		mem := fstest.MapFS{}
		for name, text := range c.Files {
			mem[filepath.Base(name)] = &fstest.MapFile{Data: []byte(text)}
		}
		lib, err := repair.Load(mem, "l")
		if why, named := stricter[c.Name]; named {
			if err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		if (err == nil) != c.Accepted || err == nil && len(lib.Repairs()) != c.Recipes {
			t.Errorf("%s: accepted %v before, now %v", c.Name, c.Accepted, err)
		}
	}
	if cases < 20 {
		t.Errorf("only %d cases", cases)
	}
}

// The original's library loads, but for what is named here.
func TestOriginalLibrary(t *testing.T) {
	named := map[string]string{
		"go-version.yaml": `param "MajorVersion" is used by no fix`,
	}
	var doc struct{ Recipes []map[string]any }
	if err := json.NewDecoder(facts(t, "envdoctor-library.json")).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	ours, err := repair.Default()
	if err != nil {
		t.Fatal(err)
	}
	loaded, fixes := 0, 0
	for _, r := range doc.Recipes {
		file := r["_file"].(string)
		strip(r)
		text, err := yaml.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lib, err := repair.Load(files(file, string(text)), "l")
		if why, deviates := named[file]; deviates {
			if err == nil || !strings.Contains(err.Error(), why) || strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		loaded++
		fixes += len(lib.Repairs()[0].Fixes)
		if err := ours.Add(lib); err != nil {
			t.Errorf("%s beside the library that ships: %v", file, err)
		}
	}
	if loaded+len(named) != len(doc.Recipes) || fixes < 20 {
		t.Errorf("%d of %d repairs loaded, with %d fixes", loaded, len(doc.Recipes), fixes)
	}
}

// strip takes out what the facts add to the files.
func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if strings.HasPrefix(k, "_") {
				delete(v, k)
			}
			strip(x)
		}
	case []any:
		for _, x := range v {
			strip(x)
		}
	}
}
