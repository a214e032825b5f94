const fs = require("fs"), os = require("os"), path = require("path"), { spawnSync } = require("child_process");

const CORE = {
"lib/lines.js": `
"use strict";
// Lines of a file, or of what comes in ("-"), one after another.
const fs = require("fs");

async function* lines(path) {
  const input = path === "-" ? process.stdin : fs.createReadStream(path);
  input.setEncoding("utf8");
  let rest = "";
  for await (const chunk of input) {
    rest += chunk;
    let end;
    while ((end = rest.indexOf("\\n")) >= 0) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
  }
  if (rest !== "") yield rest;
}

module.exports = { lines };
`,
"lib/tickets.js": `
"use strict";
// Tickets of a file, a JSON object a line. Numbers have up to twenty digits and are texts here.
const { lines } = require("./lines");

function parse(line) {
  const raw = JSON.parse(line.replace(/"id":\\s*(\\d+)/, '"id":"$1"'));
  return { id: raw.id, by: raw.by, form: raw.form, day: raw.day, at: new Date(raw.at), text: raw.text, tags: raw.tags || [] };
}

async function* tickets(path) {
  for await (const line of lines(path)) {
    if (line.trim() !== "") yield parse(line);
  }
}

async function find(path, id) {
  const found = [];
  for await (const ticket of tickets(path)) {
    if (ticket.id === id) found.push(ticket);
  }
  return found;
}

module.exports = { tickets, find };
`,
"lib/tally.js": `
"use strict";
// Counts and groups by a key that users choose.

function count(items, key) {
  const seen = new Map();
  for (const item of items) seen.set(key(item), (seen.get(key(item)) || 0) + 1);
  return [...seen].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}

function top(items, key, n) {
  return count(items, key).sort((a, b) => b[1] - a[1]).slice(0, n);
}

module.exports = { count, top };
`,
"lib/days.js": `
"use strict";
// Calendar days as 2026-03-01. When something came is a time; the day it came on is that of
// the desk, where the program runs. When something is due is a day everywhere.

const two = (n) => String(n).padStart(2, "0");

function came(at) {
  return at.getFullYear() + "-" + two(at.getMonth() + 1) + "-" + two(at.getDate());
}

// due is the day that lies so many days of work behind another; weekends don't count.
function due(day, work) {
  const at = new Date(day + "T00:00:00Z");
  while (work > 0) {
    at.setUTCDate(at.getUTCDate() + 1);
    if (at.getUTCDay() % 6 !== 0) work--;
  }
  return at.toISOString().slice(0, 10);
}

module.exports = { came, due };
`,
"lib/settings.js": `
"use strict";
// Settings of a client lie on those of its group, and both on the defaults.
const registry = require("./registry");

const plain = (v) => v !== null && typeof v === "object" && Object.getPrototypeOf(v) === Object.prototype;

function merge(below, above) {
  const out = { ...below };
  for (const [key, value] of Object.entries(above)) {
    out[key] = plain(value) && plain(below[key]) ? merge(below[key], value) : value;
  }
  return out;
}

const DEFAULTS = {
  colours: { head: "black", line: "grey", late: "red" },
  limits: { rows: Infinity, width: 60 },
  show: { id: true, by: true, day: true, due: true },
  heading: (name) => "== " + name,
  mark: /!+$/,
};

function settings(name) {
  const client = registry.client(name);
  return merge(merge(DEFAULTS, registry.group(client.group).settings), client.settings);
}

module.exports = { settings, merge };
`,
"lib/flags.js": `
"use strict";
// What forms look for in texts: how many tickets have it, and how often it is there in all.

function flagged(form, tickets) {
  return tickets.filter((t) => new RegExp(form.pattern.source, form.pattern.flags).test(t.text));
}

function hits(form, tickets) {
  return tickets.reduce((n, t) => n + [...t.text.matchAll(form.pattern)].length, 0);
}

module.exports = { flagged, hits };
`,
"lib/registry.js": `
"use strict";
// Forms, groups and clients by name; each is a file.
const fs = require("fs");
const path = require("path");

const loaded = {};

function all(kind) {
  if (!loaded[kind]) {
    const dir = path.join(__dirname, "..", kind);
    loaded[kind] = new Map(fs.readdirSync(dir).sort().map((f) => [f.replace(/\\.js$/, ""), require(path.join(dir, f))]));
  }
  return loaded[kind];
}

function one(kind, name) {
  const thing = all(kind).get(name);
  if (!thing) throw new Error("desk: nothing in " + kind + " is called " + name);
  return thing;
}

module.exports = {
  forms: () => all("forms"), form: (n) => one("forms", n), group: (n) => one("groups", n), client: (n) => one("clients", n),
};
`,
"lib/show.js": `
"use strict";
const { came, due } = require("./days");
const registry = require("./registry");

function row(ticket, s) {
  const form = registry.form(ticket.form);
  const parts = [];
  if (s.show.id) parts.push("#" + ticket.id);
  if (s.show.by) parts.push(ticket.by);
  if (s.show.day) parts.push(came(ticket.at));
  if (s.show.due) parts.push(due(ticket.day, form.days));
  parts.push(s.colours.line + ":", ticket.text.length > s.limits.width ? ticket.text.slice(0, s.limits.width) + "…" : ticket.text);
  if (s.mark.test(ticket.text)) parts.push("(" + s.colours.late + ")");
  return parts.join(" ");
}

function page(name, tickets, s) {
  return [s.heading(name) + " " + s.colours.head, ...tickets.slice(0, s.limits.rows).map((t) => row(t, s))];
}

module.exports = { page };
`,
"lib/cli.js": `
"use strict";
// desk tally FILE by|form|tag | top FILE | get FILE ID | flags FILE | days FILE | list FILE CLIENT...
// FILE may be "-": what comes in.
const { tickets, find } = require("./tickets");
const { count, top } = require("./tally");
const { came, due } = require("./days");
const { flagged, hits } = require("./flags");
const { settings } = require("./settings");
const { page } = require("./show");
const registry = require("./registry");

async function read(path) {
  const all = [];
  for await (const ticket of tickets(path)) all.push(ticket);
  return all;
}

const commands = {
  async tally(path, field) {
    const all = await read(path);
    const items = field === "tag" ? all.flatMap((t) => t.tags.map((tag) => ({ tag }))) : all;
    return count(items, (t) => t[field]).map(([key, n]) => key + " " + n);
  },
  async top(path) {
    return top(await read(path), (t) => t.by, 5).map(([key, n]) => key + " " + n);
  },
  async get(path, id) {
    return (await find(path, id)).map((t) => t.id + " " + t.by + ": " + t.text);
  },
  async flags(path) {
    const all = await read(path);
    return [...registry.forms()].map(([name, form]) => {
      const mine = all.filter((t) => t.form === name);
      return name + " " + flagged(form, mine).length + " " + hits(form, mine);
    });
  },
  async days(path) {
    const all = await read(path);
    return count(all, (t) => came(t.at)).map(([day, n]) => day + " " + n)
      .concat(count(all, (t) => due(t.day, registry.form(t.form).days)).map(([day, n]) => "due " + day + " " + n));
  },
  async list(path, ...names) {
    const all = await read(path);
    return names.flatMap((name) => page(name, all.filter((t) => registry.client(name).forms.includes(t.form)), settings(name)));
  },
};

async function main(argv) {
  const [what, ...words] = argv;
  if (!Object.hasOwn(commands, what) || words.length === 0) {
    console.error("usage: desk tally|top|get|flags|days|list FILE [WORD...]");
    return 2;
  }
  process.stdout.write((await commands[what](...words)).map((line) => line + "\\n").join(""));
  return 0;
}

module.exports = { main };
`,
};
const FORMS = ("access address apology billing callback cancel claim collect complaint contract damage delay delivery deposit export fraud gift import " +
  "invoice loan lost meter outage parking pension permit pickup quote refund renewal repair return survey transfer upgrade voucher warranty wrong").split(" ");
