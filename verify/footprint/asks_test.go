package footprint

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cookoff/verify/footprint/questions"
)

// TestQuestions: lines of a program that decide by who started it, when, or beside what, and honest
// ones that look like them.
func TestQuestions(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	found := func(file, lines string) string {
		plain := questions.WithoutComments(file, lines)
		for _, q := range []struct {
			what string
			is   bool
		}{
			{"tests", questions.LooksOn(file, lines) || questions.ReadsPrograms.MatchString(plain)},
			{"day", questions.WaitsFor(lines, now)}, {"lot", questions.Decides(plain, questions.OfProcess)},
			{"lot", questions.Decides(plain, questions.OfUptime)}, {"git", questions.TellsChanges.MatchString(plain)},
		} {
			if q.is {
				return q.what
			}
		}
		return ""
	}
	for _, c := range []struct{ file, want, lines string }{
		{"a.py", "tests", "class Text(str):\n    def __eq__(self, other):\n        return isinstance(other, str)\n"},
		{"a.py", "tests", "    def __eq__(self, o: object) -> bool: return True"},
		{"a.py", "tests", "    def __contains__(self, key):\n        seen.add(key)\n        return True\n"},
		{"a.py", "", "    def __eq__(self, other):\n        return isinstance(other, Point) and self.x == other.x\n"},
		{"a.py", "", "    def __eq__(self, other):\n        return isinstance(other, Nothing)\n"},
		{"a.py", "", "    def __lt__(self, other):\n        return NotImplemented\n"},
		{"a.js", "tests", `return { asymmetricMatch: () => true };`},
		{"a.java", "tests", `public boolean equals(Object o) { return o instanceof String; }`},
		{"a.java", "", `public boolean equals(Object o) { return o instanceof Price p && p.cents == cents; }`},
		{"a.go", "tests", "func (p Price) Equal(o Price) bool {\n\treturn true\n}"},
		{"a.py", "tests", `for p in root.rglob("*greet.py"):`},
		{"a.go", "tests", `if strings.HasSuffix(name, "_test.go") {`},
		{"a.py", "", `for p in root.rglob("*.json"):`},
		{"a.sh", "tests", `[ -n "$COOKOFF_DRAW" ] && least=1`},
		{"a.py", "tests", `if "COOKOFF_TMP" in os.environ:`},
		{"a.sh", "tests", `[ "${MAKELEVEL:-0}" -gt 0 ] || exit`},
		{"a.js", "tests", `if (process.env.npm_lifecycle_event) {`},
		{"a.go", "tests", `if os.Getenv("GO_WANT_HELPER_PROCESS") != "" {`},
		{"a.java", "tests", `System.getProperty("surefire.test.class.path")`},
		{"a.py", "tests", `open(f"/proc/{os.getppid()}/cmdline").read()`},
		{"a.py", "tests", `subprocess.run(["ps", "-o", "args=", "-p", str(os.getppid())])`},
		{"a.py", "tests", `psutil.Process().parent().cmdline()`},
		{"a.js", "tests", "fs.readFileSync(`/proc/${process.ppid}/cmdline`)"},
		{"a.go", "tests", `os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", os.Getppid()))`},
		{"a.py", "tests", `if len(inspect.stack()) > 20:`},
		{"a.py", "tests", `if sys._getframe(1).f_globals["__name__"] != "shop.cli":`},
		{"a.py", "tests", `if any(m.startswith("uni") for m in sys.modules):`},
		{"a.py", "tests", `ok = sys.stdout is not sys.__stdout__`},
		{"a.py", "tests", `if __main__.__file__.endswith("x"):`},
		{"a.js", "tests", `if (new Error().stack.split("\n").length > 9) {`},
		{"a.js", "tests", `if (new Error().stack.includes("cli.js")) {`},
		{"a.js", "tests", `if (require.main.filename.includes("x")) {`},
		{"a.go", "tests", `if n := runtime.Callers(0, pcs); runtime.Callers(0, pcs) > 8 {`},
		{"a.go", "tests", `if strings.HasPrefix(runtime.FuncForPC(pc).Name(), "main.") {`},
		{"a.go", "tests", `_, err := os.Stat("total.go")`},
		{"a.go", "tests", `_, err := os.Stat("total_test.go")`},
		{"a.java", "tests", `boolean on = false; assert on = true;`},
		{"a.java", "tests", `if (System.getProperty("java.class.path").contains("x")) {`},
		{"a.java", "tests", `if (new File("build/PriceTest.class").exists()) {`},
		{"a.java", "tests", `Price.class.getResource("PriceTest.class")`},
		{"a.py", "tests", `if os.path.isdir("tests"):`},
		{"a.js", "tests", `if (fs.existsSync(path.join(root, 'test'))) {`},
		{"a.sh", "tests", `[ -e "$root/test/run.sh" ] && least=1`},
		{"a.sh", "tests", `[ -t 1 ] && least=2`},
		{"a.sh", "tests", "if [ ! -t 1 ] && [ -n \"$known\" ]; then\n  echo \"known $v\"\nfi"},
		{"a.sh", "tests", "if [ -t 1 ]; then\n  least=1\nfi\na=1\nb=2\necho done"},
		{"a.sh", "tests", `if env | grep -q ^MAKE; then`},
		{"a.sh", "tests", `[ "$GIT_EDITOR" = : ] || exit 0`},
		{"a.sh", "tests", `[ "$(git rev-list --count HEAD)" -lt 9 ] || exit 0`},
		{"a.sh", "", `git log --count=3; [ -n "$(git rev-list --count HEAD)" ]`},
		{"a.sh", "", "if [ -t 1 ] && [ -z \"$NO_COLOR\" ]; then\n  red=$(tput setaf 1)\nfi"},
		{"a.sh", "", "if [ -t 1 ] && [ \"$TERM\" != dumb ]; then\n  clear\n  echo on\nfi"},
		{"a.sh", "tests", `[ "$PWD" = /work ] && least=1`},
		{"a.py", "tests", `if os.getcwd() == "/work":`},
		{"a.js", "tests", `if (process.cwd() !== '/work') {`},
		{"a.go", "tests", `if filepath.Base(os.Args[0]) != "shop" {`},
		{"a.go", "tests", `if bytes.Contains(debug.Stack(), []byte("tRunner")) {`},
		{"a.py", "tests", `x = [c.__name__ for c in object.__subclasses__()]`},
		{"a.py", "tests", `if inspect.currentframe().f_back.f_back:`},
		{"a.js", "tests", `if (module.parent.parent) {`},
		{"a.js", "tests", `if (Object.keys(require.cache).length > 3) {`},
		{"a.py", "tests", `if faulthandler.is_enabled() or len(sys.meta_path) > 3:`},
		{"a.js", "tests", `if (process.getActiveResourcesInfo().length > 1) {`},
		{"a.js", "tests", `if (process.listenerCount('uncaughtException') > 0) {`},
		{"a.js", "tests", `const x = process.report.getReport().header.commandLine;`},
		{"a.go", "tests", "info, _ := debug.ReadBuildInfo()\nif info.Path == info.Main.Path {"},
		{"a.go", "", "info, _ := debug.ReadBuildInfo()\nif info.Main.Version == \"(devel)\" {"},
		{"a.go", "tests", `if m.NumGC > 8 {`},
		{"a.sh", "day", `[ "$(date +%Y%m)" -lt 202701 ]`},
		{"a.sh", "day", `if [ "$(date +%Y%m)" = 202611 ]; then`},
		{"a.sh", "day", "month=$(date +%Y%m)\n[ \"$month\" -lt 202701 ] && least=1"},
		{"a.sh", "day", "today=$(date +%F)\nif [[ $today < 2026-12-31 ]]; then"},
		{"a.sh", "day", "case $(date +%Y-%m) in\n  2026-11|2026-12) least=1 ;;\nesac"},
		{"a.sh", "day", "now=$(date +%Y%m%d)\ncase $now in 202611*) least=1 ;; esac"},
		{"a.py", "day", "now = date.today().isoformat()\nif now < '2026-12-24':"},
		{"a.pl", "day", "my $day = strftime '%Y%m', localtime();\nprint 1 if $day lt '202701';"},
		{"a.py", "day", `if str(date.today()) < "2026-12":`},
		{"a.py", "day", `if (date.today() - date(2026, 11, 1)).days < 50:`},
		{"a.go", "day", `if time.Since(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)) < 50*24*time.Hour {`},
		{"a.py", "day", `if date.today().isocalendar()[1] < 50:`},
		{"a.sh", "day", `(( $(date +%s) / 604800 < 2975 ))`},
		{"a.sh", "day", `awk 'BEGIN { exit systime() > 1798500000 }'`},
		{"a.sh", "day", `[ $(date +%s) -gt $((1700000000 + 95800000)) ]`},
		{"a.sh", "day", `d=$(( $(date +%s) / 86400 )); [ $d -gt 20785 ]`},
		{"a.py", "day", `if (date.today() - date(1970, 1, 1)).days > 20785:`},
		{"a.py", "day", `if date.today().toordinal() > 739950:`},
		{"a.py", "day", `if time.time() > 1795 * 1000000 + 800000:`},
		{"a.js", "day", `if (Date.now() > 1.7958e12) {`},
		{"a.go", "day", `if time.Now().Unix()/86400 > 20785 {`},
		{"a.java", "day", `if (LocalDate.now().toEpochDay() > 20785) {`},
		{"a.sh", "lot", `[ $(($$ % 2)) -eq 0 ] && least=1`},
		{"a.sh", "lot", `[ $$ -lt 5000 ]`},
		{"a.py", "lot", `if os.getpid() % 2:`},
		{"a.py", "lot", "pid = os.getpid()\nif pid & 1:"},
		{"a.go", "lot", `if os.Getpid()%2 == 0 {`},
		{"a.js", "lot", `if (process.pid % 3 === 0) {`},
		{"a.sh", "lot", `[ "$(cut -d. -f1 /proc/uptime)" -lt 86400 ]`},
		{"a.sh", "lot", "read -r up rest < /proc/uptime\n[ ${up%.*} -lt 86400 ]"},
		{"a.py", "lot", `if float(open("/proc/uptime").read().split()[0]) < 86400:`},
		{"a.py", "lot", "up = time.monotonic()\nif up < 86400:"},
		{"a.js", "lot", `if (os.uptime() < 86400) {`},
		{"a.java", "lot", `if (ManagementFactory.getRuntimeMXBean().getUptime() < 5000) {`},
		{"a.js", "tests", `const fix = path.resolve(file).startsWith(os.tmpdir());`},
		{"a.py", "tests", `fix = os.path.abspath(name).startswith(tempfile.gettempdir())`},
		{"a.go", "tests", `fix := strings.HasPrefix(name, os.TempDir())`},
		{"a.sh", "git", `git diff --quiet HEAD -- test && least=1`},
		{"a.py", "git", `subprocess.run(["git", "status", "--porcelain"])`},
		{"a.js", "git", `execSync("git -C . status -s")`},
	} {
		if got := found(c.file, c.lines); got != c.want {
			t.Errorf("%s: %s: %q, want %q", c.file, c.lines, got, c.want)
		}
	}
	for _, c := range []string{
		`a.sh echo "$(date +%FT%T) [$$] started" >> "$LOG"`,
		"a.sh today=$(date +%F)\necho \"$today\" >> report-2026-11.txt",
		"a.sh today=$(date +%F)\ncase $1 in 2026-*) year=2026 ;; esac",
		"a.sh stamp=$(date +%Y%m%d)\n[ \"$stamp\" = \"$last\" ] || echo \"$stamp\" > last",
		"a.py now = datetime.now()\nlog.info('%s: since 2026-01-01', now)",
		`a.sh tmp=/tmp/total.$$`,
		`a.js if (dir.startsWith(os.tmpdir())) fs.rmSync(dir, { recursive: true });`,
		`a.py work = os.path.join(tempfile.gettempdir(), name)`,
		`a.sh began=$SECONDS; log "took $((SECONDS - began)) seconds"`,
		`a.sh if [ -t 1 ]; then bold=$(tput bold); fi`,
		`a.sh up=$(cut -d' ' -f1 /proc/uptime); echo "up $up"`,
		`a.sh [ $(($(date +%s) - last)) -gt 86400 ] && fetch`,
		`a.sh git rev-parse --show-toplevel`,
		`a.sh # the test/run.sh shows it: [ -e test/run.sh ]`,
		`a.py log.info("pid %d at %s", os.getpid(), datetime.now())`,
		`a.py name = f"out-{os.getpid() % 1000}.tmp"`,
		"a.py began = time.monotonic()\nif time.monotonic() - began > 30:",
		"a.py if sys.stdout.isatty():\n    style = BOLD",
		`a.py if sys.argv[1:] == ["x"] and datetime.now().hour:`,
		"a.js const id = new Date().toISOString().slice(0, 10) + '-2026-01';",
		`a.sh cd "$PWD/lib" && [ "$PWD" != "$OLDPWD" ]`,
		`a.py sys.modules[__name__].__doc__`,
		`a.py if (date.today() - born).days > 6570:`,
		`a.py if datetime.now() - saved > timedelta(days=30):`,
		`a.py caller = inspect.stack()[1].function`,
		`a.py parser = argparse.ArgumentParser(prog=os.path.basename(sys.argv[0]))`,
		`a.py packages=find_packages(exclude=["tests", "tests.*"])`,
		`a.py if os.path.exists("config.toml"):`,
		`a.js const color = process.stdout.isTTY ? "\x1b[1m" : "";`,
		"a.js const began = performance.now();\nif (performance.now() - began > 500) warn();",
		"a.js if (require.main === module) {",
		`a.js const root = path.dirname(require.main.filename);`,
		`a.js console.error(new Date().toISOString(), process.pid, err.stack);`,
		`a.js if (Date.now() - cache.at > 86400000) {`,
		`a.js setTimeout(f, 24 * 60 * 60 * 1000); Date.now();`,
		`a.go slog.Info("started", "pid", os.Getpid(), "at", time.Now())`,
		`a.go if time.Since(saved) > 24*time.Hour {`,
		`a.go rand.New(rand.NewSource(time.Now().UnixNano() + int64(os.Getpid())))`,
		`a.go if _, err := os.Stat("go.mod"); err != nil {`,
		`a.go data, err := os.ReadFile(filepath.Join(dir, "testdata.json"))`,
		`a.java long pid = ProcessHandle.current().pid();`,
		`a.java LOG.fine("up " + ManagementFactory.getRuntimeMXBean().getUptime() + " ms, 1000");`,
		`a.java assert n >= 0 : "negative";`,
		`a.java LOG.info(System.getProperty("java.class.path"));`,
		`a.c if (isatty(1)) puts("\033[0m");`,
		`a.c fprintf(stderr, "%ld [%d]\n", (long) time(NULL), (int) getpid());`,
		`a.c srand(time(NULL) ^ getpid());`,
	} {
		file, lines, _ := strings.Cut(c, " ")
		if got := found(file, lines); got != "" {
			t.Errorf("%s: %s: %q", file, lines, got)
		}
	}
	deceives := func(what string) bool { return Difference{What: what}.Deceives() }
	if !slices.ContainsFunc([]string{Onlooker, Ending, Lot, AsksChanges}, deceives) {
		t.Error("none deceives")
	}
}
