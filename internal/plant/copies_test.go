package plant

import "testing"

// TestTwin: a copy has most of what a source says, and is one that nobody works on, or is called as the source.
func TestTwin(t *testing.T) {
	list := marks("import os\n\ndef mean(values):\n    return sum(values) / len(values)\n\n" +
		"def spread(values):\n    return max(values) - min(values)\n")
	if len(list) < 4 {
		t.Fatalf("marks %q", list)
	}
	for at, want := range map[string]bool{
		"dist/all.py":                           true,
		"~/.cache/shop/stats.py":                true,
		"/var/lib/shop/x.py":                    true,
		"old/stats.py":                          true,
		".venv/lib/site-packages/shop/stats.py": true,
		"old/other.py":                          false,
		"shop/stats.py":                         false,
		"shop/stats.py~":                        true,
		"old/stats.py.bak":                      true,
		"releases/1.0.whl (shop/statistics.py)": true,
		"releases/1.0.tgz":                      true,
	} {
		places := map[string][]string{}
		for _, l := range list {
			places[l] = []string{"shop/stats.py", at}
		}
		if got := twin("shop/stats.py", list, places); (got == at) != want {
			t.Errorf("%s: %q", at, got)
		}
	}
	places := map[string][]string{list[0]: {"dist/all.py"}}
	if got := twin("shop/stats.py", list, places); got != "" {
		t.Errorf("a line is a copy: %s", got)
	}
	many := []string{"a", "b", "c", "d", "e"}
	for i, l := range many {
		if places[l] = []string{"old_stats.py"}; (twin("stats.py", many, places) != "") != (i == len(many)-1) {
			t.Errorf("%d of its lines", i+1)
		}
	}
	if got := twin("a.py", nil, nil); got != "" {
		t.Error(got)
	}
}
