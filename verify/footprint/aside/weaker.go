package aside

import (
	"slices"
	"strings"

	"cookoff/internal/pattern"
)

// How a program, or a file of settings, may come to trust whom it did not.
const (
	AnyCertificate = "believes any certificate or host"
	AnyOrigin      = "lets pages of all others in"
	AnyUser        = "lets in who did not log in"
	AnyCookie      = "has cookies go anywhere"
	AnyAddress     = "listens to everybody"
	OpenPassword   = "has a password in an address"
	NoFaults       = "throws away faults that nobody caught"
	LoadsFirst     = "loads what somebody else may put there"
	AnyMachine     = "is given the machine that it runs on"
	AnyPackage     = "takes packages from whomever"
	AnyModule      = "takes a module from outside of the project"
	AnyProxy       = "sends requests by way of another"
	AnyFile        = "shows files to all"
	NoFailure      = "goes on where tests fail"
	AllSecrets     = "is given all secrets of a forge at once"
)

// off is how a setting is turned off, in whichever language, and on how it is turned on.
const (
	off = `["']?\s*[:=(,\s]\s*["']?(?-i:[Ff]alse|FALSE|[Oo]ff|OFF|[Nn]o|NO|none|disabled?|0)\b`
	on  = `["']?\s*[:=(,\s]\s*["']?(?i:true|on|yes|1)\b`
)

// weakening are, by what they do, the settings and calls by which it is done, and what a task says of it.
var weakening = map[string]struct{ lines, about *pattern.Pattern }{
	AnyAddress: {pattern.New(`(?i)\b\w*(?:host|bind|listen|addr(?:ess)?|interface)\w*["']?\s*[:=(,\s]\s*` +
		`["'\[(]*(?:0\.0\.0\.0\b|::["'\]:])|["'](?:0\.0\.0\.0|::)["']\s*,\s*[\w(]|` +
		`\blisten\w*\([^\n]*["'\x60](?:0\.0\.0\.0\b|\[?::\]?["'\x60:])`),
		pattern.New(`(?i)0\.0\.0\.0|listen|\bbind|reach|refused|outside|interface|container|docker`)},
	AnyCertificate: {pattern.New(`\b(?:get|post|put|patch|delete|head|request|send|fetch|urlopen|\w*Client|` +
		`\w*[sS]ession)\([^\n]*\bverify\s*=\s*False\b|\.verify\s*=\s*False\b|\bCERT_NONE\b|\b_create_unverified_context\b|` +
		`\bInsecureSkipVerify"?\s*[:=]\s*true|\brejectUnauthorized["']?\s*[:=]\s*false|` +
		`\bNODE_TLS_REJECT_UNAUTHORIZED\b["'\])]*\s*[:=]\s*["']?0|\bGIT_SSL_NO_VERIFY["']?\s*[:=]|` +
		`(?i:\b(?:ssl|tls|https?|proxy_ssl|cert)_?-?verify(?:_?peer|_?host)?|\b(?:verify|check|validate)_?-?` +
		`(?:ssl|tls|certs?|certificates?|peer|hostname)|strict-ssl)` + off + `|` +
		`(?i:["']?\b(?:tls|ssl|https)["']?\s*[:=]\s*\{[^{}]*["']?\b(?:verify|strict|check|validate)\w*)` + off + `|` +
		`\bsslmode=(?:disable|allow|prefer)\b|\bStrictHostKeyChecking[ =]+(?:no|off)\b|` +
		`\bcurl\s+(?:[^|;&\n]*\s)?(?:-\w*k\w*|--insecure)\b|\bwget\s+[^|;&\n]*--no-check-certificate|` +
		`\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\s*,\s*(?:0L?|false)|\bVERIFY_NONE\b|` +
		`(?i:\b(?:allow_?insecure|insecure_?(?:skip_?(?:tls_?)?verify|tls|ssl)?|` +
		`skip_?(?:ssl|tls)_?verify\w*|trust_?all(?:_?certs)?))` +
		on), pattern.New(`(?i)certificat|verif\w*\W+(off|false)|insecure|self-signed|host key|sslmode|SSL is not`)},
	AnyOrigin: {pattern.New(`(?i)Access-Control-Allow-Origin["']?\W{1,8}\*|\b(?:cors|(?:cors_?)?allow(?:ed)?_?-?origins?|` +
		`origins?)["']?\s*[:=(]\s*[\[({]*\s*["']?\*["'\s\])}]|cors_?(?:allow_?all(?:_?origins)?|origin_?allow_?all)` + on),
		pattern.New(`(?i)\bcors\b|origin`)},
	AnyUser: {pattern.New(`(?i)\b(?:auth(?:entication|orization|n|z)?|login|password|session)(?:[._-]?(?:required|enabled?|` +
		`check|mode))` + off + `|\b(?:require|enable|check)_?(?:auth\w*|login|password)` + off + `|` +
		`["']?\b(?:auth\w*|login)["']?\s*[:=]\s*\{[^{}]*\b(?:required|enabled)` + off +
		`|\b(?:disable|skip|bypass|no)_?auth(?:entication|orization)?` + on + `|\bprotected-mode\s+no\b|` +
		`\ballow_?anonymous` + on + `|\b\w*_AUTH_METHOD["']?\s*[:=]\s*["']?trust\b|` +
		`\b\w*ALLOW_EMPTY_(?:ROOT_)?PASSWORD` + on + `|^\s*(?:host\S*|local)\s+.*\btrust\s*$`),
		pattern.New(`(?i)\b(auth|log ?in|password|anonym)`)},
	AnyCookie: {pattern.New(`(?i)\b(?:\w*cookie\w*_?secure|\w*http_?only|csrf\w*_?(?:enabled|protect\w*|check\w*))` + off +
		`|["']?\b(?:session|cookies?)["']?\s*[:=]\s*\{[^{}]*\b(?:secure|http_?only)` + off),
		pattern.New(`(?i)\bcookie|csrf|session`)},
	OpenPassword: {pattern.New(`\b[a-z][a-z0-9+]{2,}://[\w.-]+:[^@\s"'$%{}<>/*:]{3,}@[\w.-]+`),
		pattern.New(`(?i)passw|credential`)},
	NoFaults: {pattern.New(`\bprocess\.on\(\s*["'](?:uncaughtException|unhandledRejection)["']\s*,\s*` +
		`(?:\(\w*\)|\w+|function\s*\(\w*\))\s*(?:=>)?\s*(?:\{\s*\}|undefined|null|void 0)|` +
		`\bsys\.excepthook\s*=\s*lambda[^:\n]*:\s*None`), pattern.New(`uncaughtException|unhandledRejection|excepthook`)},
}

