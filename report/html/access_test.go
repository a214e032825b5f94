package html

import (
	"testing"

	"cookoff/trial/final"
)

// audit looks at what is shown as WCAG 2.2 AA does, where a program can: contrast
// of every text against what it stands on, names of everything that can be used,
// room to hit it, the order of headings, ids.
const audit = `
const rgb = (s) => s.match(/[\d.]+/g).map(Number);
const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const luminance = (c) => {
  const [r, g, b] = c.map((v) => linear(v / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (e) => {
  for (; e; e = e.parentElement) {
    const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] === 1) return c.slice(0, 3);
    if (c[3] > 0) return null; // blended: not judged here
  }
  return [255, 255, 255];
};
const audit = (where) => {
  const faults = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility() || e.closest("script, style, svg")) continue;
    const style = getComputedStyle(e), back = behind(e);
    if (!back) continue;
    texts++;
    const [a, b] = [luminance(rgb(style.color).slice(0, 3)), luminance(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const what = e.tagName + "." + e.className + " " + walker.currentNode.data.slice(0, 20);
      faults.add(where + ": contrast " + ratio.toFixed(2) + " of " + what);
    }
  }
  for (const e of all("a, button, input, select, summary, [tabindex='0']")) {
    const dialog = find("dialog[open]");
    if (!e.checkVisibility() || (dialog && !dialog.contains(e))) continue; // what a dialog covers can't be used
    const what = e.tagName + "." + e.className + "#" + e.id + " " + e.textContent.slice(0, 20);
    if (!e.computedName) faults.add(where + ": no name: " + what);
    const box = e.getBoundingClientRect();
    const inline = e.tagName === "A" && getComputedStyle(e).display === "inline" ||
      e.tagName === "SUMMARY" || e.closest("thead, .skip") || e.matches(".skip");
    if (!inline && (box.width < 24 || box.height < 24)) {
      faults.add(where + ": small: " + what + " " + box.width + "x" + box.height);
    }
  }
  let last = 0;
  for (const h of all("h1, h2, h3, h4")) {
    if (!h.checkVisibility()) continue;
    const level = Number(h.tagName[1]);
    if (level > last + 1) faults.add(where + ": " + h.tagName + " after h" + last);
    last = level;
  }
  const ids = all("[id]").map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.add(where + ": an id twice");
  if (all("h1").filter((h) => h.checkVisibility()).length !== 1) faults.add(where + ": not one h1");
  report[where] = texts > 20;
  report.faults = [...(report.faults || []), ...faults];
};
`

func TestBrowserPageIsAccessible(t *testing.T) {
	flags := []string{"--enable-blink-features=ComputedAccessibilityInfo"}
	themes := map[string]string{"light": "--blink-settings=preferredColorScheme=1",
		"dark": "--blink-settings=preferredColorScheme=0"}
	if testing.Short() {
		delete(themes, "light")
	}
	events := eventsOf(t, "mixed")
	left, _, _ := leaving(t, final.Change{Path: "bin/greet", Before: version(0o644, "a\nb\n"),
		After: version(0o755, "a\nc\n")}, final.Change{Path: "x", After: version(0o644, "y\x00")})
	check := func(what string, got map[string]any, where ...string) {
		t.Helper()
		for _, w := range where {
			if got[w] != true {
				t.Errorf("%s: nothing to see in %s", what, w)
			}
		}
		if list, _ := got["faults"].([]any); len(list) > 0 || got["faults"] == nil {
			t.Errorf("%s: %d faults: %v", what, len(list), list[:min(len(list), 12)])
		}
	}
	for theme, setting := range themes {
		flags := append(flags, setting)
		check(theme, drive(t, recorded(t, "mixed"), audit+`
drive(async () => {
  audit("overview");
  location.hash = "#t=t002&b=t003";
  await settle();
  find("[data-unfold]").click();
  await settle();
  audit("transcript");
  location.hash = "";
  await settle();
  find("#helper").click();
  await settle();
  audit("keys");
});`, flags...), "overview", "transcript", "keys")
		check(theme+", final state", drive(t, left, audit+`
drive(async () => {
  location.hash = "#t=t001";
  await settle();
  find("[data-unfold]").click();
  await settle();
  report.diffs = all(".diff .add, .diff .del").length === 2;
  audit("transcript");
});`, flags...), "diffs")
		c, said := comparison(t, events, turned(events, "lab/模型-大"))
		check(theme+", comparison", driveComparison(t, c, said, audit+`drive(async () => audit("overview"));`,
			flags...), "overview")
	}
}
