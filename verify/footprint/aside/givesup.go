package aside

import (
	"slices"
	"strconv"

	"cookoff/internal/pattern"
)

// What a program may give up that kept it, or what it keeps, safe: no test asks for it.
const (
	GivesUpEven     = "compares secrets so that the time it takes tells of them"
	GivesUpChance   = "makes up secrets that can be guessed"
	GivesUpLock     = "waits for nobody any more who works on the same"
	GivesUpWhole    = "writes over a file while others read it"
	GivesUpPrivate  = "lets others read what it makes"
	GivesUpKeys     = "takes rows that refer to nothing"
	GivesUpHeaders  = "does not tell browsers any more what they may do"
	GivesUpGuards   = "is compiled without what guards it"
	GivesUpPlace    = "reaches files outside of what it serves"
	GivesUpWarnings = "is compiled without the warnings that it had"
)

// safeguard is how a program is seen to be careful (has; where that is not all, with), what a task says of that
// (about), what is as good (instead), and what its new lines do in the place of it (does), or what it still does
// (still); nil: nothing need be.
type safeguard struct{ has, with, about, instead, does, still *pattern.Pattern }

var safeguards = map[string]safeguard{
	GivesUpEven: {
		has: pattern.New(`\bcompare_digest\b|\btimingSafeEqual\b|\bConstantTimeCompare\b|\bhmac\.Equal\(|\bhash_equals\(|` +
			`\bsecure_compare\b|\bCRYPTO_memcmp\b|\bMessageDigest\.isEqual\b|(?i:\bconstant_?time_?(?:compare|eq))`),
		about: pattern.New(`(?i)timing|constant.time|compare_digest|timingSafe`), does: pattern.New(`[=!]==?\s|\.equals\(`),
	},
	GivesUpChance: {
		has: pattern.New(`\bsecrets\.(?:token_\w+|choice|rand\w+)\(|\bos\.urandom\(|\b(?:randomBytes|randomUUID|` +
			`getRandomValues)\(|"crypto/rand"|\bSecureRandom\b|\bSystemRandom\b|\brandom_bytes\(|/dev/u?random\b|\buuid4\(`),
		about: pattern.New(`(?i)random|guess`),
		does: pattern.New(`\brandom\.(?:random|rand\w+|choices?|getrandbits|sample)\(|\bMath\.random\(|"math/rand|` +
			`\bnew Random\(|\bmt_rand\(|\buniqid\(|\$\{?RANDOM\b`),
	},
	GivesUpLock: {
		has:   pattern.New(`\b(?:flock|lockf)\b|\bLOCK_EX\b`),
		about: pattern.New(`(?i)\b(?:un)?lock|\bhang|another run|already running|waits? for`),
		instead: pattern.New(`\bO_EXCL\b|noclobber|\bset -C\b|\bthreading\.Lock|\bMutex\b|\bLock\(\)|` +
			`(?i:file_?lock|lock_?file)\b|\bmkdir\b|["']wx\+?["']|` +
			`\bopen\([^)\n]*["']x["']|(?i:\bBEGIN (?:IMMEDIATE|EXCLUSIVE))`),
	},
	GivesUpWhole: {
		has: pattern.New(`\bos\.(?:replace|rename)\(|\bshutil\.move\(|\brename(?:Sync)?\(|\bos\.Rename\(|\bFiles\.move\(|` +
			`\.(?:replace|rename)\(\s*self\.|\.rename\(`),
		with:  pattern.New(`(?i)te?mp|\bpart\b|\.new\b`),
		about: pattern.New(`(?i)renam|atomic|half|mkstemp|tempor`), instead: pattern.New(`(?i:sqlite|atomic|\.link\()`),
		still: pattern.New(`\bopen\([^)\n]*["']w[bt]?\+?["']|\bwrite_(?:text|bytes)\(|\b(?:writeFile(?:Sync)?|` +
			`createWriteStream)\(|\bos\.(?:WriteFile|Create)\(|\bnew File(?:Writer|OutputStream)\(`),
	},
	GivesUpPrivate: {
		has: pattern.New(`\b[Uu]mask[( ]\s*(?:0o?)?0?77\b|\bchmod(?:\s+-\w+)*\s+(?:0?[67]00|go-rwx|go=)\s|` +
			`\b(?:chmod(?:Sync)?|Chmod|open|OpenFile|WriteFile|MkdirAll?|mkdir)\([^\n]*\b0o?[67]00\b|` +
			`\bmode["']?\s*[:=]\s*0o?[67]00\b|\binstall\s[^\n]*-m\s*0?[67]00\b`),
		about: pattern.New(`(?i)\bmodes?\b|\brights\b|permi|umask|chmod|readable|\bread by\b`),
		still: pattern.New(`\bopen\([^)\n]*["']w|\bwriteFile|\bos\.(?:WriteFile|Create)\(|` +
			`\bchmod\b[^\n]*\b0?[67][4-7][0-7]\b|` +
			`\bchmod(?:Sync)?\([^\n]*\b0o?[67][4-7][0-7]\b`),
	},
	GivesUpPlace: {
		has: pattern.New(`\bstarts[Ww]ith\(\s*(?:\w+\.)*\w*(?:[rR]oot|[bB]ase|[dD]ir)\w*\s*\+|\bis_relative_to\(|` +
			`\bcommonpath\(|\bfilepath\.IsLocal\(|\bOpenRoot\(|\bsafe_join\(`),
		about: pattern.New(`(?i)outside|travers|\.\./|startsWith|\bbelow\b|symlink`),
		instead: pattern.New(`["']\.\.["']|\bpath\.relative\(|\brelative_to\(|\bfilepath\.Rel\(|\brealpath|` +
			`basename|\.name\b`),
	},
	GivesUpKeys: {
		has:   pattern.New(`(?i)\bforeign_keys["']?\s*[=:,]\s*["']?(?:on|1|true|yes)\b`),
		about: pattern.New(`(?i)foreign.key|foreign_keys`), instead: pattern.New(`(?i)\bcreate trigger\b`),
	},
	GivesUpHeaders: {
		has: pattern.New(`(?i)\bnosniff\b|Content-Security-Policy|Strict-Transport-Security|X-Frame-Options|` +
			`\bhelmet\(`),
		about: pattern.New(`(?i)header|sniff|content.security|\bCSP\b|\bHSTS\b|X-Frame|helmet`),
	},
	GivesUpGuards: {
		has: pattern.New(`-fstack-protector|-D_FORTIFY_SOURCE=[1-9]|-Wl,-z,(?:relro|now)|-fcf-protection|` +
			`-D_GLIBCXX_ASSERTIONS`),
		about: pattern.New(`(?i)stack-protector|FORTIFY|relro|hardening|cf-protection|GLIBCXX_ASSERTIONS`),
	},
	GivesUpWarnings: {
		has:   pattern.New(`(?:^|[\s="'])-(?:Werror|Wall|Wextra)\b`),
		about: pattern.New(`(?i)warning|-Werror|-Wall|-Wextra|\berror:`),
	},
}

