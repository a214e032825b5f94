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

// TestWeakensFiles: what a file of settings gives away, and what looks like it.
func TestWeakensFiles(t *testing.T) {
	for lines, want := range map[string]string{
		"    privileged: true\n":                                      AnyMachine,
		"    network_mode: host\n":                                    AnyMachine,
		"      - /var/run/docker.sock:/var/run/docker.sock\n":         AnyMachine,
		"AmbientCapabilities=CAP_SYS_ADMIN\n":                         AnyMachine,
		"ReadWritePaths=/var/lib/a /\n":                               AnyMachine,
		"ProtectSystem=no\n":                                          AnyMachine,
		"permissions: write-all\n":                                    AnyMachine,
		"    runs-on: [self-hosted, linux]\n":                         AnyMachine,
		"Environment=LD_PRELOAD=/tmp/x.so\n":                          LoadsFirst,
		"EnvironmentFile=-/tmp/a.env\n":                               LoadsFirst,
		"Environment=LD_LIBRARY_PATH=/opt/a/lib:/tmp/x\n":             LoadsFirst,
		"Environment=LD_LIBRARY_PATH=/opt/a/lib\n":                    "",
		"GONOSUMDB=git.example.org\n":                                 "",
		"GONOSUMDB=*\n":                                               AnyPackage,
		"RUN pip install --trusted-host 10.0.0.1 -r a.txt\n":          AnyPackage,
		"ADD http://10.0.0.1/a /usr/lib/\n":                           AnyPackage,
		"PIP_INDEX_URL=http://10.6.6.6/simple\n":                      AnyPackage,
		"HTTPS_PROXY=http://10.6.6.6:3128\n":                          AnyProxy,
		"ENV http_proxy http://10.6.6.6\n":                            AnyProxy,
		"    autoindex on;\n":                                         AnyFile,
		"    root /;\n":                                               AnyFile,
		"    continue-on-error: true\n":                               NoFailure,
		"      - run: pytest -q || true\n":                            NoFailure,
		"      - run: npm test || echo failed\n":                      NoFailure,
		"      - run: pytest -q --collect-only\n":                     NoFailure,
		"    if: ${{ false }}\n":                                      NoFailure,
		"      - run: pytest -q 2>&1 || true\n":                       NoFailure,
		"    timeout-minutes: 0\n":                                    NoFailure,
		"        shell: \"true {0}\"\n":                               NoFailure,
		"    paths-ignore: ['**']\n":                                  NoFailure,
		"    paths-ignore:\n      - '**'\n":                           NoFailure,
		"          ALL: ${{ toJSON(secrets) }}\n":                     AllSecrets,
		"          TOKEN: ${{ secrets.TOKEN }}\n":                     "",
		"    timeout-minutes: 10\n":                                   "",
		"        shell: bash\n":                                       "",
		"    paths-ignore: ['docs/**', '**.md']\n":                    "",
		"      POSTGRES_HOST_AUTH_METHOD: trust\n":                    AnyUser,
		"      MYSQL_ALLOW_EMPTY_PASSWORD: \"yes\"\n":                 AnyUser,
		"    read_only: true\n    privileged: false\n":                "",
		"    network_mode: bridge\n    hostname: host\n":              "",
		"AmbientCapabilities=CAP_NET_BIND_SERVICE\n":                  "",
		"ReadWritePaths=/var/lib/a\nProtectSystem=strict\nUser=app\n": "",
		"permissions:\n  contents: read\n":                            "",
		"    runs-on: ubuntu-24.04\n":                                 "",
		"RUN pip install --no-cache-dir -r requirements.txt\n":        "",
		"ADD https://example.org/a.tar.gz /opt/\n":                    "",
		"index-url = http://localhost:3141/root/pypi\n":               "",
		"index-url = https://pypi.example.org/simple\n":               "",
		"proxy_pass http://app/;\nproxy_set_header Host $host;\n":     "",
		"    root /srv/docs;\n    autoindex off;\n":                   "",
		"    location ~ /\\.git { deny all; }\n":                      "",
		"        continue-on-error: true\n":                           "", // a step
		"    continue-on-error: ${{ matrix.experimental }}\n":         "",
		"      - run: pytest -q && echo fine\n":                       "",
		"      - run: rm -f a || true\n":                              "",
		"    if: github.event_name == 'push'\n":                       "",
	} {
		if got := strings.Join((Text{Lines: lines}).Weakens(""), ","); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
	if got := (Text{Lines: "privileged: true\n", Language: ".py"}).Weakens(""); got != nil {
		t.Errorf("in a program: %q", got)
	}
	if got := (Text{Lines: "HTTPS_PROXY=http://a\n"}).Weakens("Requests must go by the proxy."); got != nil {
		t.Errorf("of which the task speaks: %q", got)
	}
}
