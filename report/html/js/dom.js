// Foreign text becomes text nodes and attribute values, never markup.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// el makes an element. Attributes that are false or missing are left out;
// children are elements or text.
const el = (name, attributes, ...children) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false) e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.filter((c) => c !== undefined && c !== null && c !== ""));
  return e;
};

const glyphs = { pass: "✓", fail: "✗", void: "?", open: "…" };
const words = { pass: "fixed", fail: "not fixed", void: "void", open: "open" };
const heldWords = { pass: "holds", fail: "does not hold", void: "could not be decided" };

// home is the address of the page that this page of one trial belongs to.
const { home } = document.documentElement.dataset;

// data holds the transcripts; byID finds a trial's.
let data = { texts: [], trials: [] };
let byID = new Map();

const load = (json) => {
  data = JSON.parse(json);
  byID = new Map(data.trials.map((t) => [t.id, t]));
};

// text gives a text that may stand in the table of texts.
const text = (t) => (typeof t === "number" ? data.texts[t] : t || "");

// attempt storage: a page from a file may be denied it.
const remembered = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};
const remember = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // the choice holds for this page only
  }
};
