package traps

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
	"cookoff/sandbox"
	"cookoff/shell"
)

// shells are the files that a shell reads when it starts or ends.
type shells struct{}

var shellFiles = []string{
	"~/.{bash,zsh,ksh,mksh,csh,tcsh,yash,dash,ash,sh,osh,elv,xonsh}rc", "~/.kshrc", "~/.shrc", "~/.shinit", "~/.rc",
	"~/.cshrc", "~/.tcshrc",
	"~/.profile", "~/.*profile", "~/.bash_*", "~/.zshenv", "~/.zlogin", "~/.zlogout", "~/.login", "~/.logout",
	"~/.*aliases", "~/.inputrc", "~/.zsh/**", "~/.oh-my-zsh/**",
	"~/.config/{fish,nushell,elvish,xonsh,zsh,bash}/**", "~/.config/{fish,nushell,elvish,xonsh,zsh,bash}",
	"~/.bashrc.d/**", "~/.profile.d/**", "~/.local/share/bash-completion/**",
	"~/.bash_completion.d/**", "**/.envrc", "~/.direnvrc", "~/.config/direnv/**",
}

func (shells) Reads(p string) bool {
	return matches(shellFiles, p) && !strings.HasSuffix(p, "history") && !strings.Contains(p, "fish_variables")
}

func (shells) Runs(string, string) string { return "shells run it by themselves" }

// readsOn is a file for login shells of bash that only reads those which other shells read: without it, bash reads
// ~/.profile by itself.
var readsOn = func() *pattern.Pattern {
	file := `"?(~|\$HOME|\$\{HOME\})/\.(profile|bashrc)"?`
	test, read := `\[ -[efrs] `+file+` \]`, `(\.|source) `+file
	return pattern.New(`^\s*((` + test + ` && )?` + read + `\s*|if ` + test + `; then\s+` + read + `;?\s+fi\s*)+$`)
}()

var (
	remarks      = pattern.New(`(?m)^\s*#.*$`)
	readsProfile = pattern.New(`(\.|source) "?(~|\$HOME|\$\{HOME\})/\.profile\b`)
)

func (shells) Settings(f sandbox.Item) map[string]string {
	if (f.Path == "~/.bash_profile" || f.Path == "~/.bash_login") && regular(f) {
		if said := remarks.ReplaceAllString(text(f), ""); readsOn.MatchString(said) && readsProfile.MatchString(said) {
			return nil
		}
	}
	if strings.HasPrefix(f.Path, "~/.local/share/bash-completion/completions/") && regular(f) &&
		completes.MatchString(remarks.ReplaceAllString(text(f), "")) {
		return nil
	}
	return Whole(f)
}

// completes is a file that offers words for what a command is given, and runs nothing for that.
var completes = pattern.New(`^\s*(complete( -o \w+| -[df]| -W ("[^"$\x60]*"|'[^'$\x60]*'))+( [\w.-]+)+\s*)+$`)

// sessions are what a login, a timer or a desktop starts.
type sessions struct{ wholeFiles }

var (
	sessionDirs = []string{
		"~/.config/systemd", "~/.local/share/systemd", "~/.config/autostart", "~/.config/autostart-scripts",
		"~/.config/plasma-workspace", "~/.config/environment.d",
		"~/.config/upstart", "~/.local/share/dbus-1/services", "~/.local/share/applications",
		"~/Library/LaunchAgents", "~/.config/openbox",
		"~/.config/i3", "~/.config/sway", "~/.config/hypr",
	}
	sessionFiles = []string{
		"~/.{x,X}*{rc,session,profile,init}", "~/.pam_environment", "~/.environment", "~/.forward", "~/.procmailrc",
		"~/.crontab", "~/.cron/**", "~/crontab", "~/.ssh/{rc,authorized_keys,environment}",
		"~/.plan.sh", "~/.config/mimeapps.list", "~/.at/**", "~/.config/cron/**",
		// Of a world with a root of its own.
		"/etc/profile", "/etc/profile.d/**", "/etc/{bash.,}bashrc",
		"/etc/{zsh*,csh.*,environment,inputrc,rc.local,inittab,crontab,anacrontab," +
			"ld.so.preload,ld.so.conf,gitconfig,npmrc,pip.conf}",
		"/etc/{bash_completion.d,zsh,cron.*,systemd,init.d,rc?.d,xdg,pam.d,sudoers.d," +
			"ld.so.conf.d,apt,dpkg,environment.d,update-motd.d}/**",
		"/{usr/lib,lib}/{systemd,tmpfiles.d,environment.d}/**", "/var/spool/{cron,at}/**",
		"/root/.{bash*,profile,*rc,zshenv,zlogin,gitconfig}", "/root/.{config,ssh}/**",
	}
)

