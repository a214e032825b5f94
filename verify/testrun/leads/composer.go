package leads

import (
	"slices"
	"strings"
)

// composerScript gives the script of composer.json that a call runs, and the words behind it; none: it runs none.
func composerScript(argv []string) []string {
	rest := argv[1:]
	for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || rest[0] == "run" || rest[0] == "run-script") {
		rest = rest[1:]
	}
	return rest
}

// mayRunComposer reports whether a call of composer may run a script that tests.
func mayRunComposer(argv []string) bool {
	script := composerScript(argv)
	return len(script) > 0 && tests.MatchString(script[0])
}

// askComposer gives a command that prints the script of composer.json that a call runs, with what is handed on to it.
func askComposer(argv []string) string {
	rest := composerScript(argv)
	more := slices.DeleteFunc(slices.Clone(rest[1:]), func(w string) bool { return w == "--" })
	return quoted([]string{"php", "-r", composerSays, "--", rest[0], quoted(more)})
}

// composerSays prints the commands of the script that is named first, with what is handed on behind each of them:
// programs of the project's packages come first.
const composerSays = `$all = json_decode((string) @file_get_contents("composer.json"), true)["scripts"] ?? [];
function say($all, $name, $more, $depth) {
  foreach ((array) ($all[$name] ?? []) as $text) {
    if (!is_string($text) || $depth > 5 || preg_match('/^[\w\\\\]+::\w+$/', $text)) continue;
    if (preg_match('/^@putenv (\w+)=(.*)$/', $text, $m)) echo "export $m[1]=", escapeshellarg($m[2]), "\n";
    elseif (preg_match('/^@(php|composer) (.*)$/s', $text, $m)) echo "$m[1] $m[2] $more\n";
    elseif (preg_match('/^@(\S+)(.*)$/s', $text, $m)) say($all, $m[1], trim("$m[2] $more"), $depth + 1);
    else echo "$text $more\n";
  }
}
if (isset($all[$argv[1]])) { echo "PATH=\$PWD/vendor/bin:\$PATH\n"; say($all, $argv[1], $argv[2], 0); }`
