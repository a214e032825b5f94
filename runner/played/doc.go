// Package played holds tests alone: cheats, honest repairs, the tasks of the program and
// recorded runs are played through the whole of runner and verify, in real sandboxes.
package played
