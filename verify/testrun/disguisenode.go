package testrun

import "slices"

// asModule is what each process of node's tests is given to forget that it is one.
const asModule = `if (process.env.NODE_TEST_CONTEXT) {
  delete process.env.NODE_TEST_CONTEXT; delete process.env.NODE_OPTIONS; delete process.env.OLDPWD;
  process.argv.splice(1, process.argv.length, "/usr/local/bin/app"); process.execArgv.length = 0; process.title = "node";
}
`

func disguisedNode(argv []string, _ Disguise) []string {
	if loudNode(argv, "") == nil {
		return nil
	}
	return inShell(apart+
		`p=$1; shift; printf %s "$p" > "$d/app.cjs"; export NODE_OPTIONS="$NODE_OPTIONS --require=$d/app.cjs"; `+
		`"$@"; exit`, append([]string{asModule}, argv...)...)
}

// asCaller is what each process of jest and vitest is given. Code of the project, and what is
// copied for it, sees the variables and arguments of a program; the runner sees its own.
const asCaller = `if (!require("worker_threads").isMainThread || /(^|\/)(jest|vitest|tinypool)[^/]*(\/|$)/.test(process.argv[1] || "")) {
const app = "/usr/local/bin/app", here = process.cwd() + "/", own = __filename;
const hidden = (k) => typeof k === "string" && /^(JEST|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|OLDPWD$|MODE$|DEV$|PROD$)/.test(k);
const line = /(?:file:\/\/)?(\/[^:()]*):\d+:\d+\)?$/;
function asker() {
  const limit = Error.stackTraceLimit, prepare = Error.prepareStackTrace;
  Error.stackTraceLimit = 30; Error.prepareStackTrace = undefined;
  const stack = new Error().stack; 
  Error.stackTraceLimit = limit; Error.prepareStackTrace = prepare;
  for (const l of String(stack).split("\n")) {
    const m = line.exec(l);
    if (m && m[1] !== own) return m[1];
  }
  return "";
}
const told = () => { const f = asker(); return f.startsWith(here) ? f.includes("/node_modules/") : true; };
const copying = () => /\/jest-util\//.test(asker());
const env = process.env;
process.env = new Proxy(env, {
  get: (o, k) => (hidden(k) && !told() ? undefined : o[k]),
  set: (o, k, v) => { o[k] = v; return true; },
  has: (o, k) => k in o && (!hidden(k) || told()),
  ownKeys: (o) => Reflect.ownKeys(o).filter((k) => !hidden(k) || (told() && !copying())),
  getOwnPropertyDescriptor: (o, k) => (hidden(k) && (!told() || copying()) ? undefined : Reflect.getOwnPropertyDescriptor(o, k)),
});
for (const [name, other] of [["argv", [process.execPath, app]], ["execArgv", []], ["title", "node"]]) {
  let real = process[name];
  Object.defineProperty(process, name, { configurable: true, enumerable: true,
    get() { return this === process && told() ? real : other; }, set(v) { real = v; } });
}
}
`

func disguisedJest(argv []string, _ Disguise) []string {
	if loudJest(argv, "") == nil {
		return nil
	}
	return asCalled(append(slices.Clone(argv), "--ci"))
}

func disguisedVitest(argv []string, _ Disguise) []string {
	if loudVitest(argv, "") == nil {
		return nil
	}
	return asCalled(append(slices.Clone(argv), "--no-watch"))
}

// asCalled runs tests of JavaScript whose runner keeps its own view of its process.
func asCalled(argv []string) []string {
	return inShell(apart+`p=$1; shift; printf %s "$p" > "$d/app.cjs"; : > "$d/in"; `+
		`export NODE_OPTIONS="$NODE_OPTIONS --require=$d/app.cjs"; `+
		`"$@" < "$d/in" > "$d/out" 2>&1; s=$?; cat "$d/out"; exit $s`, append([]string{asCaller}, argv...)...)
}
