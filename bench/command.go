package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// cmd is a command to be measured.
type cmd struct{ *exec.Cmd }

// command makes a command that works in dir and says nothing but why it failed.
func command(dir, name string, args ...string) cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	return cmd{c}
}

// env sets further variables.
func (c cmd) env(vars ...string) cmd {
	c.Env = append(os.Environ(), vars...)
	return c
}

func (c cmd) run() error {
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c.Path, err, out)
	}
	return nil
}

// cost is what a command took.
type cost struct{ cpu, wall time.Duration }

// took runs a command, and gives what it and all that it waited for took.
func (c cmd) took() (cost, error) {
	began := time.Now()
	err := c.run()
	if c.ProcessState == nil {
		return cost{}, err
	}
	return cost{c.ProcessState.UserTime() + c.ProcessState.SystemTime(), time.Since(began)}, err
}

// again runs a command n times, and gives the mean.
func again(n int, make func() cmd) (sum cost, err error) {
	for range n {
		one, err := make().took()
		if err != nil {
			return sum, err
		}
		sum.cpu, sum.wall = sum.cpu+one.cpu, sum.wall+one.wall
	}
	return cost{sum.cpu / time.Duration(n), sum.wall / time.Duration(n)}, nil
}

func (c cost) String() string {
	return fmt.Sprintf("%v of processor time, %v on the clock", c.cpu.Round(10*time.Microsecond),
		c.wall.Round(10*time.Microsecond))
}

// over gives how many times as much processor time this is.
func (c cost) over(other cost) string {
	return fmt.Sprintf("%.2f×", float64(c.cpu)/float64(other.cpu))
}
