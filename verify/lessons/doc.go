// Package lessons keeps what admission learns of a task: which tests its checks run,
// what the checks write by themselves, and which of them hold on the broken state.
package lessons
