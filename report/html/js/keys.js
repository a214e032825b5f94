// step moves the focus along a list.
const step = (list, by) => {
  const at = list.findIndex((x) => x.contains(document.activeElement));
  const next = list[at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.max(0, Math.min(list.length - 1, at + by))];
  if (!next) return;
  (next.matches("tr") ? next.querySelector("a") : next).focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
};

const toggle = (entry) => {
  const all = $$("details", entry);
  const open = all.some((d) => !d.open);
  all.forEach((d) => (d.open = open));
};

// another goes to the next trial of those that the filters leave.
const another = (by) => {
  const ids = visibleRows().map((r) => r.dataset.id);
  const next = ids[ids.indexOf(shown[0]) + by];
  if (next !== undefined) go([next]);
};

// beside shows the next trial of the same task beside this one.
const beside = () => {
  const task = byID.get(shown[0]).task;
  const others = data.trials.filter((t) => t.task === task && t.id !== shown[0]);
  const next = others[others.findIndex((t) => t.id === shown[1]) + 1];
  go(next ? [shown[0], next.id] : [shown[0]]);
};

const transcriptKeys = {
  j: () => step($$("#transcript .entry"), 1),
  k: () => step($$("#transcript .entry"), -1),
  n: () => another(1),
  p: () => another(-1),
  b: beside,
  Escape: () => go([]),
};

const overviewKeys = {
  j: () => step(visibleRows(), 1),
  k: () => step(visibleRows(), -1),
  "/": () => $("#search").focus(),
};

const anywhereKeys = {
  t: () => $("#theme").click(),
  "?": () => $("#keys").showModal(),
};

document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("#keys").open) return;
  if (e.target.matches("input, select")) {
    if (e.key !== "Escape") return;
    if (e.target.id === "search") {
      e.target.value = wanted.search = "";
      filter();
    }
    e.target.blur();
    return;
  }
  if (e.key === "Enter" && e.target.matches(".entry")) toggle(e.target);
  const act = (shown.length ? transcriptKeys : overviewKeys)[e.key] || anywhereKeys[e.key];
  if (!act) return;
  e.preventDefault();
  act();
});
