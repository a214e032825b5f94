package diagnose

import (
	"strings"
	"testing"
)

// TestNoTests: what test programs print, as they print it.
func TestNoTests(t *testing.T) {
	for _, output := range []string{
		"No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\nIn /work\n" +
			"  3 files checked.\n",
		"\n RUN  v2.1.9 /work\n\ninclude: **/*.{test,spec}.?(c|m)[jt]s\n\nNo test files found, exiting with code 1\n",
		"Error: No test files found: \"test\"\n",
		"collected 0 items\n\n============= no tests ran in 0.01s =============\n",
		"\n----------\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n",
		"  ✖ Couldn't find any files to test\n",
	} {
		if !NoTests(false, output) || !NoTests(true, output) {
			t.Errorf("%q: no tests are not seen", output)
		}
	}
	for _, output := range []string{
		"\n----------\nRan 0 tests in 0.000s\n\nOK\n",
		"?   \texample.com/x\t[no test files]\n",
		"running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored\n",
		"TAP version 13\n1..0\n# tests 0\n# suites 0\n# pass 0\n",
		"[INFO] No tests to run.\n",
		"> Task :test NO-SOURCE\n",
	} {
		if !NoTests(true, output) || NoTests(false, output) {
			t.Errorf("%q: no tests of a command that succeeds", output)
		}
	}
	for _, output := range []string{
		"?   \texample.com/x\t[no test files]\nok  \texample.com/x/y\t0.003s\n",
		"running 0 tests\n\nrunning 2 tests\n",
		"No tests found, exiting with code 1\n\nTests:       2 failed, 1 passed\n",
		"[INFO] No tests to run.\n[INFO] Tests run: 4, Failures: 0\n",
		"collected 1 item\n\ntest_a.py F\n",
		"Tests  3 failed (3)\n",
		"make: *** No rule to make target 'test'.  Stop.\n",
		"panic: no tests here\n",
		"sh: 1: jest: not found\n",
		"?   \texample.com/y\t[no test files]\nFAIL\texample.com/x [build failed]\n",
	} {
		if NoTests(false, output) {
			t.Errorf("%q: no tests", output)
		}
	}
}

// TestOutside: what no sandbox has is told from what a model could mend.
func TestOutside(t *testing.T) {
	for output, want := range map[string]string{
		"node: .env: not found": ".env file",
		"Error: ENOENT: no such file or directory, open '/work/.env.test'":                              ".env file",
		"cat: .env: No such file or directory":                                                          ".env file",
		"Couldn't find env file: /work/.env":                                                            ".env file",
		"Run 'docker --help' for more information":                                                      "engine of containers",
		"Cannot connect to the Docker daemon at unix:///var/run/docker.sock.":                           "engine of containers",
		"make: docker-compose: not found":                                                               "engine of containers",
		"Error: connect ECONNREFUSED 127.0.0.1:5432":                                                    "database",
		"psycopg2.OperationalError: connection to server at \"db\", port 5432 failed":                   "",
		"redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.": "database",
		"x_test.go:3: got .env, want .envrc":                                                            "",
		"a.environment: not found":                                                                      "",
		"q.c:1: error: 'q' undeclared":                                                                  "",
	} {
		if got := Outside(output); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
