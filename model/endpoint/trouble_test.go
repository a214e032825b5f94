package endpoint

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"syscall"
	"testing"

	"cookoff/model"
)

// TestTroubles: what Go's own network says is told apart by its types.
func TestTroubles(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // that its certificate is not taken
	secure.StartTLS()
	defer secure.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	asked := func(scheme, base string) error {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		u.Scheme = scheme
		resp, err := http.Get(u.String())
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	for i, c := range []struct {
		err  error
		want model.Trouble
	}{
		{asked("http", gone.URL), model.NothingListens},
		{asked("https", plain.URL), model.PlainServer},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, model.PlainServer},
		{asked("https", secure.URL), model.Distrusted},
		{&tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}}}, model.Distrusted},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}}, model.UnknownHost},
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}, model.NoRoute},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, model.NoAnswer},
		{fmt.Errorf("net/http: HTTP/1.x transport connection broken: malformed HTTP response %q", "\x15\x03"),
			model.TLSServer},
		{&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, model.CutConnection},
		{asked("http", cutting(t)), model.CutConnection},
		{fmt.Errorf("something else"), ""},
	} {
		if got := troubleOf(c.err); got != c.want {
			t.Errorf("%d: %v is %q, want %q", i, c.err, got, c.want)
		}
	}
}

// cutting gives the address of a server that ends each connection once it has been asked something, as servers of
// TLS do that are asked in plain text.
func cutting(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1))
			conn.Close()
		}
	}()
	return "http://" + l.Addr().String()
}
