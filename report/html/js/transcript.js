// shown is what the transcript view shows: ids of one or two trials.
let shown = [];

const hashOf = (ids) => "#t=" + ids.map(encodeURIComponent).join("&b=");

// asked reads the ids from the address; only trials of one task stand side by
// side.
const asked = () => {
  if (home) return [data.trials[0].id];
  const q = new URLSearchParams(location.hash.slice(1));
  const [first, second] = [q.get("t"), q.get("b")].map((id) => byID.get(id));
  if (!first) return [];
  return second && second.task === first.task && second !== first ? [first.id, second.id] : [first.id];
};

// folding shows short text as it is and the rest on request.
const folding = (key, label, content, open) => {
  const lines = content.split("\n").length;
  if (lines <= 4 && content.length <= 320) return el("pre", {}, content);
  return el("details", { "data-key": key, open }, el("summary", {}, `${label}, ${lines} ${lines === 1 ? "line" : "lines"}`), el("pre", {}, content));
};

const entryHead = (e) => {
  const who = { said: e.who, reply: "model", call: e.who, hook: "hook " + (e.who || ""), note: e.who }[e.kind];
  return el("header", {},
    el("span", { class: "step" }, e.step ? `step ${e.step}` : ""),
    el("b", {}, who || e.kind),
    e.bad ? el("span", { class: "tag bad" }, e.kind === "hook" ? "stopped" : "failed") : null,
    e.waits ? el("span", { class: "tag" }, "has not returned") : null,
    el("span", { class: "facts" }, e.facts || ""));
};

const entryOf = (e, key) => {
  const body = [];
  if (e.text !== undefined) body.push(folding(key + "t", e.kind === "call" ? "arguments" : "text", text(e.text), !e.folded));
  if (e.out !== undefined) body.push(folding(key + "o", "output", text(e.out), false));
  if (e.kind === "call" && e.out === undefined && !e.waits) body.push(el("p", { class: "note" }, "no output"));
  return el("li", { class: `entry ${e.kind}${e.bad ? " bad" : ""}`, tabindex: "-1" }, entryHead(e), ...body);
};

const facts = (pairs) => el("dl", { class: "pairs" }, ...pairs.map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));

const verdictOf = (v, key) => {
  const line = [el("span", { class: "out " + v.status }, `${glyphs[v.status]} ${heldWords[v.status]}`), " ", el("b", {}, v.check), v.strength ? el("span", { class: "tag" }, v.strength) : null, v.detail ? el("span", {}, " " + v.detail) : null];
  if (!v.evidence) return el("li", { class: "verdict" }, ...line);
  const brief = (t) => t.length < 40 && !t.includes("\n");
  const evidence = v.evidence.map(([k, t]) => el("div", {}, el("dt", {}, k), el("dd", {}, brief(t) ? el("code", {}, t) : el("pre", {}, t))));
  return el("li", { class: "verdict" }, el("details", { "data-key": key, open: v.status !== "pass" }, el("summary", {}, ...line), el("dl", { class: "evidence" }, ...evidence)));
};

// diffLine shows one line of a diff; its sign says what became of it.
const diffLine = (line) => {
  const kind = { "+": "add", "-": "del", "@": "hunk", "\\": "hunk" }[line[0]];
  return kind ? el("span", { class: kind }, line + "\n") : line + "\n";
};

const changeOf = (f, key) => {
  const line = [el("code", {}, f.path), el("span", { class: "tag" }, f.what), el("span", { class: "facts" }, f.facts || "")];
  const left = f.left ? el("p", { class: "note" }, `${f.left} lines of the difference are left out of this page`) : null;
  if (f.diff === undefined) return el("li", { class: "change" }, el("header", {}, ...line), left);
  return el("li", { class: "change" }, el("details", { "data-key": key }, el("summary", {}, ...line), el("pre", { class: "diff" }, ...text(f.diff).split("\n").map(diffLine)), left));
};

// changesOf shows what an attempt left: its files, each against where it began.
const changesOf = (c, key) => el("section", { class: "changes", "aria-label": "final state" },
  el("h3", {}, c.count === 0 ? "Final state: no file was changed" : `Final state: ${c.count} ${c.count === 1 ? "file" : "files"} changed`),
  c.note ? el("p", { class: "note" }, c.note) : null,
  c.files ? el("ul", {}, ...c.files.map((f, i) => changeOf(f, `${key}c${i}`))) : null,
  c.more ? el("p", { class: "note" }, `… and ${c.more} more, left out of this page`) : null);

const attemptOf = (a, key, last) => {
  const entries = a.entries.map((e, i) => entryOf(e, `${key}e${i}`));
  if (a.gap) entries.splice(a.gapAt, 0, el("li", { class: "note" }, `… ${a.gap} entries are left out of this page …`));
  return el("details", { class: "attempt", "data-key": key, open: last },
    el("summary", {}, `attempt ${a.n}: `, el("span", { class: "out " + a.status }, `${glyphs[a.status]} ${words[a.status]}`)),
    a.detail ? el("p", { class: "why" }, a.detail) : null,
    a.facts ? facts(a.facts) : null,
    a.verdicts ? el("ul", { class: "verdicts", "aria-label": "verdicts" }, ...a.verdicts.map((v, i) => verdictOf(v, `${key}v${i}`))) : null,
    a.changes ? changesOf(a.changes, key) : null,
    el("ol", { class: "entries", "aria-label": "what was said and done" }, ...entries));
};

