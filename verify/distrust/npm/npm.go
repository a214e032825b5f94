// Package npm is how the referee distrusts npm, its like and Node.
package npm

import "cookoff/verify/distrust"

// Tool is npm. A check is hijacked through an .npmrc, which says what "npm test"
// runs its script with and whether it runs it, through NODE_OPTIONS, and through
// programs in node_modules/.bin.
type Tool struct{ distrust.None }

// Env stands above an .npmrc, and has turbo, nx and lerna run scripts whose results they would take from a cache. npm
// takes an empty setting for none.
func (Tool) Env() []string {
	return []string{
		"npm_config_userconfig=/dev/null", "npm_config_script_shell=/bin/sh", "npm_config_node_options= ",
		"npm_config_usage=false", "npm_config_global=false", "npm_config_ignore_scripts=false",
		"npm_config_if_present=false", "TURBO_FORCE=true", "NX_SKIP_NX_CACHE=true",
	}
}

// Live has Node load nothing first.
func (Tool) Live() []string { return []string{"NODE_OPTIONS="} }

// Fronts are the programs that a package's scripts find first.
func (Tool) Fronts() []distrust.Front {
	return []distrust.Front{{
		Programs: []string{"npm", "npx", "pnpm", "yarn"},
		Before:   map[string][]string{"package.json": {"node_modules/.bin/**"}},
		What:     "programs in node_modules/.bin that do nothing",
		Plant: `find . -name node_modules -prune -o -name package.json -type f -print | head -n 20 | while IFS= read -r f; do
	bin=${f%/*}/node_modules/.bin; mkdir -p "$bin"
	grep -oE '[A-Za-z0-9_.-]+' "$f" | sort -u | head -n 500 | while IFS= read -r name; do
		case $name in .|..) continue ;; esac
		rm -f "$bin/$name"; printf '#!/bin/sh\n' > "$bin/$name"; chmod 755 "$bin/$name"
	done
done`,
	}}
}