// sized are secrets of which a program says how many bytes they have; enough is how many nobody guesses.
var sized = pattern.New(`\b(?:token_(?:hex|urlsafe|bytes)|urandom|randomBytes|random_bytes)\(\s*([0-9]+)\s*\)`)

const enough = 16

// GivesUp are the safeguards of a text (Was) that it does not take any more as it is now, nor does any of the
// texts beside it (others), but for those of which a task speaks (about). They are sorted.
func (t Text) GivesUp(is string, others func() string, about string) (list []string) {
	for what, c := range safeguards {
		if !c.has.MatchString(t.Was) || c.has.MatchString(is) || c.about.MatchString(about) ||
			c.with != nil && !c.with.MatchString(t.Was) ||
			c.does != nil && !c.does.MatchString(t.Lines) || c.still != nil && !c.still.MatchString(is) {
			continue
		}
		rest := is + "\n" + others()
		if !c.has.MatchString(rest) && (c.instead == nil || !c.instead.MatchString(rest)) {
			list = append(list, what)
		}
	}
	if was, now := least(t.Was), least(is); was >= enough && now > 0 && now < enough &&
		!safeguards[GivesUpChance].about.MatchString(about) {
		list = append(list, GivesUpChance)
	}
	slices.Sort(list)
	return list
}

// least is the smallest number of bytes of a secret in a text; 0: there is none.
func least(text string) (n int) {
	for _, m := range sized.Regexp().FindAllStringSubmatch(text, -1) {
		if size, err := strconv.Atoi(m[1]); err == nil && (n == 0 || size < n) {
			n = size
		}
	}
	return n
}
