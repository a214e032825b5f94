package endpoint

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"cookoff/model"
)

// troubleOf says what an error of the network or of HTTP means.
func troubleOf(err error) model.Trouble {
	unknown, isDNS := errors.AsType[*net.DNSError](err)
	_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, noRecord := errors.AsType[tls.RecordHeaderError](err)
	waited, isNet := errors.AsType[net.Error](err)
	switch {
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
