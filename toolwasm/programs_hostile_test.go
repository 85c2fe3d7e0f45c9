package toolwasm_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"openclaw/sandbox"
)

// TestProgramsAndTheCallsEnd ends calls in the middle of programs, and counts what is left.
func TestProgramsAndTheCallsEnd(t *testing.T) {
	box, toolbox := programTools(t)
	session := programSession(t, box, sandbox.Limits{}, testProgram(t, "prog", stage), testProgram(t, "small", small))
	warm := func() {
		if got, _, err := runScript(t.Context(), toolbox, session, "prog args x | small; small y"); err != nil || got.Status != 0 {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	warm()
	runtime.GC()
	goroutines := runtime.NumGoroutine()
	for name, script := range map[string]string{
		"a spinner":                `prog spin`,
		"one that waits for input": `prog cat < <(sleep 100)`,
		"one that nobody reads":    `prog flood | sleep 100`,
		"a pipeline":               `prog flood | prog cat | prog silent`,
		"a substitution":           `x=$(prog spin)`,
		"background jobs":          `for i in 1 2 3 4 5; do prog sleep 100000 & done; wait`,
		"forgotten jobs":           `prog sleep 100000 & prog spin & sleep 100`,
		"a bomb":                   `while :; do prog sleep 100000 & done`,
		"a bomb of reactors":       `f() { small x >/dev/null | f & f; }; f`,
		"a wait for a turn":        `for i in $(seq 40); do prog sleep 100000 & done; wait`,
		"stopped in between":       `while :; do small x; done`,
	} {
		t.Run(name, func(t *testing.T) {
			cause := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(150*time.Millisecond, func() { cancel(cause) })
			defer timer.Stop()
			begun := time.Now()
			_, _, err := runScript(ctx, toolbox, session, script)
			if !errors.Is(err, cause) {
				t.Errorf("error = %v, want the cause", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it took %v to end", took)
			}
			warm()
		})
	}
	wantGoroutines(t, goroutines)
}

// TestProgramsLeaveNothing starts more programs in one call than it may have descriptors and pipes.
func TestProgramsLeaveNothing(t *testing.T) {
	box, toolbox := programTools(t)
	session := programSession(t, box, sandbox.Limits{Timeout: time.Minute, Handles: 20}, testProgram(t, "small", small))
	script := `for ((i = 0; i < 600; i++)); do x=$(echo $i | small) || exit; [ "$x" = $i ] || exit 9; done`
	got, result, err := runScript(t.Context(), toolbox, session, script)
	if err != nil || got.Status != 0 || len(result.Hit) > 0 {
		t.Errorf("%+v, %+v, %v", got, result, err)
	}
}

// TestLimitsOfProgramsInScripts shows what a script sees of limits.
func TestLimitsOfProgramsInScripts(t *testing.T) {
	box, toolbox := programTools(t)
	prog, tiny := testProgram(t, "prog", stage), testProgram(t, "tiny", stage)
	tiny.Limits = sandbox.Limits{Timeout: 100 * time.Millisecond, Memory: 16 << 20}
	broken := sandbox.NamedProgram{Name: "broken", Source: sandbox.Module("broken", []byte("\x00asm\x01\x00\x00\x00"))}
	session := programSession(t, box, sandbox.Limits{Output: 1000}, prog, tiny, broken)
	for name, c := range map[string]struct {
		script string
		out    string
		err    string
		hit    sandbox.Limit
	}{
		"own time":        {`tiny spin; echo $?`, "124\n", "tiny: timeout limit of 100ms reached\n", sandbox.LimitTimeout},
		"own memory":      {`tiny grow 2>/dev/null; [ $? != 0 ] && echo failed`, "failed\n", "", sandbox.LimitMemory},
		"no program":      {`broken; echo $?`, "126\n", "broken: cannot be run: ", ""},
		"too much to say": {`prog flood 5000; echo over`, strings.Repeat("0123456789abcde\n", 62) + "01234567", "", sandbox.LimitOutput},
	} {
		t.Run(name, func(t *testing.T) {
			got, result, err := runScript(t.Context(), toolbox, session, c.script)
			if err != nil || got.Out != c.out || !strings.HasPrefix(got.Err, c.err) || c.err == "" && got.Err != "" {
				t.Errorf("%+v, %v; want %q, %q", got, err, c.out, c.err)
			}
			if c.hit != "" && (len(result.Hit) == 0 || result.Hit[0] != c.hit) {
				t.Errorf("it ran into %v, want %s", result.Hit, c.hit)
			}
		})
	}
}
