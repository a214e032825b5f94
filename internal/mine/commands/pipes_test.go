package commands

import "testing"

// TestStrict: a pipe's status is that of all its parts.
func TestStrict(t *testing.T) {
	for command, want := range map[string]string{
		"pytest -q":                           "pytest -q",
		"pytest || make check":                "pytest || make check",
		"pytest -k 'a|b'":                     "pytest -k 'a|b'",
		"pytest | cat":                        "set -o pipefail; pytest | cat",
		"cd x && pytest |& tee log":           "set -o pipefail; cd x && pytest |& tee log",
		"set -o pipefail; pytest | cat":       "set -o pipefail; pytest | cat",
		"pytest | cat; exit ${PIPESTATUS[0]}": "pytest | cat; exit ${PIPESTATUS[0]}",
		"pytest | (":                          "pytest | (",
	} {
		if got := Strict(command); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}

// TestEachTime: tests of Go run each time, whatever go keeps of them.
func TestEachTime(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...":                       "go test -count=1 ./...",
		"go test":                             "go test -count=1",
		"cd a && CGO_ENABLED=1 go test -race": "cd a && CGO_ENABLED=1 go test -count=1 -race",
		"go vet ./... && /opt/go/bin/go test ./a; go test ./b": "go vet ./... && /opt/go/bin/go test -count=1 ./a; go test -count=1 ./b",
		"go test -count=2 ./...":                               "go test -count=2 ./...",
		"go test -count 2 ./...":                               "go test -count 2 ./...",
		"go test -test.count=2 ./...":                          "go test -test.count=2 ./...",
		"timeout 60 go test ./...":                             "timeout 60 go test -count=1 ./...",
		"set -o pipefail; go test ./... | cat":                 "set -o pipefail; go test -count=1 ./... | cat",
		"echo 'go test'; make test":                            "echo 'go test'; make test",
		"go test (":                                            "go test (",
	} {
		if got := EachTime(command); got != want {
			t.Errorf("%s becomes %s, want %s", command, got, want)
		}
	}
}
