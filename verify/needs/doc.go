// Package needs says what scripts can't run without, what of it a world lacks, and
// what a task or a user adds to get it.
package needs
