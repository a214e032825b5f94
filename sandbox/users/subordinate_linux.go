package users

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// Subordinate finds a user or group that this user may be as well, in a file
// as newuidmap reads it.
func Subordinate(file string) (int, error) { return subordinates(file, 1) }

// subordinates finds a range of at least so many of them, and gives its first.
func subordinates(file string, least int) (int, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	name := Name()
	if id, ok := firstSubordinate(f, least, name, strconv.Itoa(os.Getuid())); ok {
		return id, nil
	}
	if least > 1 {
		return 0, fmt.Errorf("%s has no line of %s with %d in a row", file, name, least)
	}
	return 0, fmt.Errorf("%s has no line of %s", file, name)
}

// firstSubordinate reads lines of NAME-OR-NUMBER:FIRST:COUNT, and gives the FIRST of a line whose COUNT is enough.
func firstSubordinate(r io.Reader, least int, names ...string) (int, bool) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		f := strings.Split(strings.TrimSpace(lines.Text()), ":")
		if len(f) != 3 {
			continue
		}
		for _, n := range names {
			first, err1 := strconv.Atoi(f[1])
			count, err2 := strconv.Atoi(f[2])
			if f[0] == n && err1 == nil && err2 == nil && first > 0 && count >= least {
				return first, true
			}
		}
	}
	return 0, false
}

// Name is the name of this process's user, or the number.
func Name() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}