const CLIENTS = "aldo berta carla dorn ehm fink gross hein ilse jahn kolb lange moor nagel ott pohl quast rau sand thal uhl voss wolf zorn".split(" ");
const NAMES = ["ann", "bob", "Łucja", "søren", "günther", "zoë", "constructor", "__proto__", "toString", "valueOf", "hasOwnProperty", "eve", "mallory", "李雷"];
const WORDS = ("please money back déjà vu Straße nobody answers since Monday it is broken again cost €9 overdue refunds refund Äpfel naïve box №7 lost " +
  "parcel 日本 ring me tomorrow urgent urgent! help late fee fees REFUND Broken Money Urgent HELP").split(" ");

function dice(seed) { // numbers from 0 to n - 1 that follow from the seed
  let a = (Number(BigInt(seed) % 4294967291n)) >>> 0;
  return (n) => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

function form(r, name) {
  const fields = Array.from({ length: 4 + r(5) }, (_, i) => `    { name: "${name}_${WORDS[r(10)]}_${i}", required: ${r(2) === 0}, least: ${r(9)}, most: ${10 + r(90)}, label: "${WORDS[r(WORDS.length)]} ${WORDS[r(WORDS.length)]}" },\n`);
  const steps = Array.from({ length: 6 + r(9) }, () => `    { who: "${NAMES[r(5)]}", days: ${r(9)}, then: "${FORMS[r(FORMS.length)]}" },\n`);
  const words = [...new Set(Array.from({ length: 3 }, () => WORDS[r(WORDS.length)].replace(/\W/g, ".")))];
  return `"use strict";
// The form ${name}: what it asks for, who sees it when, and what its texts are searched for.

module.exports = {
  title: "${name[0].toUpperCase() + name.slice(1)}",
  days: ${1 + r(15)},
  pattern: /${words.join("|")}/gi,
  fields: [
${fields.join("")}  ],
  steps: [
${steps.join("")}  ],
  valid(ticket) {
    return this.fields.every((f) => !f.required || (ticket.text.length >= f.least && ticket.text.length <= f.most * 10));
  },
};
`;
}

function client(r, name) {
  const own = [];
  if (r(2)) own.push(`colours: { ${["head", "line", "late"][r(3)]}: "${["blue", "green", "amber", "pink"][r(4)]}" }`);
  if (r(2)) own.push(`limits: { ${r(2) ? `rows: ${3 + r(9)}` : `width: ${20 + r(60)}`} }`);
  if (r(3) === 0) own.push(`show: { ${["id", "by", "day", "due"][r(4)]}: false }`);
  if (r(4) === 0) own.push(`heading: (name) => "## " + name.toUpperCase()`);
  if (r(4) === 0) own.push(`mark: /urgent$/i`);
  const forms = [...new Set(Array.from({ length: 9 }, () => FORMS[r(FORMS.length)]))];
  return `"use strict";
// ${name}, a client since ${1990 + r(35)}.

module.exports = {
  group: "g${r(3)}",
  forms: ${JSON.stringify(forms)},
  settings: {
${own.map((o) => "    " + o + ",\n").join("")}  },
  contacts: [
${Array.from({ length: 5 + r(10) }, () => `    { name: "${NAMES[r(6)]}", line: "${100 + r(900)}", from: ${6 + r(6)}, to: ${14 + r(8)} },\n`).join("")}  ],
};
`;
}

function base(to, seed) { // writes the program to a directory
  const r = dice(seed), files = { ...CORE };
  for (const n of FORMS) files[`forms/${n}.js`] = form(r, n);
  for (const n of CLIENTS) files[`clients/${n}.js`] = client(r, n);
  for (let i = 0; i < 3; i++) files[`groups/g${i}.js`] = `"use strict";\n\nmodule.exports = { settings: { colours: { late: "${["red", "orange", "brown"][r(3)]}" }, limits: { width: ${40 + r(60)} } } };\n`;
  files.desk = "#!/usr/bin/env node\nrequire(\"./lib/cli\").main(process.argv.slice(2)).then((s) => { process.exitCode = s; }, (e) => { console.error(e.message); process.exitCode = 1; });\n";
  files["package.json"] = '{\n  "name": "desk",\n  "version": "4.2.0",\n  "private": true,\n  "type": "commonjs"\n}\n';
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
    fs.writeFileSync(path.join(to, name), text.replace(/^\n/, ""));
  }
  fs.chmodSync(path.join(to, "desk"), 0o755);
}

