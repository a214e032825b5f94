package footprint

import (
	"slices"
	"testing"
)

// TestRenames: a line that names a module by where it was moved is told from one in which the same word is another.
func TestRenames(t *testing.T) {
	for _, c := range []struct {
		from, to, was, is string
		want              bool
	}{
		{"shop/read.py", "shop/records.py", "from shop.read import rows", "from shop.records import rows", true},
		{"shop/read.py", "shop/records.py", "from shop import read", "from shop import records", true},
		{"shop/read.py", "shop/records.py", "    for r in read.rows(f):", "    for r in records.rows(f):", true},
		{"shop/read.py", "shop/records.py", "    out['read'] = 1", "    out['records'] = 1", false},
		{"shop/read.py", "shop/records.py", "    print(read)", "    print(records)", false},
		{"shop/read.py", "shop/records.py", "from shop.read import rows", "from shop.records import lines", false},
		{"src/shop/commands/main.py", "src/shop/cli.py", "from shop.commands.main import main", "from shop.cli import main",
			true},
		{"lib/Conf.pm", "lib/Conf/File.pm", "use Conf;", "use Conf::File;", true},
		{"lib/Conf.pm", "lib/Conf/File.pm", "my $c = Conf::load($file);", "my $c = Conf::File::load($file);", true},
		{"lib/read.js", "lib/records.js", "const r = require('./lib/read');", "const r = require('./lib/records');", true},
		{"lib/read.js", "lib/records.js", "import r from '../lib/read.js';", "import r from '../lib/records.js';", true},
		{"lib/read.sh", "lib/util/records.sh", `. "$here/lib/read.sh"`, `. "$here/lib/util/records.sh"`, true},
		{"lib/page.awk", "lib/render.awk", `  awk -f lib/page.awk "$f"`, `  awk -f lib/render.awk "$f"`, true},
		{"lib/page.awk", "lib/render.awk", `  echo "no page in $f"`, `  echo "no render in $f"`, false},
	} {
		got := slices.ContainsFunc(namesOfMove(c.from, c.to), func(m resettled) bool { return m.renames(c.was, c.is) })
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.is, got, c.want)
		}
	}
}
