package python

import (
	"slices"
	"testing"

	"cookoff/sandbox"
)

func TestScript(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if got := script(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
	const dir = siteDir + ":"
	check("python3 -m unittest", "python3 -m unittest")
	check("PYTHONPATH=src python3 x.py", "PYTHONPATH="+dir+"src python3 x.py")
	check(`export A=1 PYTHONPATH="$PWD/a b"; python3 x.py`, `export A=1 PYTHONPATH=`+dir+`"$PWD/a b"; python3 x.py`)
	check("env -i PYTHONPATH=src python3 x.py", "env -i PYTHONPATH="+dir+"src python3 x.py")
	check("grep PYTHONPATH=src .env", "grep PYTHONPATH=src .env")
	check("PYTHONPATH+=:src; (", "PYTHONPATH+=:src; (")
}

func TestOver(t *testing.T) {
	if a := (Tool{}).Over(sandbox.Manifest{{Path: "a.go"}}); a.Env != nil || a.Files != nil {
		t.Errorf("without Python: %+v", a)
	}
	a := Tool{}.Over(sandbox.Manifest{{Path: "lib/a.py"}})
	if got := a.Env([]string{"PYTHONPATH=x", "PYTHONPATH=y", "Z=1"}); !slices.Equal(got,
		[]string{"PYTHONPATH=" + siteDir + ":y"}) {
		t.Errorf("%q", got)
	}
}