func (sessions) Reads(p string) bool {
	return strings.HasPrefix(p, "~/") && p != "~/.config" && p != "~/.local" && p != "~/.local/share" &&
		within(sessionDirs, p) || matches(sessionFiles, p)
}

func (sessions) Runs(string, string) string { return "a login, a timer or a desktop starts it" }

// programs are files that a program runs or obeys when it starts.
type programs struct{ wholeFiles }

var programFiles = []string{
	"**/.{gdbinit,lldbinit,perldb,proverc,Rprofile,irbrc,pryrc,rspec,mocharc.js,mocharc.cjs}",
	"**/{babel,jest,vitest,vite,ava,playwright,cypress,nyc,tap,swc}.config.{js,cjs,mjs,ts,cts,mts}",
	"**/jest.config.json", "**/.babelrc.{js,cjs,mjs,cts}", "**/vitest.{workspace,projects}.{js,mjs,ts,mts,json}",
	"**/karma.conf.{js,cjs,mjs,ts}", "**/{.jest,jest}-preset.{js,cjs,mjs,json}",
	"~/.{sqliterc,psqlrc,my.cnf,mylogin.cnf,duckdbrc,mongorc.js,mongoshrc.js,redisclirc,inputrc}",
	"~/.{screenrc,tmux.conf,emacs,emacs.el,exrc,vimrc,gvimrc,viminfo.sh,nanorc,lessfilter,lesskey," +
		"ackrc,ghci,octaverc,guile,sbclrc,clisprc,luarc,luarc.lua,erlang,iex.exs,pythonrc,gemrc," +
		"curlrc,wgetrc,mailcap,mailrc,muttrc,netrc,condarc,mambarc,asdfrc,latexmkrc}", "**/.octaverc",
	"~/.config/starship.toml",
	"~/.vim/{plugin,autoload,after,ftplugin}/**", "~/.emacs.d/**",
	"~/.config/{nvim,emacs,irb,pry,tmux,mise,mpv,composer}/**", "~/.julia/config/startup.jl", "~/.bundle/config",
	"~/.config/matplotlib/matplotlibrc", "**/rubygems_plugin.rb", "**/.bundle/config", "**/sitecustomize.pl",
	"**/.user.ini", "**/auto_prepend.php",
	"~/.gnupg/{gpg,gpg-agent,dirmngr,scdaemon}.conf", "~/.aws/config", "~/.kube/config", "~/.config/gh/config.yml",
	"~/.docker/config.json", "~/.config/containers/**", "~/.terraformrc", "~/.ansible.cfg", "~/.hgrc", "**/.hg/hgrc",
}

func (programs) Reads(p string) bool { return matches(programFiles, p) }

func (programs) Runs(string, string) string { return "a program obeys it whenever it starts" }

// variables are files of an environment that programs or shells load.
type variables struct{}

func (variables) Reads(p string) bool {
	name := base(p)
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasSuffix(name, ".env") || name == ".flaskenv"
}

func (variables) Settings(f sandbox.Item) map[string]string {
	if !regular(f) {
		return nil // a program that loads it takes it for data
	}
	out := assignments(text(f))
	for line := range strings.Lines(text(f)) { // between these quotes a shell runs nothing
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case several.MatchString(name):
			out[name] = line
		case strings.HasPrefix(value, "'") && substituted.MatchString(value):
			out[name] = value
		case shell.Parsed(line) != nil:
			for _, h := range takesAway(line) { // behind the value
				out[name+"; "+h.program] = line
			}
		}
	}
	return out
}

// substituted is what a shell puts the output of a command in place of, and several what is more than
// the name of a variable: a command before it.
var (
	substituted = pattern.New("[$][(]|`")
	several     = pattern.New(`^\w+[ \t;|&].*\w`)
)

// injecting are variables by which another program is run or loaded.
var injecting = []string{
	"BASH_ENV", "ENV", "PROMPT_COMMAND", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES",
	"NODE_OPTIONS", "NODE_PATH",
	"PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB",
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
	"MAVEN_OPTS", "GRADLE_OPTS", "GOFLAGS", "GOWORK", "GOTOOLDIR", "MAKEFLAGS", "MAKEFILES",
	"RUSTC_WRAPPER", "RUSTFLAGS",
	"EDITOR", "VISUAL", "PAGER", "BROWSER", "LESSOPEN", "LESSCLOSE", "SHELLOPTS", "BASHOPTS", "PHP_INI_SCAN_DIR",
}

func (variables) Runs(name, value string) string {
	if name != rest && several.MatchString(name) && commands(value) || !strings.HasPrefix(value, "'") && substituted.MatchString(value) {
		return "a shell that reads it runs what it says"
	}
	if slices.Contains(injecting, name) || strings.HasPrefix(name, "GIT_") || strings.HasPrefix(strings.ToLower(name),
		"npm_config_") {
		return "programs that load it run or load what it names"
	}
	return ""
}
