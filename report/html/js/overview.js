// What the reader chose; it outlives news from a run that goes on.
const wanted = { search: "", run: "", model: "", task: "", status: "", cause: "" };
const sorts = new Map();
let hardest = false;

const rows = () => $$(".trials tbody tr");
const visibleRows = () => rows().filter((r) => !r.hidden);
const rowOf = (id) => rows().find((r) => r.dataset.id === id);

// finder tells whether a trial's names or transcript hold a text.
const finder = (needle) => {
  const has = (s) => s !== undefined && s.toLowerCase().includes(needle);
  const texts = data.texts.map(has);
  const holds = (t) => (typeof t === "number" ? texts[t] : has(t));
  return (t, row) => has(row.textContent) || (t && t.attempts.some((a) => has(a.detail) ||
    a.entries.some((e) => holds(e.text) || holds(e.out) || has(e.who)) ||
    ((a.changes && a.changes.files) || []).some((f) => has(f.path) || holds(f.diff)) ||
    (a.verdicts || []).some((v) => has(v.check) || has(v.detail) || (v.evidence || []).some(([, x]) => has(x)))));
};

const filter = () => {
  const found = wanted.search ? finder(wanted.search.toLowerCase()) : () => true;
  let n = 0;
  for (const row of rows()) {
    const fits = ["run", "model", "task", "status", "cause"].every((k) => !wanted[k] || row.dataset[k] === wanted[k]);
    row.hidden = !(fits && found(byID.get(row.dataset.id), row));
    if (!row.hidden) n++;
  }
  const all = rows().length;
  $("#count").textContent = n === all ? `${all}` : `${n} of ${all}`;
  $("#nothing").hidden = n > 0;
  $("#nothing").textContent = "No trial fits these filters." + (wanted.search && data.note ? " Searched is what this page has: long transcripts are cut here." : "");
};

// sortKey is what a cell is sorted by: a number, else its text.
const sortKey = (cell) => {
  const s = cell.dataset.sort ?? cell.textContent;
  return s === "" || isNaN(s) ? s : Number(s);
};

const compare = (a, b) => {
  if (a === b) return 0;
  if (a === "") return 1;
  if (b === "") return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
};

// sort orders a table by a column; what is unknown stands last either way.
const sort = (table, column, down) => {
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((r) => [sortKey(r.cells[column]), r]);
  keyed.sort(([a], [b]) => (a === "" || b === "" || !down ? compare(a, b) : -compare(a, b)));
  body.append(...keyed.map(([, r]) => r));
  $$("thead th", table).forEach((th, i) => (i === column ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort")));
};

const sortTasks = () => {
  const button = $("#hardest");
  if (!button) return;
  const body = $(".map tbody");
  button.hidden = false;
  button.setAttribute("aria-pressed", hardest);
  const order = (r) => (hardest ? sortKey({ dataset: { sort: r.dataset.rate } }) : Number(r.dataset.place));
  [...body.rows].forEach((r, i) => (r.dataset.place ??= i));
  body.append(...[...body.rows].sort((a, b) => compare(order(a), order(b))));
};

// enhance gives the overview, fresh from the file or from news, what only a
// script can.
const enhance = () => {
  const form = $("#filters");
  form.hidden = false;
  $("#search").value = wanted.search;
  for (const s of $$("select", form)) {
    s.value = wanted[s.dataset.filter];
    if (s.selectedIndex < 0) s.value = wanted[s.dataset.filter] = "";
  }
  for (const table of $$("table[data-sortable]")) {
    $$("thead th", table).forEach((th) => th.replaceChildren(el("button", { type: "button", "data-sorts": true }, th.textContent)));
    const s = sorts.get(table.className);
    if (s) sort(table, s.column, s.down);
  }
  sortTasks();
  filter();
};

document.addEventListener("input", (e) => {
  if (e.target.id === "search") wanted.search = e.target.value;
  else if (e.target.dataset.filter) wanted[e.target.dataset.filter] = e.target.value;
  else return;
  filter();
});

document.addEventListener("submit", (e) => {
  if (e.target.id === "filters") e.preventDefault();
});

document.addEventListener("reset", () => {
  for (const k of Object.keys(wanted)) wanted[k] = "";
  $("#search").value = "";
  $$("#filters select").forEach((s) => (s.value = ""));
  filter();
});

document.addEventListener("click", (e) => {
  if (e.target.id === "hardest") {
    hardest = !hardest;
    sortTasks();
  }
  if (!e.target.matches("[data-sorts]")) return;
  const th = e.target.closest("th");
  const table = th.closest("table");
  const before = sorts.get(table.className);
  const column = th.cellIndex;
  // A first click on a number shows the greatest first, on a name the first.
  const down = before && before.column === column ? !before.down : [...table.tBodies[0].rows].some((r) => typeof sortKey(r.cells[column]) === "number");
  sorts.set(table.className, { column, down });
  sort(table, column, down);
});
