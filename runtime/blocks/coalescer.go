package blocks

import "time"

// Coalescing says how small blocks are joined.
type Coalescing struct {
	Min    int           // what is shorter waits for more, until the end
	Max    int           // what is longer is sent in two
	Idle   time.Duration // how long what is long enough waits for more
	Joiner string        // between texts
}

// Joiner is what stands between texts that are sent as one.
func (p Preference) Joiner() string {
	switch p {
	case Newline:
		return "\n"
	case Sentence:
		return " "
	}
	return "\n\n"
}

// Coalescer joins blocks that come soon after one another. It has no clock: it is told the time, and tells when it wants to be told
// again. It is not for several goroutines at once.
type Coalescer struct {
	options Coalescing
	held    Block
	holds   bool
	due     time.Time
}

// NewCoalescer returns a coalescer.
func NewCoalescer(o Coalescing) *Coalescer { return &Coalescer{options: o} }

// Add takes a block and returns those that are to be sent now.
func (c *Coalescer) Add(now time.Time, b Block) []Block {
	var out []Block
	if c.holds {
		joined := c.held.Join(b, c.options.Joiner)
		if Units(joined.Text()) > c.options.Max {
			out = c.Flush()
		} else {
			b = joined
		}
	}
	c.held, c.holds, c.due = b, true, now.Add(c.options.Idle)
	if Units(b.Text()) >= c.options.Max {
		out = append(out, c.Flush()...)
	}
	return out
}

// Due is when Tick has something to do; not ok when nothing waits.
func (c *Coalescer) Due() (at time.Time, ok bool) { return c.due, c.holds }

// Tick returns what has waited long enough.
func (c *Coalescer) Tick(now time.Time) []Block {
	switch {
	case !c.holds || now.Before(c.due):
		return nil
	case Units(c.held.Text()) < c.options.Min:
		c.due = now.Add(c.options.Idle)
		return nil
	}
	return c.Flush()
}

// Flush returns what waits, however short it is.
func (c *Coalescer) Flush() []Block {
	if !c.holds {
		return nil
	}
	b := c.held
	*c = Coalescer{options: c.options}
	return []Block{b}
}
