package sandbox

import (
	"context"
	"errors"
	"strings"
)

// Overwrite writes a file of a world as who owns it may, though its mode forbids that, and leaves it the mode that it
// has. A file that is not its agent's to write is a *FileError as of FS.Write.
func Overwrite(ctx context.Context, sb Sandbox, path string, data []byte) error {
	refused := sb.FS().Write(ctx, path, data)
	if fault := (*FileError)(nil); !errors.As(refused, &fault) || fault.Kind != "" {
		return refused
	}
	const mode = `was=$(stat -L -c %a -- "$F") && chmod u+w -- "$F" && echo "$was"`
	res, err := sb.Exec(ctx, Cmd{Script: mode, Env: []string{"F=" + path}})
	if err != nil {
		return err
	}
	if !res.OK() {
		return refused
	}
	if err := sb.FS().Write(ctx, path, data); err != nil {
		return err
	}
	_, err = sb.Exec(ctx, Cmd{Script: `chmod "$M" -- "$F"`,
		Env: []string{"F=" + path, "M=" + strings.TrimSpace(string(res.Stdout))}})
	return err
}

// owner is the files of a world as who owns them writes them.
type owner struct {
	FS
	sb Sandbox
}

func (o owner) Write(ctx context.Context, path string, data []byte) error {
	return Overwrite(ctx, o.sb, path, data)
}

// AsOwner gives the files of a world, which are written by Overwrite.
func AsOwner(sb Sandbox) FS { return owner{sb.FS(), sb} }
