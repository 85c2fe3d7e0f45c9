package db

// Moves says how many checkpoints writers have asked for so far.
func Moves(d *DB) int64 { return d.moved.Load() }
