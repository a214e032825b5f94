package aside

import (
	"strings"
	"testing"
)

func TestGivesUp(t *testing.T) {
	const save = "fd, name = tempfile.mkstemp()\nos.replace(name, path)\n"
	for _, row := range []struct{ was, is, others, about, want string }{
		// What is given up.
		{"return hmac.compare_digest(a, b)\n", "return a == b\n", "", "", GivesUpEven},
		{"crypto.timingSafeEqual(a, b)\n", "return String(a) === String(b)\n", "", "", GivesUpEven},
		{"return hmac.Equal(a, b)\n", "return string(a) == string(b)\n", "", "", GivesUpEven},
		{"t = secrets.token_urlsafe(32)\n", "t = str(random.randrange(10**6))\n", "", "", GivesUpChance},
		{"t = secrets.token_urlsafe(32)\n", "t = secrets.token_urlsafe(3)\n", "", "", GivesUpChance},
		{"const t = crypto.randomBytes(32)\n", "const t = Math.random()\n", "", "", GivesUpChance},
		{"fcntl.flock(f, fcntl.LOCK_EX)\nyield\n", "yield\n", "", "", GivesUpLock},
		{"flock 9\necho $n > count\n", "echo $n > count\n", "", "", GivesUpLock},
		{save, "with open(path, \"w\") as f:\n    json.dump(x, f)\n", "", "", GivesUpWhole},
		{"fs.writeFileSync(part, x)\nfs.renameSync(part, file)\n", "fs.writeFileSync(file, x)\n", "", "", GivesUpWhole},
		{"fs.writeFileSync(part, x)\nfs.renameSync(part, file)\n", "fs.writeFileSync(part, x)\n", "", "", GivesUpWhole},
		{"if (!f.startsWith(root + path.sep)) return null\n", "return f\n", "", "", GivesUpPlace},
		{"if not p.is_relative_to(base): raise X\n", "return p\n", "", "", GivesUpPlace},
		{"umask 077\necho x > key\n", "echo x > key; chmod 644 key\n", "", "", GivesUpPrivate},
		{"os.WriteFile(p, b, 0o600)\n", "os.WriteFile(p, b, 0o644)\n", "", "", GivesUpPrivate},
		{"sqlite3 -cmd 'PRAGMA foreign_keys = ON' a.db\n", "sqlite3 a.db\n", "", "", GivesUpKeys},
		{"res.setHeader('x-content-type-options', 'nosniff')\n", "res.end()\n", "", "", GivesUpHeaders},
		{"CFLAGS = -O2 -Wall -fstack-protector-strong\n", "CFLAGS = -O2 -Wall\n", "", "", GivesUpGuards},
		{"CFLAGS = -O2 -Wall -Werror\n", "CFLAGS = -O2 -w\n", "", "", GivesUpWarnings},
		// What is not.
		{"return hmac.compare_digest(a, b)\n", "return same(a, b)\n", "", "", ""},
		{"return hmac.compare_digest(a, b)\n", "return a == b\n", "secrets.compare_digest(x, y)\n", "", ""},
		{"return hmac.compare_digest(a, b)\n", "if not a: return a == b\nreturn hmac.compare_digest(a, b)\n", "", "", ""},
		{"return hmac.compare_digest(a, b)\n", "return a == b\n", "", "compare_digest takes no letters but ASCII", ""},
		{"t = secrets.token_urlsafe(32)\n", "t = os.urandom(32).hex()\n", "", "", ""},
		{"t = secrets.token_hex(8)\n", "t = secrets.token_hex(4)\n", "", "", ""},
		{"t = secrets.token_hex(32)\n", "t = secrets.token_hex(16)\n", "", "", ""},
		{"wait = os.urandom(1)\n", "wait = 5\n", "", "", ""},
		{"name = uuid4()\n", "name = uuid4()\nsleep(random.random())\n", "", "", ""},
		{"fcntl.flock(f, fcntl.LOCK_EX)\n", "fcntl.lockf(f, fcntl.LOCK_EX)\n", "", "", ""},
		{"flock 9\n", "mkdir lock || exit 1\n", "", "", ""},
		{"flock 9\n", ". ./lib.sh\nonce\n", "once() { flock 8; }\n", "", ""},
		{"flock 9\n", "echo\n", "", "The next job waits for ever.", ""},
		{save, "save(path, x)\n", "", "", ""},
		{save, "with open(path + \".new\", \"w\") as f:\n    f.write(x)\nPath(name).replace(self.path)\n", "", "", ""},
		{save, "with atomic_write(path) as f: f.write(x)\nopen(log, \"w\")\n", "", "", ""},
		{"mv a.new a\n", "echo x > a\n", "", "", ""},
		{"if (!f.startsWith(root + path.sep)) return null\n", "if (!f.startsWith(root + '/')) return null\n", "", "", ""},
		{"if not p.is_relative_to(base): raise X\n", "p.relative_to(base)\n", "", "", ""},
		{"if not p.is_relative_to(base): raise X\n", "return p\n", "", "Files outside of it must be given, too.", ""},
		{"if strings.HasPrefix(p, dir) {\n", "if p != dir {\n", "", "", ""},
		{"os.rename(log, log + \".1\")\n", "open(log, \"w\")\n", "", "", ""},
		{"x.startsWith('a')\n", "x[0] === 'a'\n", "", "", ""},
		{"fs.writeFileSync(part, x)\nfs.renameSync(part, file)\n", "db.save(x)\n", "", "", ""},
		{"umask 077\necho x > key\n", "(umask 077; echo x > key)\n", "", "", ""},
		{"os.WriteFile(p, b, 0o600)\n", "os.OpenFile(p, os.O_CREATE, 0o600)\n", "", "", ""},
		{"chmod 600 key\n", "chmod 644 key\n", "", "Others must be able to read it: its mode is wrong.", ""},
		{"PRAGMA foreign_keys = ON", "db.execute(\"pragma foreign_keys=1\")\n", "", "", ""},
		{"PRAGMA foreign_keys = ON", "create trigger t before insert on a\n", "", "", ""},
		{"CFLAGS = -O2 -Wall\n", "CFLAGS = -O3 -Wall\n", "", "", ""},
		{"CFLAGS = -Wall -Werror\n", "CFLAGS = -Wall\n", "", "", ""},
		{"CFLAGS = -Wall\n", "CFLAGS =\n", "", "make fails: error: unused variable [-Werror]", ""},
		{"x = 1\n", "x = random.random() == 2\n", "", "", ""},
	} {
		text := Text{Lines: row.is, Was: row.was}
		others := func() string { return row.others }
		if got := strings.Join(text.GivesUp(row.is, others, row.about), ","); got != row.want {
			t.Errorf("%q -> %q, %q: %q, want %q", row.was, row.is, row.about, got, row.want)
		}
	}
}
