package copies

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
)

// publicHalves are what private keys in a text have in common with what everybody may read: their public
// halves, as certificates and servers have them, with the names of algorithms that stand beside them. Where in a
// group of base64 it begins is chance, so that a certificate now has the same letters as its key, and now has not.
func publicHalves(text []byte) (halves [][]byte) {
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return halves
		}
		text = rest
		if half := publicHalf(block); half != nil {
			halves = append(halves, half)
		}
	}
}

func publicHalf(block *pem.Block) []byte {
	if block.Type == "OPENSSH PRIVATE KEY" {
		return publicOfSSH(block.Bytes)
	}
	var key any
	var err error
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	}
	signer, is := key.(interface{ Public() crypto.PublicKey })
	if err != nil || !is {
		return nil
	}
	der, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return nil
	}
	return der
}

// publicOfSSH is the public key in a file of OpenSSH's, which stands before the private one, encrypted or not:
// behind a name, three texts (cipher, derivation, its options) and a number.
func publicOfSSH(data []byte) []byte {
	rest, is := bytes.CutPrefix(data, []byte("openssh-key-v1\x00"))
	next := func() (text []byte) {
		if len(rest) < 4 || uint64(len(rest)-4) < uint64(binary.BigEndian.Uint32(rest)) {
			rest, is = nil, false
			return nil
		}
		n := binary.BigEndian.Uint32(rest)
		text, rest = rest[4:4+n], rest[4+n:]
		return text
	}
	next()
	next()
	next()
	if !is || len(rest) < 4 {
		return nil
	}
	rest = rest[4:]
	return next()
}

// inHalves reports whether a piece of base64 says nothing but what is in one of the public halves.
func inHalves(piece string, halves [][]byte) bool {
	for at := range 4 {
		whole := piece[at:]
		b, err := base64.RawStdEncoding.DecodeString(whole[:len(whole)/4*4])
		if err != nil {
			continue
		}
		for _, half := range halves {
			if bytes.Contains(half, b) {
				return true
			}
		}
	}
	return false
}
