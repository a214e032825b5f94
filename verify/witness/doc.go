// Package witness asks one check of several witnesses to a final state: the user, in the
// trial's own world; a stranger, in a fresh world like it; and the referee, who distrusts
// what the contestant configured. A [Bench] asks a question of all, a [Place] is where
// one of them runs it, and [Worlds] gives the worlds for it.
package witness
