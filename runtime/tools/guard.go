package tools

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// GuardOptions configure the detection of agents that repeat themselves.
type GuardOptions struct {
	Enabled bool
	// NoCompactionGuard turns off what is watched after a compaction, which is on without Enabled, too.
	NoCompactionGuard bool
}

// What the guard counts.
const (
	guardHistory  = 30 // calls of a run that are remembered
	guardWarn     = 10 // repetitions after which the model is told
	guardCritical = 20 // repetitions after which a batch is blocked
	guardBreaker  = 30 // calls in a row that brought nothing new
	guardUnknown  = 10 // calls of tools that there are not
	// guardCompacted is how many calls after a compaction are compared with those before it.
	guardCompacted = 3
)

// Loop is a way in which an agent repeats itself.
type Loop string

// The kinds of loops.
const (
	LoopRepeat     Loop = "repeat"         // the same call with the same result
	LoopPoll       Loop = "poll"           // the same look at a process, which shows nothing new
	LoopPingPong   Loop = "ping_pong"      // two calls in turn, each with the same result
	LoopChurn      Loop = "argument_churn" // one tool with ever other arguments and always the same result
	LoopUnknown    Loop = "unknown_tool"   // a tool that there is not
	LoopBreaker    Loop = "no_progress"    // whatever it calls, nothing new comes of it
	LoopCompaction Loop = "compaction_loop_persisted"
)

// hash stands for a text that is compared and not kept.
type hash = [sha256.Size]byte

// seen is a call as the guard compares it. The result is that of a call that ran.
type seen struct {
	tool          string
	call, result  hash
	poll, unknown bool
}

// outcome is a call with what came of it.
type outcome struct{ call, result hash }

func (s seen) outcome() outcome { return outcome{s.call, s.result} }

// guard remembers the calls of a run.
type guard struct {
	options GuardOptions

	mu       sync.Mutex
	history  []seen
	outcomes map[outcome]bool // all of the run
	stale    int              // calls in a row that brought nothing new
	blocked  int              // batches that were
	watching int              // calls after a compaction that are still compared
	before   map[outcome]bool // outcomes before the compaction
	stopped  Loop
}

func newGuard(o GuardOptions) *guard {
	return &guard{options: o, outcomes: map[outcome]bool{}}
}

// reset begins a run.
func (g *guard) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.history, g.outcomes, g.stale, g.blocked, g.watching, g.before, g.stopped = nil, map[outcome]bool{}, 0, 0, 0, nil, ""
}

// compacted tells that the conversation has been compacted: what is repeated now the model has forgotten that it did.
func (g *guard) compacted() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.options.NoCompactionGuard {
		return
	}
	g.watching, g.before = guardCompacted, map[outcome]bool{}
	for _, s := range g.history {
		g.before[s.outcome()] = true
	}
}

// admit decides whether a batch may run. A reason is why not.
func (g *guard) admit(calls []seen) (reason string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped != "" {
		return "The run was ended before: " + loopText(g.stopped, 0)
	}
	if !g.options.Enabled {
		return ""
	}
	for _, c := range calls {
		kind, n := g.judge(c)
		if n == 0 {
			continue
		}
		if g.blocked++; g.blocked > 1 {
			g.stopped = kind
		}
		return loopText(kind, n)
	}
	return ""
}

// judge finds the loop that one more call would go on with, when it has gone on for too long.
func (g *guard) judge(c seen) (Loop, int) {
	if n := g.unknowns(); c.unknown && n+1 >= guardUnknown {
		return LoopUnknown, n + 1
	}
	if n := g.streak(c); n >= guardCritical {
		return repeatKind(c), n
	}
	if n := g.pingPong(c); n >= guardCritical {
		return LoopPingPong, n
	}
	if g.stale >= guardBreaker {
		return LoopBreaker, g.stale
	}
	return "", 0
}

func repeatKind(c seen) Loop {
	if c.poll {
		return LoopPoll
	}
	return LoopRepeat
}

func (g *guard) unknowns() int {
	n := 0
	for _, s := range g.history {
		if s.unknown {
			n++
		}
	}
	return n
}

