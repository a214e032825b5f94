package help

import "github.com/spf13/cobra"

// Topics are help pages that belong to no command.
func Topics() []*cobra.Command {
	topic := func(name, short, long string) *cobra.Command {
		return &cobra.Command{Use: name, Short: short, Long: long}
	}
	return []*cobra.Command{
		pagesTopic(),
		topic("exit-codes", "What the exit codes mean", `Exit codes

  0    done, and every gate holds
  1    done, but a gate failed (--fail-under, --min-lower-bound, --min-strength, --against), a
       contract is broken, or what repair fix found is left; apply: there are
       conflicts; judge: an outcome came out differently
  2    the command line or the recipe is wrong; nothing was run
  3    infrastructure: the sandbox does not work here, nothing could be judged,
       every trial but those of baselines is void and --max-void does not allow it,
       more void trials than it allows, or the journal can't be written
  4    the budget of --max-total-cost is spent; what finished is printed and kept
  130  interrupted (SIGINT, SIGHUP); what finished is printed and kept
  143  the same after SIGTERM

A failed trial of a model is a result and changes no exit code; a gate does.`),
		topic("environment", "Environment variables that matter", `Environment

  OPENAI_API_KEY     key of the provider openai; others are named in cookoff.toml
  OPENAI_BASE_URL    endpoint of the provider openai
  XDG_CONFIG_HOME    cookoff/cookoff.toml in it is the user's configuration
                     (default ~/.config); --config names another. .env beside it
                     may hold keys, as NAME=value, for its owner alone (mode 600)
  XDG_STATE_HOME     cookoff/trusted and cookoff/history in it hold what was
                     agreed to and typed (default ~/.local/state)
  XDG_DATA_HOME      cookoff/preferences.jsonl in it holds who won shoot-outs
                     (default ~/.local/share)
  VISUAL, EDITOR     what /config edit of a shoot-out opens
  NO_COLOR           non-empty: no colour
  FORCE_COLOR, CLICOLOR_FORCE
                     colour even where the output is no terminal
  TERM=dumb          no colour, no live view
  CI                 set: plain lines instead of a live view, and no questions

Keys are read from the environment, and from that .env where the environment has
none: never from a flag, never from a recipe and never from a file that merely
lies in a project. They are never printed,
and never reach a sandbox.`),
		topic("configuration", "What cookoff.toml may say",
			`Configuration: cookoff/cookoff.toml in $XDG_CONFIG_HOME (~/.config), or --config

  confirm_above_usd = 5.0        ask before a run that may cost more than so many
                                 USD; where nobody can be asked it is refused,
                                 unless --yes is given

  [providers.lab]                a provider: its models are lab/NAME
  base_url = "https://lab.example/v1"
  api_key_env = "LAB_KEY"        the variable that holds the key
  concurrency = 4                requests at once; also: base_url_env, stream,
                                 stream_usage, max_tokens_field, timeout,
                                 idle_timeout, insecure, headers

  [prices."lab/big"]             USD for a million tokens (cookoff prices)
  input = 1.25
  output = 10.0
  cached = 0.125                 without it nobody knows what a reply costs that read
                                 from a cache; also: reasoning, tiers, also, date

  [models."lab/*"]               what is known of models, by glob; anything else is
                                 found out in the run and said in its report
  tool_format = "native"         or function_calling, text_in_prompt
  omit = ["seed"]                parameters that they don't take
  echo_reasoning = true          they want their reasoning_content back

  [sandbox]
  tool_paths = ["~/go/bin"]      programs that every sandbox may use (on Linux)
  image = "golang:1"             of containers that nothing else names one for
  guest = "~/cookoff-linux"      on macOS: cookoff for Linux, which containers start

  [recipes."~/web.recipe.md"]    a recipe, by its whole path, builtin:NAME or git+
  allow = ["network"]            what it may do, as with --allow (cookoff help trust)

No file is needed. None that merely lies in a project is read.`),
		topic("finding-recipes", "Where a recipe is looked for",
			`Where a recipe is looked for; the first that exists is taken

  the path that is given
  recipe.md
  .cookoff/recipe.md
  .errata/recipe.md
  ~/.cookoff/default.recipe.md
  ~/.errata/default.recipe.md
  the built-in recipe

A bare name, as in "cookoff run node", looks for node.recipe.md and node.md in
.cookoff/recipes and ~/.cookoff/recipes, then among the built-in recipes;
builtin:NAME is always the built-in one. git+https://host/repo//path/file.md@REV
(or git+ssh, git+file) is a file in a repository, at a branch, tag or commit.

A recipe that exists but can't be read is an error, never a reason to take
another. "cookoff show" says which file was found and what it extends.`),
		topic("trust", "What a recipe may do", `What a recipe may do

Reading a recipe runs nothing. Running one gives its scripts the sandbox of a
trial and nothing else: no process on the host, no key, no file outside the
project (which is never written) and the trial's own home.

More is given only by you, on the command line:

  --allow unrestricted   a sandbox that sees all files of this machine that you
                         may read, keys in them too, and writes a private copy
  --allow network        a sandbox with the host's network
  --allow hosts          the hosts that the recipe lists in allow_hosts, by name,
                         on the ports 80 and 443, at public addresses
  --allow host-mcp       MCP servers that are asked over HTTP, from this machine

or for a recipe that you name in your own cookoff.toml, whenever it runs:

  [recipes."~/.cookoff/recipes/web.md"]
  allow = ["hosts"]

What a recipe asks for and was not allowed is an error before anything runs.

A recipe that is fetched (git+https://…) is asked about before its first run,
with what it would be allowed; --yes is the answer where nobody can be asked.
It is asked about again when anything in it changes. What a fetched recipe
extends can't lie on this machine, nor be fetched with your ssh keys unless it
came that way itself.`),
	}
}
