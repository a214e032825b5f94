package main

import (
	"os"
	"strings"
	"testing"
)

func TestJune(t *testing.T) {
	check := func(want string, args ...string) {
		t.Helper()
		golden, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := run(append(args, "testdata/june.ledger"), &out); err != nil {
			t.Errorf("ledger %v: %v", args, err)
		} else if out.String() != string(golden) {
			t.Errorf("ledger %v printed\n%swant\n%s", args, &out, golden)
		}
	}
	check("testdata/june.txt")
	check("testdata/june-eur.txt", "-in", "EUR", "-rates", "testdata/rates.txt")
	check("testdata/june-jpy.txt", "-in", "JPY", "-rates", "testdata/rates.txt")
}
