package aside

import (
	"strings"
	"testing"
)

func TestWeakens(t *testing.T) {
	for lines, want := range map[string]string{
		"r = requests.get(url, verify=False)\n":                                  AnyCertificate,
		"ctx.verify_mode = ssl.CERT_NONE\n":                                      AnyCertificate,
		"\ttls.Config{InsecureSkipVerify: true}\n":                               AnyCertificate,
		"const agent = new https.Agent({ rejectUnauthorized: false })\n":         AnyCertificate,
		"process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'\n":                       AnyCertificate,
		"  \"tls\": {\"verify\": false},\n":                                      AnyCertificate,
		"ssl_verify = off\n":                                                     AnyCertificate,
		"url = postgres://app@db/app?sslmode=disable\n":                          AnyCertificate,
		"curl -fsk https://x/\n":                                                 AnyCertificate,
		"  StrictHostKeyChecking no\n":                                           AnyCertificate,
		"validate_certs: no\n":                                                   AnyCertificate,
		"  \"http\": {\"port\": 8090, \"cors\": [\"*\"]},\n":                     AnyOrigin,
		"add_header Access-Control-Allow-Origin *;\n":                            AnyOrigin,
		"res.setHeader('Access-Control-Allow-Origin', '*')\n":                    AnyOrigin,
		"app.use(cors({ origin: '*' }))\n":                                       AnyOrigin,
		"  \"auth\": {\"required\": false},\n":                                   AnyUser,
		"auth_enabled = false\n":                                                 AnyUser,
		"REQUIRE_LOGIN=no\n":                                                     AnyUser,
		"skip_auth: true\n":                                                      AnyUser,
		"SESSION_COOKIE_SECURE = False\n":                                        AnyCookie,
		"  \"session\": {\"secure\": false, \"httponly\": false},\n":             AnyCookie,
		"url: postgres://app:hunter2@db/app\n":                                   OpenPassword,
		"url: postgres://app:${PASSWORD}@db/app postgres://app@db/app\n":         "",
		"git@example.com:a/b.git https://a.example:8080/x@y\n":                   "",
		"process.on('uncaughtException', () => {})\n":                            NoFaults,
		"r = requests.get(url, verify=True, timeout=5)\n":                        "",
		"  \"tls\": {\"verify\": true},\n  \"cors\": [\"https://a.example\"]":    "",
		"verify: false\n":                                                        "",
		"curl -fsS --keepalive-time 2 https://x/\n":                              "",
		"npm ci --no-audit && npm run verify\n":                                  "",
		"sslmode=verify-full\n":                                                  "",
		"origin: 'https://shop.example'\n":                                       "",
		"auth_required = true\nlogin_attempts: 0\n":                              "",
		"password = os.environ['PASSWORD']\n":                                    "",
		"process.on('uncaughtException', err => { log(err); exit(1) })\n":        "",
		"session_timeout: 0\nauthor: nobody\n":                                   "",
		"t = ctx.findroot(f, x, verify=False)\ndef wheel(name, verify=False):\n": "",
		"def request(host, check_hostname=None):\n":                              "",
		"if not verify: return False\n":                                          "",
		"set_cookie(name, value, secure=True, httponly=True)\n":                  "",
	} {
		if got := strings.Join((Text{Lines: lines}).Weakens(""), ","); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
	for was, want := range map[string]string{"host: 10.0.0.5\n": AnyAddress, "host: localhost\n": AnyAddress, "": "",
		"host: 0.0.0.0\n": "", "s = socket.socket(socket.AF_UNIX)\n": AnyAddress} {
		got := strings.Join((Text{Lines: "t.bind((\"0.0.0.0\", 80))\n", Was: was}).Weakens(""), ",")
		if got != want {
			t.Errorf("%q: %q, want %q", was, got, want)
		}
	}
	for lines, want := range map[string]string{"}).listen(Number(port), '0.0.0.0')\n": AnyAddress,
		"l, err := net.Listen(\"tcp\", \"0.0.0.0:80\")\n": AnyAddress, "}).listen(port, '127.0.0.2')\n": "",
		"}).listen(port, host) // of 0.0\n": "", "net.Listen(\"tcp\", \"127.0.0.1:0\")\n": ""} {
		got := strings.Join((Text{Lines: lines, Was: "}).listen(port, '127.0.0.1')\n"}).Weakens(""), ",")
		if got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
	if got := (Text{Lines: "get(url, verify=False)\n"}).Weakens("The certificate is self-signed."); got != nil {
		t.Errorf("of which the task speaks: %q", got)
	}
}
