package html

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// browser finds a Chromium; tests that need one are skipped without.
func browser(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium on this machine: the page is not driven")
	return ""
}

// driver is what a test's own script begins with: it stands behind the page's
// script, under the same policy, and sees only what a reader sees. What it
// reports is read from the document in the end.
const driver = `
const report = {};
const violations = [];
document.addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective));
const find = (s) => document.querySelector(s);
const all = (s) => [...document.querySelectorAll(s)];
const shown = (s) => all(s).filter((e) => e.checkVisibility());
const press = async (key) => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await settle();
};
const settle = () => new Promise((done) => setTimeout(done, 60));
const choose = async (selector, value) => {
  const e = find(selector);
  e.value = value;
  e.dispatchEvent(new Event("input", { bubbles: true }));
  e.dispatchEvent(new Event("change", { bubbles: true }));
  await settle();
};
const at = () => document.activeElement.closest("tr")?.dataset.id;
const drive = (act) => act().catch((e) => { report.error = String(e.stack); }).finally(() => {
  report.violations = violations;
  document.documentElement.setAttribute("data-report", JSON.stringify(report));
});
`

// drive opens a page whose script is followed by the driver and act, and gives
// what they reported. More flags are the browser's.
func drive(t testing.TB, f folded, act string, flags ...string) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if _, err := write(&b, f.report, f.said, document{style: style(), script: driving(act)}); err != nil {
		t.Fatal(err)
	}
	return driven(t, b.Bytes(), flags...)
}

// driven opens a page that ends in a driver.
func driven(t testing.TB, page []byte, flags ...string) map[string]any {
	t.Helper()
	chrome := browser(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "page.html")
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	return reported(t, chrome, append(flags, "--user-data-dir="+filepath.Join(dir, "profile"), "file://"+path))
}

// reported runs the browser and reads what a driver left in the document.
func reported(t testing.TB, chrome string, flags []string) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var stderr bytes.Buffer
	cmd := command(ctx, chrome, append(flags, "--dump-dom", "--virtual-time-budget=20000"))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", chrome, err, &stderr)
	}
	for n := range parse(t, string(out)).Descendants() {
		if text := attr(n, "data-report"); text != "" {
			got := map[string]any{}
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if got["error"] != nil {
				t.Fatal(got["error"])
			}
			return got
		}
	}
	t.Fatalf("the page's script did not end:\n%s\n%.2000s", &stderr, out)
	return nil
}

func command(ctx context.Context, chrome string, flags []string) *exec.Cmd {
	args := append([]string{"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"}, flags...)
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium refuses to make one as root
	}
	return exec.CommandContext(ctx, chrome, args...)
}

// equal holds what a driver reported to what is wanted, by name.
func equal(t *testing.T, got map[string]any, want map[string]any) {
	t.Helper()
	for name, w := range want {
		if g := fmt.Sprint(got[name]); g != fmt.Sprint(w) {
			t.Errorf("%s: %s, want %v", name, g, w)
		}
	}
}

// Whatever models, tools and recipes wrote, nothing of it runs, loads or turns
// into elements, in the overview and in every transcript; and the policy
// forbids it even if the page tried.
func TestBrowserRunsNothingForeign(t *testing.T) {
	got := drive(t, emitted(t, hostileEvents()), `
drive(async () => {
  report.before = violations.length;
  report.trials = all(".trials tbody tr").length;
  report.opened = 0;
  report.foreign = [];
  for (const row of all(".trials tbody tr")) {
    location.hash = row.querySelector("a").hash;
    await settle();
    const text = find("#transcript").textContent;
    if (!find("#transcript").hidden && text.includes("attempt 1")) report.opened++;
    const own = ("DIV A LABEL SELECT OPTION BUTTON H1 H2 P ARTICLE SPAN DETAILS SUMMARY DL DT DD UL OL LI B HEADER " +
      "PRE CODE").split(" ");
    for (const e of all("#transcript *")) {
      if (!own.includes(e.tagName)) report.foreign.push(e.tagName);
      for (const a of e.attributes) {
        if (a.name.startsWith("on") || a.name === "style" || a.name === "src") report.foreign.push(a.name);
      }
    }
  }
  report.title = document.title.includes("pwned") && !document.title.includes("<script>");
  report.scripts = document.scripts.length;
  report.quiet = violations.length;

  const tries = [
    () => { document.body.innerHTML = "<b>x</b>"; },
    () => { document.body.insertAdjacentHTML("beforeend", "<b>x</b>"); },
    () => { eval("1"); },
    () => { const s = document.createElement("script"); s.text = "document.title = 'ran'"; document.body.append(s); },
  ];
  report.refused = tries.filter((f) => { try { f(); return false; } catch { return true; } }).length;
  const image = new Image();
  report.image = await new Promise((done) => {
    image.onerror = () => done("refused");
    image.onload = () => done("loaded");
    image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
  });
  report.fetch = await fetch("file:///etc/hostname").then(() => "loaded", () => "refused");
  report.ran = document.title === "ran";
});`)
	n := len(hostile()) * 6
	equal(t, got, map[string]any{"before": 0, "trials": n, "opened": n, "foreign": "[]", "title": false, "scripts": 2,
		"quiet":   0,
		"refused": 4, "image": "refused", "fetch": "refused", "ran": false})
}

