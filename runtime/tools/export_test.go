package tools

import "time"

// SetGrace sets how long a tool may take to end after an abort.
func (s *Set) SetGrace(d time.Duration) { s.grace = d }

// MaxPending and MaxAggregate are what is kept of the output of a command in the background.
const (
	MaxPending   = maxPending
	MaxAggregate = maxAggregate
	MaxFinished  = maxFinished
)

// WithRegistry is the set with another registry.
func (s *Set) WithRegistry(r *Registry) *Set {
	o := s.options
	o.Processes = r
	t := &Set{options: o, denied: s.denied, session: s.session, guard: newGuard(o.Guard), grace: s.grace}
	if err := t.assemble(); err != nil {
		panic(err)
	}
	return t
}

// CutMiddle is what is shown of an output that does not fit.
func CutMiddle(text string, room int) string {
	return cutMiddle(text, room, countLines(text), 0, "WHERE")
}
