package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"cookoff/model"
)

// troubleOf says what an error of the network or of HTTP means.
func troubleOf(err error) model.Trouble {
	unknown, isDNS := errors.AsType[*net.DNSError](err)
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, noRecord := errors.AsType[tls.RecordHeaderError](err)
	_, refused := errors.AsType[*proxyError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	waited, isNet := errors.AsType[net.Error](err)
	switch {
	case refused:
		return model.ProxyRefuses
	case isOp && op.Op == "proxyconnect": // whatever keeps it from being reached
		return model.NoProxy
	case errors.Is(err, syscall.ECONNREFUSED):
		return model.NothingListens
	case isDNS && unknown.IsNotFound:
		return model.UnknownHost
	case errors.Is(err, http.ErrSchemeMismatch), noRecord:
		return model.PlainServer
	case strings.Contains(err.Error(), "malformed HTTP response"): // net/http has no name for it
		return model.TLSServer
	case distrusted:
		return model.Distrusted
	case errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.EHOSTUNREACH):
		return model.NoRoute
	case isNet && waited.Timeout():
		return model.NoAnswer
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return model.CutConnection
	}
	return ""
}

// proxyError is what a proxy says that opens no way to a provider.
type proxyError struct {
	proxy  string // host and port: there may be a password beside them
	status string
}

func (e *proxyError) Error() string {
	return fmt.Sprintf("the proxy at %s opens no connection: %s", e.proxy, e.status)
}

// throughProxy looks at what a proxy answers that was asked for a way to a provider.
func throughProxy(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return &proxyError{proxy.Host, answer.Status}
}
