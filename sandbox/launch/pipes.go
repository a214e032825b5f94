package launch

import (
	"errors"
	"io"
	"os"
	"time"
)

// duplex is two pipes as one connection.
type duplex struct{ in, out *os.File }

func (d duplex) Read(b []byte) (int, error) { return d.in.Read(b) }

func (d duplex) Write(b []byte) (int, error) { return d.out.Write(b) }

func (d duplex) SetWriteDeadline(at time.Time) error { return d.out.SetWriteDeadline(at) }

func (d duplex) Close() error { return errors.Join(d.in.Close(), d.out.Close()) }

// Pipes is a connection, and a program's standard input and output at the
// other end of it.
func Pipes() (io.ReadWriteCloser, []*os.File, error) {
	stdin, out, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	in, stdout, err := os.Pipe()
	if err != nil {
		CloseAll([]*os.File{stdin, out})
		return nil, nil, err
	}
	return duplex{in, out}, []*os.File{stdin, stdout}, nil
}