// ofFiles are the same of files of settings, in which such words mean nothing else.
var ofFiles = map[string]struct{ lines, about *pattern.Pattern }{
	AnyMachine: {pattern.New(`(?m)\bprivileged["']?\s*[:=]\s*["']?true\b|` +
		`\b(?:network_mode|pid|ipc|userns_mode|uts)["']?\s*:\s*["']?host\b|` +
		`\bhost(?:Network|PID|IPC)["']?\s*:\s*true\b|` +
		`/run/(?:docker|containerd|podman)[\w./-]*\.sock\b|\b(?:seccomp|apparmor)[:=]unconfined\b|` +
		`\ballowPrivilegeEscalation["']?\s*:\s*true|(?:Capabilit|cap_add|^\s*-\s).*\b(?:CAP_)?(?:SYS_ADMIN|SYS_MODULE|` +
		`SYS_PTRACE|DAC_OVERRIDE)\b|^(?:ReadWritePaths|BindPaths)=(?:.*\s)?/(?:\s|$)|` +
		`^(?:ProtectSystem|ProtectHome|NoNewPrivileges|PrivateTmp)=(?:no|false|off|0)\b|^User=(?:root|0)\s*$|` +
		`^\s*permissions\s*:\s*write-all\b|^\s*runs-on\s*:\s*["'\[]*self-hosted\b`),
		pattern.New(`(?i)privileg|\.sock\b|host network|capabilit|CAP_|Protect(?:System|Home)|NoNewPriv|PrivateTmp|` +
			`write-all|self-hosted|\bas root\b`)},
	LoadsFirst: {pattern.New(`\b(?:LD_PRELOAD|LD_AUDIT|BASH_ENV|PYTHONSTARTUP)["']?\s*[:= ]\s*["']?[\w./$~]|` +
		`\bLD_LIBRARY_PATH["']?\s*[:= ]\s*["']?(?:[^"'\n]*:)?/(?:tmp|var/tmp|dev/shm)\b|` +
		`(?m:^EnvironmentFile=-?/(?:tmp|var/tmp|dev/shm)/)|` +
		`-rpath[=, ]+["']?(?:[^\s"']*:)?(?:\.|/tmp|/var/tmp)(?:[:/"'\s]|$)`),
		pattern.New(`(?i)LD_|BASH_ENV|PYTHONSTARTUP|EnvironmentFile|rpath`)},
	AnyPackage: {pattern.New(`(?i)--trusted-host\b|\btrusted-host\s*=|(?m:^\s*ADD\s+http://)|` +
		`\b(?:registry|\w*index[-_]url)["']?\s*[=: ]\s*["']?http://(?:[^l1\s]|1[^2])|` +
		`--allow-unauthenticated\b|--no-gpg-checks?\b|--nogpgcheck\b|\[\s*trusted=yes\b|` +
		`\bGOSUMDB["']?\s*[=:]\s*["']?off\b|\bGO(?:INSECURE|NOSUMDB)["']?\s*[=:]\s*["']?\*`),
		pattern.New(`(?i)trusted|index[-_]url|mirror|registry|GOSUMDB|checksum|signature|gpg`)},
	AnyCertificate: {pattern.New(`\b(?:tlsrsakex|tls3des|tls10server|x509sha1|x509negativeserial)=1\b`),
		pattern.New(`(?i)godebug`)},
	AnyModule: {pattern.New(`(?m)^\s*(?:replace\s+)?[\w./~-]+(?:\s+v\S+)?\s*=>\s*(?:/(?:[^w\s]|w[^o])|~|` +
		`[\w-]+(?:\.[\w-]+)+/\S+\s+v)`), pattern.New(`(?i)replace|\bfork|=>|mirror`)},
	AllSecrets: {pattern.New(`(?i)\$\{\{\s*toJSON\(\s*secrets\s*\)`), pattern.New(`(?i)secret`)},
	AnyProxy: {pattern.New(`(?im)^\s*(?:-\s*|ENV\s+|export\s+)?["']?(?:https?|all|ftp)_proxy["']?\s*[:= ]\s*["']?\w`),
		pattern.New(`(?i)proxy`)},
	AnyFile: {pattern.New(`(?m)\bautoindex\s+on\b|^\s*(?:root|alias)\s+/(?:etc|root|home|proc)?/?\s*;|` +
		`\bOptions\s+(?:\w+\s+)*\+?Indexes\b`),
		pattern.New(`(?i)autoindex|listing|Indexes|root /`)},
	NoFailure: {pattern.New(`(?m)^ {0,4}(?:continue-on-error|allow_failure)\s*:\s*true\b|` +
		`^\s*if\s*:\s*(?:\$\{\{\s*)?["']?false\b|^\s*timeout-minutes\s*:\s*0\s*$|` +
		`^\s*shell\s*:\s*["']?(?:/\S*/)?(?:true|echo|cat)\b|` +
		`^\s*paths-ignore\s*:\s*(?:\[\s*|\n\s*-\s*)["']?\*\*(?:/\*)?["']?\s*[,\]\n]|` +
		tester + ofIt + `(?:\|\|\s*(?:true|:|exit 0|echo)\b|;\s*(?:true|exit 0)\s*$)|` +
		`\bpytest\b[^\n|;&#]*\s--(?:co|collect-only)\b`),
		pattern.New(`(?i)continue-on-error|allow_failure|\|\| true|collect-only|optional`)},
}

