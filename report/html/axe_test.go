package html

import (
	"os"
	"path/filepath"
	"testing"
)

// axed lets axe-core look at what is shown. It is bounded to what is wrong for
// sure: what it can't decide itself (contrast over pictures) is not counted.
const axed = `
const axed = async (where) => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  report[where] = found.passes.length > 10;
  report.faults = [...(report.faults || []), ...found.violations.map((v) =>
    where + ": " + v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | "))];
};
`

// TestAxe holds the page to the rules of axe-core, on a wide screen and a phone's, in
// both themes. COOKOFF_AXE names its axe.min.js; .ci/page fetches it.
func TestAxe(t *testing.T) {
	path := os.Getenv("COOKOFF_AXE")
	if path == "" {
		t.Skip("COOKOFF_AXE does not name axe.min.js of the package axe-core; .ci/page does")
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]string{"wide": "--window-size=1400,1000", "phone": "--window-size=500,844"}
	themes := map[string]string{"light": "--blink-settings=preferredColorScheme=1",
		"dark": "--blink-settings=preferredColorScheme=0"}
	check := func(what string, got map[string]any, where ...string) {
		t.Helper()
		for _, w := range where {
			if got[w] != true {
				t.Errorf("%s: axe looked at nothing in %s", what, w)
			}
		}
		list, _ := got["faults"].([]any)
		for _, fault := range list {
			t.Errorf("%s: %v", what, fault)
		}
	}
	events := eventsOf(t, "mixed")
	for size, window := range sizes {
		for theme, setting := range themes {
			what := filepath.Join(size, theme)
			check(what, drive(t, recorded(t, "mixed"), string(axe)+axed+`
drive(async () => {
  await axed("overview");
  location.hash = "#t=t002&b=t003";
  await settle();
  find("[data-unfold]").click();
  await settle();
  await axed("transcript");
  location.hash = "";
  await settle();
  find("#helper").click();
  await settle();
  await axed("keys");
});`, window, setting), "overview", "transcript", "keys")
			c, said := comparison(t, events, turned(events, "lab/模型-大"))
			check(what+", comparison", driveComparison(t, c, said,
				string(axe)+axed+`drive(async () => axed("overview"));`, window, setting), "overview")
		}
	}
}