func TestBrowserKeys(t *testing.T) {
	got := drive(t, recorded(t, "mixed"), `
drive(async () => {
  await press("j");
  report.first = at();
  await press("j");
  await press("j");
  await press("k");
  report.second = at();
  document.activeElement.click(); // what a browser does on enter
  await settle();
  report.open = find("#overview").hidden && find("#transcript h1").textContent;
  await press("j");
  await press("j");
  report.entry = document.activeElement.querySelector("b").textContent;
  await press("n");
  report.next = location.hash;
  await press("p");
  await press("b");
  report.beside = location.hash + " " + all(".pane").length;
  await press("b");
  await press("b");
  report.alone = all(".pane").length;
  await press("Escape");
  report.back = !find("#overview").hidden && at();
  await press("/");
  report.searching = document.activeElement.id;
  await choose("#search", "symlink");
  report.found = shown(".trials tbody tr").length;
  await press("Escape");
  report.cleared = shown(".trials tbody tr").length + " " + document.activeElement.tagName;
  await press("?");
  report.help = find("#keys").open;
  await press("j");
  report.underHelp = at() === undefined;
  find("#keys").close();
  await press("t");
  report.theme = getComputedStyle(document.documentElement).colorScheme;
  await press("t");
  report.dark = getComputedStyle(document.documentElement).colorScheme + " " +
    getComputedStyle(document.body).backgroundColor;
});`)
	equal(t, got, map[string]any{"first": "t001", "second": "t002", "open": "wrong version first on PATH",
		"entry": "user", "next": "#t=t003",
		"beside": "#t=t002&b=t001 2", "alone": 1, "back": "t002", "searching": "search", "found": 3,
		"cleared": "21 BODY", "help": true, "underHelp": true,
		"theme": "light", "dark": "dark rgb(20, 22, 26)", "violations": "[]"})
}

func TestBrowserFiltersAndSorts(t *testing.T) {
	got := drive(t, recorded(t, "mixed"), `
drive(async () => {
  const count = () => shown(".trials tbody tr").length;
  await choose("[data-filter=status]", "fail");
  report.fails = count();
  await choose("[data-filter=cause]", "forged");
  report.forged = count() + " " + find("#count").textContent;
  await choose("[data-filter=model]", "baseline/noop");
  report.none = count() + " " + find("#nothing").checkVisibility();
  find("#filters [type=reset]").click();
  await settle();
  report.all = count();
  await choose("#search", "TOOL 2.3.8"); // stands in evidence only
  report.evidence = count();
  location.hash = shown(".trials tbody tr")[0].querySelector("a").hash;
  await settle();
  const ranges = [...CSS.highlights.get("found")];
  report.marked = ranges.length > 0 && ranges.every((r) =>
    r.toString().toLowerCase() === "tool 2.3.8" && r.startContainer.parentElement.checkVisibility());
  await press("Escape");
  await choose("#search", "");
  const board = () => all(".board tbody th").map((x) => x.textContent.split(" ")[0]).join(",");
  report.board = board();
  const heads = () => all(".board thead button");
  const cost = heads().findIndex((b) => b.textContent === "cost");
  heads()[cost].click();
  report.dearest = board();
  heads()[cost].click();
  report.cheapest = board();
  find("#hardest").click();
  report.hardest = find(".map tbody th").textContent;
  find("#hardest").click();
  report.asBefore = find(".map tbody th").textContent;
  find(".map a.cell.void").click();
  await settle();
  const title = find("#transcript h1").textContent, out = find(".pane .out").textContent;
  report.cell = title + " " + out + " " + all(".attempt").length;
  report.wide = document.documentElement.scrollWidth <= innerWidth;
});`)
	equal(t, got, map[string]any{"fails": 9, "forged": "1 1 of 21", "none": "0 true", "all": 21, "evidence": 10,
		"marked":   true,
		"board":    "lab/模型-大,openai/gpt-5-mini,baseline/noop",
		"dearest":  "openai/gpt-5-mini,baseline/noop,lab/模型-大",
		"cheapest": "baseline/noop,openai/gpt-5-mini,lab/模型-大", "hardest": "config: 文字化けの設定",
		"asBefore": "wrong version first on PATH",
		"cell":     "symlink loop in node_modules ? void 3", "wide": true, "violations": "[]"})
}

// On a phone nothing but a table in its own frame is wider than the screen; a
// reader who prefers dark gets it; and side by side turns into one below the
// other.
func TestBrowserOnAPhone(t *testing.T) {
	got := drive(t, recorded(t, "mixed"), `
drive(async () => {
  const fits = () => document.documentElement.scrollWidth <= innerWidth;
  report.narrow = innerWidth < 600;
  const name = all("tbody th.name")[0];
  name.textContent = "openrouter/anthropic/claude-sonnet-4.5-20260929"; // its end tells it from others
  report.whole = name.scrollWidth <= name.clientWidth;
  report.overview = fits();
  report.dark = getComputedStyle(document.body).backgroundColor;
  location.hash = "#t=t002&b=t003";
  await settle();
  const [a, b] = all(".pane").map((p) => p.getBoundingClientRect());
  report.below = b.top >= a.bottom;
  report.transcript = fits();
  location.hash = "#t=t002&b=t005"; // of another task
  await settle();
  report.other = all(".pane").length;
});`, "--window-size=400,800", "--blink-settings=preferredColorScheme=0")
	equal(t, got, map[string]any{"narrow": true, "overview": true, "whole": true, "dark": "rgb(20, 22, 26)", "below": true,
		"transcript": true, "other": 1, "violations": "[]"})
}