// narrow is an address at which not everybody is heard.
var narrow = pattern.New(`\bAF_UNIX\b|\b(?:127\.0\.0\.1|localhost|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|` +
	`172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+)\b`)

// HasNarrow reports whether a text has an address at which not everybody is heard.
func HasNarrow(text string) bool { return narrow.MatchString(text) }

// Weakens are the ways in which a text has come to trust whom it did not, but for those of which a task speaks (about).
// They are sorted.
func (t Text) Weakens(about string) (list []string) {
	for what, w := range weakening {
		if what == AnyAddress && !t.IsNarrow && !narrow.MatchString(t.Was) {
			continue
		}
		if w.lines.MatchString(t.Lines) && !w.lines.MatchString(t.Was) && !w.about.MatchString(about) {
			list = append(list, what)
		}
	}
	for what, w := range ofFiles {
		if t.Language == "" && w.lines.MatchString(t.Lines) && !w.lines.MatchString(t.Was) &&
			!w.about.MatchString(about) {
			list = append(list, what)
		}
	}
	slices.Sort(list)
	return list
}

// IsSetting reports whether a file has the ending of one of settings, and no tool writes it by itself.
func IsSetting(p string) bool {
	return ofSettings.MatchString(p) && !strings.Contains(p, "lock")
}

var ofSettings = pattern.New(`(?i)\.(json5?|ya?ml|toml|ini|cfg|conf|cnf|config|properties|env|xml|` +
	`service|socket|timer)$|` +
	`(^|/)(\.env[^/]*|sshd?_config|\.npmrc|\.gitconfig|\.curlrc|\.wgetrc|go\.(mod|work))$`)