// streak counts how often a call was made, back to where it last had another result than now.
func (g *guard) streak(c seen) int {
	n := 0
	var last hash
	for _, s := range slices.Backward(g.history) {
		switch {
		case s.call != c.call:
			continue
		case n > 0 && s.result != last:
			return n
		}
		last = s.result
		n++
	}
	return n
}

// pingPong counts the calls at the end of the history that alternate between two, each with one result, of which c would be the
// next.
func (g *guard) pingPong(c seen) int {
	h := g.history
	last := len(h) - 1
	if last < 1 || h[last-1].call != c.call || h[last].call == c.call {
		return 0
	}
	n := 2
	for n <= last && h[last-n].outcome() == h[last-n+2].outcome() {
		n++
	}
	return n
}

// churn counts the calls at the end of the history that one tool was given ever other arguments in and that all came to the same.
func (g *guard) churn() int {
	n := 0
	calls := map[hash]bool{}
	last := g.history[len(g.history)-1]
	for _, s := range slices.Backward(g.history) {
		if s.tool != last.tool || s.result != last.result || calls[s.call] {
			break
		}
		calls[s.call] = true
		n++
	}
	return n
}

// observe remembers a call that ran and what came of it. A warning is for the model, besides the result.
func (g *guard) observe(s seen) (warning string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.compare(s)
	if g.outcomes[s.outcome()] {
		g.stale++
	} else {
		g.stale = 0
		g.outcomes[s.outcome()] = true
	}
	g.history = append(g.history, s)
	if len(g.history) > guardHistory {
		g.history = slices.Delete(g.history, 0, 1)
	}
	if !g.options.Enabled {
		return ""
	}
	return g.warn(s)
}

// warn tells of a loop when it has become one, and again from time to time.
func (g *guard) warn(s seen) string {
	const again = 5
	for _, l := range []struct {
		kind Loop
		n    int
	}{{repeatKind(s), g.streak(s)}, {LoopPingPong, g.alternating()}, {LoopChurn, g.churn()}} {
		if l.n >= guardWarn && (l.n-guardWarn)%again == 0 {
			return loopText(l.kind, l.n)
		}
	}
	return ""
}

// alternating is the length of a ping-pong that the history ends with.
func (g *guard) alternating() int {
	if len(g.history) < 2 {
		return 0
	}
	return g.pingPong(g.history[len(g.history)-2])
}

// compare looks for a call of before the compaction among the first ones after it.
func (g *guard) compare(s seen) {
	if g.watching == 0 {
		return
	}
	g.watching--
	if !g.before[s.outcome()] {
		g.watching, g.before = 0, nil // it does something else
		return
	}
	if g.watching == 0 {
		g.stopped = LoopCompaction
	}
}

// end tells which loop ended the run.
func (g *guard) end() (Loop, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stopped, g.stopped != ""
}

func loopText(kind Loop, n int) string {
	what := map[Loop]string{
		LoopRepeat:     "the same call was made %d times with the same result",
		LoopPoll:       "the same look at a command was taken %d times and showed nothing new",
		LoopPingPong:   "%d calls went back and forth between the same two with the same results",
		LoopChurn:      "%d calls with other arguments had the same result",
		LoopUnknown:    "%d calls were of tools that there are not",
		LoopBreaker:    "the last %d calls brought nothing new",
		LoopCompaction: "%d calls repeat what was done before the conversation was shortened",
	}[kind]
	if n == 0 {
		return "the agent repeated itself (" + string(kind) + ")."
	}
	return fmt.Sprintf(what, n)
}

// signature is a call as the guard compares it: the order and the spacing of members do not matter.
func signature(tool string, arguments json.RawMessage) hash {
	dec := json.NewDecoder(bytes.NewReader(arguments))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		if canonical, err := json.Marshal(v); err == nil { // the members of a map are sorted
			arguments = canonical
		}
	}
	return sha256.Sum256(slices.Concat([]byte(tool), []byte{0}, arguments))
}

// resultHash is a result as the guard compares it: what the model is shown of it.
func resultHash(r *Result) hash {
	h := sha256.New()
	for _, b := range r.Content {
		fmt.Fprintf(h, "%s %d %d\n", b.Type, len(b.Text), len(b.Data))
		h.Write([]byte(b.Text))
		h.Write(b.Data)
	}
	return hash(h.Sum(nil))
}