const pane = (t) => {
  const attempts = t.attempts.map((a, i) => attemptOf(a, `${t.id}/${a.n}`, i === t.attempts.length - 1));
  return el("article", { class: "pane", "aria-label": `${t.model}, trial ${t.id}` },
    el("h2", {}, t.run ? el("span", { class: "tag" }, "run " + t.run) : null, t.run ? " " : null, t.model, " ", el("span", { class: "out " + t.status }, `${glyphs[t.status]} ${words[t.status]}`)),
    el("p", { class: "note" }, `trial ${t.id}${t.n > 1 ? `, repeat ${t.n}` : ""}`),
    t.cut ? el("p", { class: "banner" }, data.note, t.whole ? " " : "", t.whole ? el("a", { href: t.whole }, "The whole transcript") : "") : null,
    ...(attempts.length ? attempts : [el("p", {}, t.status === "open" ? "This trial has not begun." : "Its run was read from a report: what was said and done is in its journal.")]));
};

// choice lets one of the trials of the same task be chosen.
const choice = (label, name, first, none) => {
  const others = data.trials.filter((t) => t.task === first.task);
  const now = name === "b" ? shown[1] : shown[0];
  return el("label", {}, label, el("select", { "data-pane": name },
    none ? el("option", { value: "" }, none) : null,
    ...others.map((t) => el("option", { value: t.id, selected: t.id === now }, `${glyphs[t.status]} ${t.model} · ${t.id}`))));
};

// marked shows where a transcript holds what was searched for, and unfolds it. A
// browser without highlights shows the page as it is.
const marked = (needle) => {
  if (!window.Highlight) return;
  const ranges = [];
  const walker = document.createTreeWalker($("#transcript"), NodeFilter.SHOW_TEXT);
  while (needle && ranges.length < 2000 && walker.nextNode()) {
    const node = walker.currentNode;
    const lower = node.data.toLowerCase();
    if (lower.length !== node.data.length || node.parentElement.closest(".controls")) continue;
    for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, at + needle.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
    if (!lower.includes(needle)) continue;
    for (let d = node.parentElement.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
  }
  CSS.highlights.set("found", new Highlight(...ranges));
};

const draw = () => {
  const [first] = shown.map((id) => byID.get(id));
  $("#transcript").replaceChildren(
    el("div", { class: "controls" },
      el("a", { class: "button", href: home || "#" }, "← All trials"),
      home ? null : choice("trial", "t", first), home ? null : choice("beside", "b", first, "nothing"),
      el("button", { type: "button", "data-unfold": true }, "Unfold all")),
    el("h1", {}, first.task),
    el("div", { class: shown.length > 1 ? "panes two" : "panes" }, ...shown.map((id) => pane(byID.get(id)))));
  marked(wanted.search.toLowerCase());
};

// redraw draws again after news, and leaves folds and the cursor as they were.
const redraw = () => {
  const folds = new Map($$("#transcript details").map((d) => [d.dataset.key, d.open]));
  const cursor = $$("#transcript .entry").indexOf(document.activeElement);
  draw();
  for (const d of $$("#transcript details")) if (folds.has(d.dataset.key)) d.open = folds.get(d.dataset.key);
  if (cursor >= 0) $$("#transcript .entry")[cursor]?.focus({ preventScroll: true });
};

let scrolled = 0;

// route shows what the address asks for: a transcript, two, or the overview.
const route = () => {
  const before = shown;
  shown = asked();
  const open = shown.length > 0;
  if (open && before.length === 0) scrolled = scrollY;
  $("#overview").hidden = open;
  $("#transcript").hidden = !open;
  if (open) {
    draw();
    $("#transcript").focus();
    scrollTo(0, 0);
  } else if (before.length > 0) {
    $("#transcript").replaceChildren();
    scrollTo(0, scrolled);
    rowOf(before[0])?.querySelector("a").focus({ preventScroll: true });
  }
};

const go = (ids) => {
  if (home) {
    if (!ids.length) location.href = home;
    return;
  }
  location.hash = ids.length ? hashOf(ids) : "";
};

document.addEventListener("change", (e) => {
  const which = e.target.dataset.pane;
  if (which === "t") go([e.target.value, ...shown.slice(1)]);
  if (which === "b") go(e.target.value ? [shown[0], e.target.value] : [shown[0]]);
});

const unfold = (open) => $$("details").forEach((d) => (d.open = open));

document.addEventListener("click", (e) => {
  if (!e.target.matches("[data-unfold]")) return;
  const open = e.target.textContent === "Unfold all";
  $$("#transcript .attempt details").forEach((d) => (d.open = open));
  e.target.textContent = open ? "Fold all" : "Unfold all";
});
