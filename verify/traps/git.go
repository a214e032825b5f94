package traps

import (
	"path"
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
)

// gitConfig is git's settings: of a repository, its submodules, a work tree, or the user.
type gitConfig struct{}

func (gitConfig) Reads(p string) bool {
	switch p {
	case "~/.gitconfig", "~/.config/git/config", "~/.config/git":
		return true
	}
	dir, name := path.Split(p)
	if name == ".gitmodules" {
		return !strings.HasPrefix(p, "~/")
	}
	if name != "config" && name != "config.worktree" {
		return false
	}
	dir = strings.TrimSuffix(dir, "/")
	return base(dir) == ".git" || strings.HasSuffix(dir, ".git") || strings.Contains("/"+dir, "/.git/")
}

func (gitConfig) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return Whole(f)
	}
	settings, ok := GitSettings(text(f))
	if !ok {
		return Whole(f)
	}
	return settings
}

// Programs that git starts by settings. Names are in lower case, as
// GitSettings gives them.
var (
	gitPrograms = pattern.New(`^(` + strings.Join([]string{
		`core\.(sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)`, `pager\..*`, `sequence\.editor`,
		`credential\.(.*\.)?helper`,
		`filter\..*\.(clean|smudge|process)`, `diff\.(external|.*\.(command|textconv))`, `merge\..*\.driver`,
		`(merge|diff|gui)tool\..*\.(cmd|path)`, `guitool\..*\.cmd`, `(browser|man)\..*\.(cmd|path)`, `web\.browser`,
		`instaweb\..*`,
		`gpg\.(program|.*\.program|ssh\.defaultkeycommand)`,
		`sendemail\.(.*\.)?(smtpserver|sendmailcmd|tocmd|cccmd|headercmd)`,
		`uploadpack\.packobjectshook`, `remote\..*\.(uploadpack|receivepack|vcs)`, `interactive\.difffilter`,
		`trailer\..*\.(command|cmd)`,
		`imap\.tunnel`, `tar\..*\.command`, `hook\..*\.command`, `init\.templatedir`, `protocol\.ext\.allow`,
		`bisect\.run`, `submodule\..*\.update`,
	}, "|") + `)$`)
	gitScreens  = pattern.New(`^(core\.(pager|editor)|pager\..*|sequence\.editor)$`)
	plainScreen = pattern.New(`^(cat|less|more|vi|vim|nvim|nano|emacs|ed|true|:)( -[A-Za-z]+)*$`)
	gitPlaces   = pattern.New(`^(core\.(hookspath|worktree)|include\.path|includeif\..*\.path)$`)
	ownHooks    = pattern.New(`^(\./)?\.git/hooks/?$`) // where git looks without being told
	gitBlinds   = pattern.New(
		`^(core\.(filemode|symlinks|ignorecase|ignorestat|attributesfile|excludesfile|sparsecheckout)` +
			`|diff\.(ignoresubmodules|relative)|submodule\..+\.ignore|status\.showuntrackedfiles)$`)
)

// Includes reports whether a setting of git's has it read another file of settings.
func Includes(name string) bool {
	return strings.HasSuffix(name, ".path") && (name == "include.path" || strings.HasPrefix(name, "includeif."))
}

func (gitConfig) Runs(name, value string) string {
	switch {
	case name == All:
		return "git reads its settings from it"
	case name == "core.fsmonitor":
		if isBool(value) {
			return ""
		}
		return "git starts it for every status"
	case strings.HasPrefix(name, "alias.") && runsByAlias(value):
		return "git starts a program by this alias"
	case strings.HasPrefix(name, "pager.") && isBool(value), strings.HasPrefix(name, "submodule.") &&
		strings.HasSuffix(name, ".update") && !strings.HasPrefix(value, "!"):
		return ""
	case gitScreens.MatchString(name) && plainScreen.MatchString(value):
		return ""
	case gitPrograms.MatchString(name):
		return "git starts what it names"
	case name == "core.hookspath" && ownHooks.MatchString(value):
		return ""
	case gitPlaces.MatchString(name):
		return "git takes hooks, settings or files from where it says"
	case blinds(name, value):
		return "it hides changes from git"
	case weakens(name, value):
		return "git trusts others, takes other addresses or throws away by it what it keeps"
	case converts(name, value):
		return "git writes files with other ends of lines by it"
	case strings.Contains(value, "ext::") || strings.HasPrefix(name, "url.ext::"):
		return "git starts a program for this address"
	}
	return ""
}

// blinds reports whether a setting hides changes from git: it is not what git
// does by itself.
func blinds(name, value string) bool {
	if !gitBlinds.MatchString(name) {
		return false
	}
	value = strings.ToLower(value)
	yes := value == "true" || value == "yes" || value == "on" || value == "1"
	switch last := name[strings.LastIndexByte(name, '.')+1:]; last {
	case "filemode", "symlinks":
		return !yes
	case "ignorecase", "ignorestat", "relative", "sparsecheckout":
		return isBool(value) == yes
	case "ignoresubmodules", "ignore":
		return value != "none"
	case "showuntrackedfiles":
		return value != "normal" && value != "all" && !yes
	}
	return value != ""
}

