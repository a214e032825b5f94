// Package wake has processes of a world go on that wait for a time to pass, as if it
// had passed. It works from outside of the world: nothing in it is started or ended.
package wake

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// World is the processes below one that is PID 1 of its namespace.
type World struct{ Root int } // the number of that one here

// Sleeping gives, of processes by their numbers inside, those that wait for nothing
// but a time, or for a time at most.
func (w World) Sleeping(pids []int) []int {
	var list []int
	for inside, here := range w.outside(pids) {
		if slices.ContainsFunc(threads(here), sleeps) {
			list = append(list, inside)
		}
	}
	return list
}

// Wake has those of the processes go on that Sleeping names, and gives how many
// threads it could wake: none where this machine has no way to.
func (w World) Wake(pids []int) int {
	n := 0
	for _, here := range w.outside(pids) {
		for _, thread := range threads(here) {
			if sleeps(thread) && wake(thread) == nil {
				n++
			}
		}
	}
	return n
}

// outside gives the numbers here of processes of the world.
func (w World) outside(pids []int) map[int]int {
	space, err := os.Readlink(proc(w.Root, "ns/pid"))
	if ours, _ := os.Readlink("/proc/self/ns/pid"); err != nil || space == ours || innermost(w.Root) != 1 {
		return nil // it is no world
	}
	wanted := map[int]bool{}
	for _, pid := range pids {
		wanted[pid] = true
	}
	found := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		here, _ := strconv.Atoi(filepath.Base(dir))
		if at, err := os.Readlink(dir + "/ns/pid"); err != nil || at != space {
			continue
		}
		if inside := innermost(here); wanted[inside] && here != w.Root {
			found[inside] = here
		}
	}
	return found
}

// innermost gives the number of a process in its own namespace; 0: it is gone.
func innermost(here int) int {
	status, _ := os.ReadFile(proc(here, "status"))
	_, rest, _ := strings.Cut(string(status), "\nNSpid:")
	line, _, _ := strings.Cut(rest, "\n")
	numbers := strings.Fields(line)
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[len(numbers)-1])
	return n
}

// call gives the system call that a process waits in, and what it was given; false:
// it waits in none.
func call(here int) (number uint64, args [6]uint64, ok bool) {
	text, _ := os.ReadFile(proc(here, "syscall"))
	words := strings.Fields(string(text))
	if len(words) < 7 {
		return 0, args, false
	}
	number, err := strconv.ParseUint(words[0], 10, 64)
	for i := range args {
		args[i], _ = strconv.ParseUint(words[i+1], 0, 64)
	}
	return number, args, err == nil
}

// threads gives the numbers here of a process's threads; its first one may have ended.
func threads(here int) (list []int) {
	dirs, _ := filepath.Glob(proc(here, "task/[0-9]*"))
	for _, dir := range dirs {
		thread, _ := strconv.Atoi(filepath.Base(dir))
		list = append(list, thread)
	}
	return list
}

func proc(pid int, name string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), name)
}
