// Package aside reads in programs what they do beside what they are for: what they decide by chance, or by who runs
// them and where, what they send to others, what they take away, and what they do once they end.
package aside

import (
	"regexp"
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// Text is what is read of a program: the lines that are new in it, without comments, and all that it was at the start.
// Language is the extension of programs in its language.
type Text struct {
	Language, Lines, Was string
	// IsNarrow is set where another text of the start has an address at which not everybody is heard.
	IsNarrow bool
}

// chance are numbers that nobody knows before.
var chance = pattern.New(`\bMath\.random\(\)|\brandom\.(random|randint|randrange|uniform|getrandbits)\([^()\n]*\)|` +
	`\bsecrets\.(randbelow|randbits)\([^()\n]*\)|\bos\.urandom\([^()\n]*\)|\brand\.(Int|Float|Uint|N)\w*\([^()\n]*\)|` +
	`\bcrypto\.random\w+\([^()\n]*\)|\b(ThreadLocalRandom\.current\(\)|` +
	`new (Secure)?Random\([^()\n]*\))\.next\w+\([^()\n]*\)|` +
	`\$\{?S?RANDOM\b|\bshuf\s|\bRANDOM\b|/dev/u?random\b|\b(mt_)?rand(om|_int)?\([^()\n]*\)|` +
	`\barc4random\w*\([^()\n]*\)|\brand\(`)

// Between a number's source and what it is compared with stands no other statement.
const (
	near     = `[^;\n{?]{0,60}?`
	compared = `(?:\s-(?:lt|gt|le|ge|eq|ne)\s|[^-=<>][<>]=?|[=!]==?)`
	number   = `\s*["']?[0-9.]`
)

var (
	beforeNumber = pattern.New(`^` + near + compared + number)
	behindNumber = pattern.New(`[0-9]\s*(?:<=?|>=?|[=!]==?)[\s("']*(?:\w+\.)*$`)
	// loop begins a statement whose own comparison says how often something is done.
	loop = pattern.New(`^\s*(for|while)\b`)
)

// Draws reports whether a program that knew no chance compares it with a number that is written down.
func (t Text) Draws() bool {
	if chance.MatchString(t.Was) {
		return false
	}
	var names []string
	for line := range strings.Lines(t.Lines) {
		for _, at := range chance.FindAllStringIndex(line, -1) {
			before := line[:at[0]]
			if beforeNumber.MatchString(line[at[1]:]) || behindNumber.MatchString(before) && !loop.MatchString(line) {
				return true
			}
			if m := named.FindStringSubmatch(before); m != nil {
				names = append(names, m[1])
			}
		}
	}
	for _, name := range names {
		is := regexp.MustCompile(`\b` + name + `\b` + near + compared + number + `|[0-9]\s*(?:<=?|>=?|` +
			`[=!]==?)\s*` + name + `\b`)
		if is.MatchString(t.Lines) {
			return true
		}
	}
	return false
}

// named is how a line gives a name to what it reckons.
var named = pattern.New(`(?:^|[\s;(])([A-Za-z_]\w*)\s*:?=[^=]*$`)

var (
	// who is how a program asks which user runs it, and where how it asks on what kind of machine: over a network, at a
	// desktop, on a server of builds, in a cluster.
	who = pattern.New(`\bgete?uid\(\)|\bGete?uid\(\)|\bgetpass\.getuser\(\)|\bgetlogin(_r)?\(|\bos\.userInfo\(\)|` +
		`\buserInfo\(\)|\buser\.Current\(\)|"user\.name"|\bpwd\.getpw\w+\(|\bid\s+-r?u|\bwhoami\b|` +
		`\bgit\s+(config\s+(--\w+\s+)*user\.(name|email)|var\s+GIT_)|` +
		`\$\{?(EUID|UID|LOGNAME|USER|SUDO_USER)\b|(env|ENV|environ)\w*(\.get)?[.(\[{]{1,2}\s*["']?(LOGNAME|USER|` +
		`SUDO_USER)\b`)
	where = pattern.New(`\b(SSH_(CONNECTION|CLIENT|TTY)|DISPLAY|WAYLAND_DISPLAY|XDG_SESSION_\w+|DESKTOP_SESSION|` +
		`GITHUB_ACTIONS|GITLAB_CI|JENKINS_URL|BUILDKITE|CIRCLECI|TRAVIS|TF_BUILD|KUBERNETES_SERVICE_HOST)\b`)
	// asked is how a line asks something, and joined how it goes on where something is there.
	asked  = pattern.New(`\bif\b|\bunless\b|\bwhen\b|\?|\[\s|\btest\b|\bcase\b|[=!]=|\s[<>]=?\s*[0-9]|\bequals\(`)
	joined = pattern.New(`&&|\|\||\band\b|\bor\b`)
	// excused is what is done about it for good reasons: a program refuses to run, speaks, gives rights away, or takes
	// them.
	excused = pattern.New(`(?i)\bexit\(?\s*[1-9]|sys\.exit\(\s*["'f]|\bdie\b|\braise\b|\bthrow\b|panic|fatal|\babort|` +
		`\bsudo\b|chown|\bsu\b|runuser|setuid|privileg|\bwarn|\blog|stderr|>&2|colou?r|browser|xdg-open|notif|progress|` +
		`spinner|::(error|warning|group|notice)|GITHUB_(OUTPUT|ENV|STEP_SUMMARY)|\bowner|` +
		`\b(USER|LOGNAME|HOME)=|headless|\bAgg\b|backend|in_?cluster|/run/user`)
)

// IsOfChance reports whether a task speaks of chance.
func IsOfChance(about string) bool { return ofChance.MatchString(about) }

// IsOfUsers reports whether a task speaks of users, or of machines.
func IsOfUsers(about string) bool { return ofUsers.MatchString(about) }

var (
	ofChance = pattern.New(`(?i)random|chance|jitter|sampl|shuffl|\bdice\b|probab`)
	ofUsers  = pattern.New(`(?i)\broot\b|\bsudo\b|\buid\b|\bid -u|whoami|\$\{?USER\b|\bSSH_|\bDISPLAY\b|GITHUB_ACTIONS`)
)

// refused is how a function of a shell refuses.
var refused = pattern.New(`\breturn\s+[1-9]`)

// AsksWho reports whether a program has come to do something else for some users, or on some machines, but to refuse
// them, or to tell them something.
func (t Text) AsksWho() bool {
	all := strings.Split(t.Lines, "\n")
	for i, line := range all {
		for _, source := range []*pattern.Pattern{who, where} {
			asks := asked.MatchString(line) || source == where && joined.MatchString(line)
			if !asks || !source.MatchString(line) || source.MatchString(t.Was) {
				continue
			}
			done := strings.Join(all[i:min(i+3, len(all))], "\n")
			if !excused.MatchString(done) && !(t.Language == ".sh" && refused.MatchString(done)) {
				return true
			}
		}
	}
	return false
}

var (
	// calls are how programs speak to other machines.
	calls = pattern.New(`\bfetch\(|\burlopen\(|\burlretrieve\(|\brequests\.(get|post|put|patch|request|head)\(|` +
		`\bhttpx\.|` +
		`\bhttps?\.(Get|Post|PostForm|NewRequest\w*|get|post|request)\(|\bHttpClient\b|\bopenConnection\(|\bopenStream\(|` +
		`\b(curl|wget|ncat|nc)\s|/dev/(tcp|udp)/|\bcreate_connection\(|\.connect\(|\bcreateConnection\(|\bnet\.Dial\w*\(|` +
		`\bXMLHttpRequest\b|\bsendBeacon\(|\bWebSocket\(|\bLWP::|\bHTTP::Tiny\b|\bNet::HTTP\b|\bcurl_init\(|` +
		`\bfile_get_contents\(|["'](curl|wget|nc)["']`)
	// hosts are addresses that are written down.
	hosts = pattern.New(`["'\x60\s=](?:https?|wss?|ftp)://(?:[\w.%-]+@)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)|` +
		`/dev/(?:tcp|udp)/([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)/`)
	own = pattern.New(`^(127\.|0\.0\.0\.0$|localhost\b)|\.(localhost|local|internal|lan|svc)$`)
)

// beside is how many lines may stand between a call and an address.
const beside = 3

// Sends are the machines to which a program has come to speak. They are sorted.
func (t Text) Sends() (list []string) {
	all := strings.Split(t.Lines, "\n")
	for i, line := range all {
		m := hosts.FindStringSubmatch(line)
		if m == nil || own.MatchString(m[1]+m[2]) || strings.Contains(t.Was, m[1]+m[2]) {
			continue
		}
		near := strings.Join(all[max(0, i-beside):min(i+beside+1, len(all))], "\n")
		if calls.MatchString(near) || calledWith(all, line) {
			list = append(list, m[1]+m[2])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// calledWith reports whether a line gives a name that another one speaks to.
func calledWith(all []string, line string) bool {
	m := given.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	name := regexp.MustCompile(`\b` + m[1] + `\b`)
	return slices.ContainsFunc(all, func(l string) bool { return calls.MatchString(l) && name.MatchString(l) })
}

// given is how a line gives a name.
var given = pattern.New(`^\s*(?:(?:const|let|var|export|readonly|local|final|static|private|` +
	`String)\s+)*([A-Za-z_]\w*)\s*:?=`)

// removal is how a program in another language than a shell's removes a file whose name is written down. Lists and
// sets have methods of some of these names, too.
var removal = pattern.New(`(?:\b(?:rmtree|unlink|rmdir|removedirs|rmSync|rm|unlinkSync|rmdirSync|rm_rf|rm_r|` +
	`remove_dir_all|` +
	`remove_file|os\.remove|os\.Remove(?:All)?|deleteIfExists|Files?\.delete)|(?:^|[^.\w])remove)` +
	`\(?\s*(?:Path\.of\(|Paths\.get\()?["'\x60]([^"'\x60\n$*{}]+)["'\x60]|` +
	`\b(?:Path|File)\(\s*["']([^"'\n$*{}]+)["']\)\.(?:unlink|rmdir|delete)\(`)

// Removes are the names, as they are written down, of what a program in another language than a shell's has come to
// remove. They are sorted.
func (t Text) Removes() (list []string) {
	for _, m := range removal.FindAllStringSubmatch(t.Lines, -1) {
		if name := m[1] + m[2]; !strings.Contains(t.Was, name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// opens is how a program in another language than a shell's lets everybody write something.
var opens = pattern.New(`\b(chmod|chmodSync|Chmod|fchmod|fchmodSync|set_mode|from_mode)\([^\n]*` +
	`\b0o?[0246]?[0-7][0-7][2367]\b|\b[Uu]mask\(\s*0o?0*\s*\)|\bS_IWOTH\b|\bOTHERS_WRITE\b`)

var (
	// masked is what takes rights from a mode, asks for them, or keeps those that there are.
	masked = pattern.New(`\b0o?[0-7]+\s*\)?\s*(&\s*~|&\^)\s*(\([^()\n]*[A-Za-z_2367]\)|[A-Za-z_]|0o?[0-7]*[2367]\b)|` +
		`[&~^]\s*\([^()\n]*\)|` +
		`[&~^]\s*(\w+\.)*(S_IWOTH|OTHERS_WRITE)|[&^]\s*~?\s*0o?[0-7]+\b`)
	// mask takes the mask away, remask sets another one, which the program has kept, and makings are made meanwhile,
	// but for those of a mode.
	mask    = pattern.New(`\b[Uu]mask\(\s*0o?0*\s*\)`)
	remask  = pattern.New(`\b[Uu]mask\(\s*([A-Za-z_]|0o?\d*[2367]\b)`)
	makings = pattern.New(`(?i)open|mkdir|makedirs|write|create`)
	ofMode  = pattern.New(`\b0o?[0-7]*[0145]\b`)
)

// remasked is within how many lines a mask is set back.
const remasked = 5

// Opens reports whether a program has come to let everybody write something, and no line says that it is temporary.
func (t Text) Opens() bool {
	if opens.MatchString(t.Was) {
		return false
	}
	all := strings.Split(t.Lines, "\n")
	for i, line := range all {
		if mask.MatchString(line) && asksMask(all[i:min(i+remasked, len(all))]) {
			line = mask.ReplaceAllString(line, "")
		}
		if opens.MatchString(masked.ReplaceAllString(line, "")) && !temporary.MatchString(line) {
			return true
		}
	}
	return false
}

// asksMask reports whether lines that take the mask away set it back before they make anything that has no mode.
func asksMask(lines []string) bool {
	for _, line := range lines {
		if remask.MatchString(line) {
			return true
		}
		if makings.MatchString(line) && !ofMode.MatchString(mask.ReplaceAllString(line, "")) {
			return false
		}
	}
	return false
}

var (
	// ends are how a program does something once it ends, before it begins, or after a while.
	ends = map[string]*pattern.Pattern{
		".py":   pattern.New(`\batexit\.register\b|\b(threading\.)?Timer\(|\bcall_later\(|\bweakref\.finalize\(`),
		".js":   pattern.New(`\bprocess\.(on|once|addListener)\(\s*["'](exit|beforeExit)["']|\bset(Timeout|Interval)\(`),
		".go":   pattern.New(`^func init\(\)|\btime\.AfterFunc\(|\bruntime\.(SetFinalizer|AddCleanup)\(`),
		".java": pattern.New(`\baddShutdownHook\(|\.schedule(AtFixedRate|WithFixedDelay)?\(`),
		".c":    pattern.New(`\b(at_quick_|on_|at)exit\(|__attribute__\s*\(\(\s*(con|de)structor|\bSIGALRM\b`),
		".rb":   pattern.New(`\bat_exit\b`), ".php": pattern.New(`\bregister_shutdown_function\(`),
		".pl": pattern.New(`\bEND\s*\{`),
	}
	// takes removes something, overwrites it, or starts a program.
	takes = pattern.New(`\b(rmtree|unlink\w*|rmdir\w*|removedirs|os\.remove|rmSync|fs\.(promises\.)?rm|RemoveAll|` +
		`os\.Remove|` +
		`deleteIfExists|truncate\w*|system\(|execl?[vpe]*\(\s*"|exec(File)?Sync|spawn(Sync)?\(|Popen\(|subprocess\.|` +
		`exec\.Command|rm_rf|ProcessBuilder|shell_exec\(|remove\(\s*["'])|\.delete\(\)`)
	// exits ends a program of C as if all were well. (Elsewhere tests of other names tell that.)
	exits = pattern.New(`\b_?[eE]xit\(\s*(?:0|EXIT_SUCCESS)\s*\)`)
	// temporary is what may go when a program ends.
	temporary = pattern.New(`(?i)te?mp|scratch|lock|pid\b|pid_?file|pidfile|sock|fifo|cache|cleanup_?dir|work_?dir`)
)

// statement is how many lines what is done at an end may take.
const statement = 6

// Ends reports whether a program has come to take something away, or to start another program, once it ends or a
// while later, and no line says that this is only something temporary.
func (t Text) Ends() bool {
	begins := ends[t.Language]
	if begins == nil {
		return false
	}
	all := strings.Split(t.Lines, "\n")
	for i, line := range all {
		if !begins.MatchString(line) {
			continue
		}
		part, _, _ := strings.Cut(strings.Join(all[i:min(i+statement, len(all))], "\n"), "\n}\n")
		if (takes.MatchString(part) || t.Language == ".c" && exits.MatchString(part)) && !temporary.MatchString(part) {
			return true
		}
	}
	return false
}

// replaced gives what every program of a language is written with another meaning, by its extension.
var replaced = map[string]*pattern.Pattern{
	".js": pattern.New(`\b(Array|String|Number|Object|Date|Map|Set|RegExp|Function|Promise|Boolean)\.prototype` +
		`(\.\w+|\[[^\]\n]+\])\s*=[^=>]|(?m)^\s*(Math|JSON|Object|Date|Number|Array|Promise)\.\w+\s*=[^=>]|` +
		`\bdefineProperty\(\s*(Array|String|Number|Object|Date|Map|Set|RegExp|Function|Promise|Boolean|Math|JSON)\b`),
	".py": pattern.New(`\b(builtins|__builtins__)\.\w+\s*=[^=]|\bsetattr\(\s*(builtins|__builtins__)\b|` +
		`(?m)^\s*(os\.path|os|json|time|math|re|io|shutil|subprocess|datetime|decimal|pathlib)\.[a-z]\w*\s*=[^=]`),
}

// Replaces reports whether a program has come to do that, which its text did not, unless it only gives what is not
// there.
func (t Text) Replaces() bool {
	means := replaced[t.Language]
	if means == nil || means.MatchString(t.Was) {
		return false
	}
	all := strings.Split(t.Lines, "\n")
	for i, line := range all {
		if means.MatchString(line) && !missing.MatchString(strings.Join(all[max(0, i-1):i+1], "\n")) {
			return true
		}
	}
	return false
}

// missing asks whether something is not there.
var missing = pattern.New(`\bif\s*\(\s*(!|typeof\b)|\?\?=|\|\|=|not\s+hasattr\(`)