// Settings that make git talk to others than it says, or keep less than it does by
// itself. Names are in lower case.
var (
	gitRedirects = pattern.New(
		`^(http\.(.*\.)?(proxy|sslcainfo|sslcapath|curloptresolve)` +
			`|remote\..*\.(proxy|pushurl)|url\..*\.(insteadof|pushinsteadof))$`)
	gitVerifies = pattern.New(`^http\.(.*\.)?(sslverify|schannelcheckrevoke)$`)
	gitPrunes   = pattern.New(`^gc\.(.*\.)?(reflogexpire|reflogexpireunreachable|pruneexpire|worktreepruneexpire)$`)
	gitChecks   = pattern.New(
		`^((transfer|fetch|receive)\.(.*\.)?fsckobjects|core\.(protecthfs|protectntfs|logallrefupdates)` +
			`|receive\.(denydeletes|denynonfastforwards))$`)
	gitSends  = pattern.New(`^(remote\..*\.(push|mirror)|http\.(.*\.)?(extraheader|cookiefile))$`)
	gitPushes = pattern.New(`^(remote\.pushdefault|branch\..*\.pushremote)$`)
	gitHides  = pattern.New(`^(transfer|uploadpack|receive)\.hiderefs$`)
	gitSoon   = pattern.New(`second|minute|hour`)
)

// weakens reports whether a setting makes git less safe than it is by itself: who it
// talks to, what it throws away, who may write its repository.
func weakens(name, value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	no := value == "false" || value == "no" || value == "off" || value == "0"
	switch {
	case gitRedirects.MatchString(name):
		return value != ""
	case gitPushes.MatchString(name): // the name of a remote is no address
		return strings.ContainsAny(value, "/:")
	case gitHides.MatchString(name):
		return value != ""
	case gitVerifies.MatchString(name):
		return no
	case gitChecks.MatchString(name):
		return no
	case gitSends.MatchString(name):
		return value != "" && !no
	case name == "safe.directory":
		return value == "*"
	case name == "core.bare":
		return !no
	case name == "core.fsync", name == "core.fsyncmethod":
		return strings.Contains(value, "none") || value == "writeout-only"
	case gitPrunes.MatchString(name):
		return value == "now" || value == "all" || gitSoon.MatchString(value)
	case name == "core.sharedrepository":
		return !no && value != "umask" && value != ""
	}
	return false
}

// converts reports whether a setting has every checkout write CR LF, in files of which git knows no better.
func converts(name, value string) bool {
	switch value = strings.ToLower(strings.TrimSpace(value)); name {
	case "core.autocrlf":
		return value != "input" && isBool(value) && value != "false" && value != "no" && value != "off" && value != "0"
	case "core.eol":
		return value == "crlf"
	}
	return false
}

// runsByAlias reports whether an alias starts a program: by itself, or by a
// setting or an option that it gives git.
func runsByAlias(value string) bool {
	if strings.HasPrefix(strings.TrimSpace(value), "!") {
		return true
	}
	for _, w := range strings.Fields(value) {
		for _, opt := range []string{"-c", "--config-env", "--exec-path", "--exec", "-x", "--upload-pack",
			"--receive-pack", "--ext-diff", "-O", "--open-files-in-pager"} {
			if w == opt || strings.HasPrefix(w, opt+"=") {
				return true
			}
		}
	}
	return false
}

func isBool(v string) bool {
	switch strings.ToLower(v) {
	case "", "true", "false", "yes", "no", "on", "off", "0", "1":
		return true
	}
	return false
}

// gitHooks are the hooks of repositories: only a file that may be run is one.
type gitHooks struct{}

var hookDirs = []string{"**/.git/hooks", "**/.git/hooks/**", "**/*.git/hooks/*", "**/.git/modules/**/hooks/*",
	"~/.config/git/hooks/**", "**/.husky/**"}

func (gitHooks) Reads(p string) bool { return matches(hookDirs, p) && !strings.HasSuffix(p, ".sample") }

// Settings leaves out what git does not start; husky does, whatever its mode.
func (gitHooks) Settings(f sandbox.Item) map[string]string {
	if f.Link == "" && f.Mode.IsRegular() && f.Mode&0o111 == 0 {
		if matches(hookScripts, f.Path) {
			return pipelines{}.Settings(f)
		}
		return nil
	}
	return Whole(f)
}

// hookNames are the names of the files that git starts by itself, in whatever directory it looks for hooks.
var hookNames = strings.Fields("applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit " +
	"prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update " +
	"proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite " +
	"sendemail-validate fsmonitor-watchman post-index-change")

// IsHook reports whether a file is called as a hook of git's is.
func IsHook(p string) bool { return slices.Contains(hookNames, base(p)) }

// HooksTake are the programs by which a hook has come to take something away, overwrite it or send it elsewhere.
func HooksTake(was, is string) []string { return more(taking(was), taking(is)) }

// taking counts the commands of a script that do so, by program.
func taking(script string) map[string]int {
	out := map[string]int{}
	for _, h := range takesAway(script) {
		out[h.program]++
	}
	return out
}

func (gitHooks) Runs(name, _ string) string {
	if name == Others {
		return ""
	}
	return "git starts it as a hook"
}

// gitReplacements is what makes git read other objects than their names say.
type gitReplacements struct{ wholeFiles }

var replacements = []string{"**/.git/info/grafts", "**/.git/refs/replace/**", "**/.git/objects/info/alternates",
	"**/.git/shallow",
	"~/.config/git/ignore", "~/.config/git/attributes"}

func (gitReplacements) Reads(p string) bool { return matches(replacements, p) }

func (gitReplacements) Runs(string, string) string {
	return "git takes other objects, or treats files otherwise, by it"
}
