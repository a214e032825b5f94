package users

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ExplainNamespaces says what to do where the kernel did not start a process in
// namespaces of its own. What is forbidden wraps ErrForbidden.
func ExplainNamespaces(err error) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return fmt.Errorf("%w: %w\nhint: user namespaces are forbidden here: sysctl "+
			"kernel.unprivileged_userns_clone=1, "+
			"and on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0 or an AppArmor profile for cookoff; "+
			"in a container, allow unshare (docker: --security-opt seccomp=unconfined)", ErrForbidden, err)
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return fmt.Errorf("%w: %w\n"+
			"hint: no more user namespaces allowed: sysctl user.max_user_namespaces=15000", ErrForbidden, err)
	}
	return fmt.Errorf("making namespaces: %w", err)
}
