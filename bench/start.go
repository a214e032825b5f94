package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const rounds = 100

// start measures "cookoff version" beside a hello-world.
func start(b *bench) error {
	src, hello := filepath.Join(b.dir, "hello.go"), filepath.Join(b.dir, "hello")
	if err := os.WriteFile(src, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"),
		0o644); err != nil {
		return err
	}
	if err := command("", "go", "build", "-o", hello, src).run(); err != nil {
		return err
	}
	floor, err := again(rounds, func() cmd { return command("", hello) })
	if err != nil {
		return err
	}
	ours, err := again(rounds, func() cmd { return command("", b.cookoff, "version") })
	if err != nil {
		return err
	}
	fmt.Printf("hello-world  %v\nversion      %v: %s\n", floor, ours, ours.over(floor))
	return b.peer(rounds, floor)
}

// worlds measures a world that is opened, used once and closed, by a program that is
// started for it, beside the start of that program and of what it runs.
func worlds(b *bench) error {
	floor, err := again(rounds, func() cmd { return command("", "/bin/true") })
	if err != nil {
		return err
	}
	bare, err := again(rounds, func() cmd { return command("", b.cookoff, "version") })
	if err != nil {
		return err
	}
	ours, err := again(rounds, func() cmd { return command("", b.cookoff, "sandbox", "run", "--", "/bin/true") })
	if err != nil {
		return err
	}
	world := cost{ours.cpu - bare.cpu, ours.wall - bare.wall}
	fmt.Printf("fork, exec   %v\nsandbox run  %v\nits world    %v: %s\n", floor, ours, world, world.over(floor))
	return b.peer(rounds, floor)
}

// peer measures the command that the arguments are.
func (b *bench) peer(rounds int, floor cost) error {
	if len(b.args) == 0 {
		return nil
	}
	peer, err := again(rounds, func() cmd { return command("", b.args[0], b.args[1:]...) })
	if err == nil {
		fmt.Printf("peer         %v: %s\n", peer, peer.over(floor))
	}
	return err
}