function fault(to, name, ...pairs) {
  const file = path.join(to, name);
  let text = fs.readFileSync(file, "utf8");
  for (const [a, b] of pairs) {
    if (!text.includes(a)) throw new Error(name + " has no " + a);
    text = text.replace(a, () => b);
  }
  fs.writeFileSync(file, text);
}

// write writes tickets, drawn; year gives the year of each, words says how many their texts have at most.
function write(file, seed, n, { year = () => 2026, words = 12 } = {}) {
  const r = dice(seed), out = [];
  let id = 9007199254740900n + BigInt(r(50));
  for (let i = 0; i < n; i++) {
    id += BigInt(1 + (r(4) === 0 ? r(5) : 0));
    const day = new Date(Date.UTC(year(), r(12), 1 + r(28)));
    const at = new Date(day.getTime() + r(86400) * 1000);
    const text = Array.from({ length: 2 + r(words) }, () => WORDS[r(WORDS.length)]).join(" ") + (r(5) === 0 ? "!" : "") + (r(9) === 0 ? ' "id": 5' : "");
    const rest = JSON.stringify({ by: NAMES[r(NAMES.length)], form: FORMS[r(FORMS.length)], day: day.toISOString().slice(0, 10), at, text, tags: [WORDS[r(8)], NAMES[r(9)]] });
    out.push(`{"id": ${id}, ${rest.slice(1)}`);
  }
  fs.writeFileSync(file, out.join("\n") + "\n");
  return id;
}

