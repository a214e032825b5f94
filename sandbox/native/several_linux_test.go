package native

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cookoff/sandbox"
	"cookoff/sandbox/trees"
	"cookoff/sandbox/users"
)

// spanned skips a test where worlds can't have several users.
func spanned(t *testing.T) users.Span {
	t.Helper()
	span, err := users.Spanned()
	if err != nil {
		t.Skip(err)
	}
	return span
}

// does runs a script as root of a world, which must print what is wanted.
func does(t *testing.T, sb sandbox.Sandbox, want, script string) {
	t.Helper()
	r, err := sb.Exec(t.Context(), sandbox.Cmd{Script: script})
	if got := strings.TrimSpace(string(r.Stdout)); err != nil || !r.OK() || got != want {
		t.Errorf("%s: %q %q %v, want %q", script, got, r.Stderr, err, want)
	}
}

// TestSeveralUsers: files are given to other users of a world and kept from them, processes become
// them for good, and a sealed state, a copy and the worlds that are opened on them have the owners.
func TestSeveralUsers(t *testing.T) {
	spanned(t)
	dir := t.TempDir()
	b := New(Options{Dir: dir})
	root := hostRoot(t, "setpriv", "sleep")
	if err := trees.Own(filepath.Join(root.Dir, sandbox.RootTree), map[string]trees.Owner{
		"var/lib/app/db": {UID: 33, GID: 4}}); err != nil {
		t.Fatal(err)
	}
	for name, root := range map[string]sandbox.Root{"a root of its own": root, "this machine's programs": {}} {
		t.Run(name, func(t *testing.T) {
			project := t.TempDir()
			if err := os.WriteFile(filepath.Join(project, "of-root"), []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
			open := func(spec sandbox.Spec) sandbox.Sandbox {
				spec.User, spec.Root = sandbox.SuperOfMany, root
				sb, err := b.Open(t.Context(), spec)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = sb.Close() })
				return sb
			}
			const at = "stat -c '%n %u:%g %a' of-root secret d d/f l ~/h"
			const as = "setpriv --reuid 33 --regid 34 --clear-groups "
			w := open(sandbox.Spec{Project: project})
			if root.Dir != "" {
				does(t, w, "33:4 0:0", "echo $(stat -c %u:%g /var/lib/app/db /usr)")
			}
			does(t, w, "0 0 0", "echo $(id -u) $(id -G) $(stat -c %u of-root)")
			does(t, w, "33:34:34", as+"bash -c 'echo $(id -u):$(id -g):$(id -G)'")
			does(t, w, "", `echo 1 > secret && chown 65535:7 secret && chmod 600 secret
				mkdir d && chown 33:34 d && chmod 700 d && `+as+`bash -c 'echo f > d/f'
				ln -s /etc/shadow l && chown -h 5 l && echo h > ~/h && chown 70:70 ~/h && chmod 4711 ~/h`)
			does(t, w, "refused", as+"cat secret 2>/dev/null || echo refused")
			does(t, w, "refused", as+"bash -c 'kill -9 1 || setpriv --reuid 0 id' 2>/dev/null || echo refused")
			does(t, w, "refused", "chown 65536 of-root 2>/dev/null || echo refused")
			want := strings.ReplaceAll("of-root 0:0 644|secret 65535:7 600|d 33:34 700|d/f 33:34 644|l 5:0 777|"+
				"/home/agent/h 70:70 4711", "|", "\n")
			does(t, w, want, at)
			live, err := w.(sandbox.Copier).Copy(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			sealed, err := w.Seal(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, st := range []sandbox.State{live, sealed} {
				next := open(sandbox.Spec{State: st})
				does(t, next, want, at)
				does(t, next, "f", as+"cat d/f")
				m, err := next.FS().Manifest(t.Context(), []string{"secret", "d/f"})
				if err != nil || len(m) != 2 || m[0].Owner+" "+m[1].Owner != "33:34 65535:7" {
					t.Errorf("the manifest has %v %v", m, err)
				}
				var packed []sandbox.Item
				if err := next.FS().Pack(t.Context(), []string{"secret", "l", "of-root", "d"}, func(it sandbox.Item) error {
					packed = append(packed, it)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				does(t, next, "", "rm secret l of-root && chown -R 8 d")
				if err := next.FS().Unpack(t.Context(), packed); err != nil {
					t.Fatal(err)
				}
				does(t, next, "65535:7 5:0 0:0 33:34", "echo $(stat -c %u:%g secret l of-root d)")
				does(t, next, "", "chown 8 d/f && rm secret && mkdir -m 700 -p z/z && chown 9:9 z z/z")
				if err := next.Close(); err != nil {
					t.Error(err)
				}
				if err := st.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if err := closeBackend(b); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left are %q %v", left, err)
	}
}

// TestOneUserOnly: where a world can't have several users, it is not opened, and the error says what is missing.
func TestOneUserOnly(t *testing.T) {
	span, err := users.Spanned()
	if err == nil && !span.Mapped {
		t.Skip("root may have all users")
	}
	t.Setenv("PATH", t.TempDir())
	b := New(Options{Dir: t.TempDir()})
	_, err = b.Open(t.Context(), sandbox.Spec{User: sandbox.SuperOfMany})
	if !errors.Is(err, sandbox.ErrUnavailable) || !strings.Contains(err.Error(), "usermod --add-subuids") {
		t.Errorf("it says %v", err)
	}
}
