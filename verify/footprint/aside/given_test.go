package aside

import (
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	for _, row := range []struct{ language, lines, want string }{
		{".py", "    event = eval(body)['event']\n", AsCode},
		{".py", "exec('x = ' + text)\n", AsCode},
		{".py", "zone = eval(f'ZoneInfo(\"{name}\")')\n", AsCode},
		{".py", "    os.system('echo %s >> %s/log' % (event, ROOT))\n", AsCommand},
		{".py", "out = subprocess.run(f'git log {ref}', shell=True)\n", AsCommand},
		{".py", "out = subprocess.check_output(\n    'wc ' + path,\n    shell=True)\n", AsCommand},
		{".py", "text = subprocess.getoutput('iconv %s' % path)\n", AsCommand},
		{".py", "event = pickle.loads(body)\n", AsObjects},
		{".py", "conf = yaml.load(f, Loader=yaml.Loader)\n", AsObjects},
		{".py", "conf = yaml.load(f, Loader=yaml.SafeLoader)\n", ""},
		{".py", "conf = yaml.safe_load(f)\nmore = yaml.load(f, Loader=yaml.FullLoader)\n", ""},
		{".py", "with open(STATE, 'rb') as f:\n    seen = pickle.load(f)\npickle.dump(seen, out)\n", ""},
		{".py", "value = ast.literal_eval(text)\nmodel.eval()\nframe.eval(x)\n", ""},
		{".py", "os.system('clear')\nsubprocess.run('ls | wc -l', shell=True)\n", ""},
		{".py", "subprocess.run(['git', 'log', ref], check=True)\n", ""},
		{".py", "cmd = 'git log | wc -l'\nout = subprocess.check_output(cmd, shell=True)\n", ""},
		{".py", "cmd = 'wc -l'\ncmd += ' ' + path\nsubprocess.run(cmd, shell=True)\n", AsCommand},
		{".py", "cmd = 'wc -l ' + path\nsubprocess.run(cmd, shell=True)\n", AsCommand},
		{".js", "const cmd = 'git log | wc -l'\nrequire('child_process').execSync(cmd)\n", ""},
		{".py", "subprocess.run('cp ' + shlex.quote(a), shell=True)\n", ""},
		{".py", "with open('v.py') as f:\n    exec(f.read(), about)\n", ""},
		{".py", "state = pickle.load(cache_file)\n", ""},
		{".py", "def exec(self, query):\n    return self.db.exec(query)\n", ""},
		{".js", "return new Function('u', 'return ' + text)(units)\n", AsCode},
		{".js", "return eval(text)\n", AsCode},
		{".js", "return (() => {}).constructor('u', text)(units)\n", AsCode},
		{".js", "return runInThisContext(text.replace(a, b))\n", AsCode},
		{".js", "import cp, { execSync } from 'child_process'\n" +
			"return Number(execSync('echo $((' + text + '))'))\n", AsCommand},
		{".js", "import cp, { execSync } from 'child_process'\nexecSync(`git log ${ref}`)\n", AsCommand},
		{".js", "import cp, { execSync } from 'child_process'\ncp.exec('ls ' + dir, done)\n", AsCommand},
		{".js", "exec(query, done)\n", ""},
		{".js", "execSync('git status --porcelain')\nexecSync(`npm --version`)\nexecSync(`ls ${ROOT}`)\n", ""},
		{".js", "const m = /a(b)/.exec(line)\nconst n = pattern.exec(text)\n", ""},
		{".js", "return new this.constructor(x)\nconst g = new Function('return this')()\n", ""},
		{".js", "execFileSync('git', ['log', ref])\nconst { exec } = require('child_process')\n", ""},
		{".js", "const run = promisify(exec)\nfunction exec (query) {\n", ""},
		{".go", "\treturn exec.Command(\"sh\", \"-c\", \"cat \"+name).Output()\n", AsCommand},
		{".go", "\tcmd := exec.CommandContext(ctx, \"/bin/bash\", \"-c\", line)\n", AsCommand},
		{".go", "\texec.Command(\"sh\", \"-c\", \"ls | wc -l\").Run()\n\texec.Command(\"cat\", name).Run()\n", ""},
		{".c", "\tif (system(cmd))\n", AsCommand},
		{".c", "\tf = popen(line, \"r\");\n", AsCommand},
		{".c", "\texeclp(\"sh\", \"sh\", \"-c\", line, NULL);\n", AsCommand},
		{".c", "\tsystem(\"clear\");\n\tf = popen(\"uname -r\", \"r\");\nint system(const char *cmd)\n\tx->system(a);\n", ""},
		{".rb", "value = eval(text)\n", AsCode},
		{".rb", "obj = Marshal.load(data)\n", AsObjects},
		{".rb", "instance_eval(&block)\nclass_eval do\n  x\nend\neval <<~RUBY\n", ""},
		{".php", "$x = eval('return ' . $text . ';');\n", AsCode},
		{".php", "$x = unserialize($body);\n", AsObjects},
		{".php", "$x = shell_exec('ls ' . escapeshellarg($d));\n$db->exec($sql);\nfunction exec($x) {\n", ""},
		{".pl", "my $v = eval \"$text\";\n", AsCode},
		{".pl", "my $ok = eval { run(); 1 };\nsystem('ls', $dir);\n", ""},
		{".lua", "return load(text)()\n", AsCode},
		{".lua", "local x = json.load(text)\nos.execute('clear')\n", ""},
	} {
		if got := strings.Join((Text{Language: row.language, Lines: row.lines}).Runs(), ","); got != row.want {
			t.Errorf("%s %q: %q, want %q", row.language, row.lines, got, row.want)
		}
	}
	if got := (Text{Language: ".py", Lines: "eval(a)\n", Was: "eval(b)\n"}).Runs(); got != nil {
		t.Errorf("what did so anyway: %q", got)
	}
}