function say(to, words, env, input) {
  const got = spawnSync(path.join(to, "desk"), words, { encoding: "utf8", env: { ...process.env, ...env }, input, maxBuffer: 1 << 28, timeout: 30000 });
  return got.status + " " + got.stdout;
}

// same says whether the program answers as the one without a fault does. A command is
// [words, environment, whether the file comes in]; FILE stands for tickets that are drawn,
// LAST and NEXT for the number of the last of them and the one before. What also does has been done
// to the program that is judged.
function same(to, seed, draws, commands, n = 400, { also = () => {}, ...drawn } = {}) {
  const ref = fs.mkdtempSync(path.join(os.tmpdir(), "a")), data = fs.mkdtempSync(path.join(os.tmpdir(), "b"));
  base(ref, seed);
  also(ref);
  const asked = draws.flatMap((draw, i) => {
    const file = path.join(data, i + ".jsonl"), last = write(file, draw, n, drawn);
    const put = (w) => ({ FILE: file, LAST: String(last), NEXT: String(last - 1n) })[w] ?? w;
    return commands.map(([words, env, piped]) => [words.split(" ").map((w) => (piped && w === "FILE" ? "-" : put(w))), env, piped ? fs.readFileSync(file) : undefined]);
  });
  const want = asked.map((a) => say(ref, ...a));
  fs.rmSync(ref, { recursive: true }); // before the program runs that is judged: it could run this one
  const ok = asked.every((a, i) => want[i].startsWith("0 ") && want[i] === say(path.resolve(to), ...a));
  fs.rmSync(data, { recursive: true });
  return ok;
}
