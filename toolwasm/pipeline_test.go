package toolwasm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"openclaw/sandbox"
)

// pipelineTime is the deadline of a random pipeline. Each ends by itself in a fraction of it.
const pipelineTime = 20 * time.Second

// source writes without reading.
type source struct {
	text  string
	bytes int // how much it writes; endless is a source without end
}

const endless = -1

// stageOf carries on all, some or none of what it gets.
type stageOf struct {
	text string
	// carries tells how many bytes come out when n come in.
	carries func(n int) int
	ends    bool // it ends by itself, however much comes
}

func all(n int) int { return n }

// take is a stage that reads some bytes and leaves.
func take(text string, most int) stageOf {
	return stageOf{text, func(n int) int {
		if n == endless || n > most {
			return most
		}
		return n
	}, true}
}

func none(int) int { return 0 }

// TestPipelinesOfProgramsEnd runs random pipelines of programs and of the toolbox's own commands, fast, slow, silent,
// flooding and leaving early, and wants that each ends in time and carries exactly what its stages say.
func TestPipelinesOfProgramsEnd(t *testing.T) {
	box, toolbox := programTools(t)
	session := programSession(t, box, sandbox.Limits{Timeout: pipelineTime}, testProgram(t, "prog", stage))
	sources := []func(t *rapid.T) source{
		func(t *rapid.T) source {
			n := rapid.IntRange(1, 300_000).Draw(t, "flood")
			return source{fmt.Sprintf("prog flood %d", n), n}
		},
		func(t *rapid.T) source {
			n := rapid.IntRange(1, 200_000).Draw(t, "zeros")
			return source{fmt.Sprintf("head -c %d /dev/zero", n), n}
		},
		func(*rapid.T) source { return source{"prog flood", endless} },
		func(*rapid.T) source { return source{"prog stubborn", endless} },
		func(*rapid.T) source { return source{"yes", endless} },
		func(*rapid.T) source { return source{"while :; do echo y; done", endless} },
		func(*rapid.T) source { return source{"prog deaf", 0} },
		func(*rapid.T) source { return source{":", 0} },
		func(*rapid.T) source { return source{"prog sleep 20", 0} },
	}
	stages := []func(t *rapid.T) stageOf{
		func(*rapid.T) stageOf { return stageOf{"prog cat", all, false} },
		func(*rapid.T) stageOf { return stageOf{"cat", all, false} },
		func(*rapid.T) stageOf { return stageOf{"{ prog cat; }", all, false} },
		func(*rapid.T) stageOf { return stageOf{"(prog cat | prog cat)", all, false} },
		func(t *rapid.T) stageOf {
			n := rapid.IntRange(0, 100_000).Draw(t, "take")
			return take(fmt.Sprintf("prog take %d", n), n)
		},
		func(t *rapid.T) stageOf {
			n := rapid.IntRange(0, 100_000).Draw(t, "head")
			return take(fmt.Sprintf("head -c %d", n), n)
		},
		func(t *rapid.T) stageOf {
			a, b := rapid.IntRange(0, 70_000).Draw(t, "first"), rapid.IntRange(0, 70_000).Draw(t, "second")
			return take(fmt.Sprintf("{ prog take %d; prog take %d; }", a, b), a+b)
		},
		func(*rapid.T) stageOf { return stageOf{"prog silent", none, false} },
		func(*rapid.T) stageOf { return stageOf{"prog deaf", none, true} },
		func(*rapid.T) stageOf { return stageOf{"prog slow 20000", all, false} },
	}
	rapid.Check(t, func(t *rapid.T) {
		from := sources[rapid.IntRange(0, len(sources)-1).Draw(t, "source")](t)
		parts, n := []string{from.text}, from.bytes
		for range rapid.IntRange(0, 4).Draw(t, "stages") {
			s := stages[rapid.IntRange(0, len(stages)-1).Draw(t, "stage")](t)
			if n == endless && strings.Contains(s.text, "silent") {
				continue // it would never end, and does not in bash either
			}
			parts, n = append(parts, s.text), s.carries(n)
		}
		if n == endless {
			s := stages[5](t)
			parts, n = append(parts, s.text), s.carries(n)
		}
		script := strings.Join(parts, " | ") + " | wc -c"
		got, _, err := runScript(t.Context(), toolbox, session, script)
		if want := fmt.Sprintf("%d\n", n); err != nil || got.Out != want || got.Err != "" {
			t.Fatalf("%s\ngot %+v, %v; want %s", script, got, err, want)
		}
	})
}
