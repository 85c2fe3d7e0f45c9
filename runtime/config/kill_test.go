package config_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"openclaw/runtime/config"
	"openclaw/runtime/config/json5"
)

// writerVariable makes the test binary a process that writes the configuration until it is killed.
const writerVariable = "OPENCLAW_TEST_WRITER"

func TestMain(m *testing.M) {
	if os.Getenv(writerVariable) != "" {
		writeForever()
	}
	os.Exit(m.Run())
}

func writeForever() {
	for i := 1; ; i++ {
		text := fmt.Sprint(i)
		value, err := json5.Parse("value", text)
		if err == nil {
			_, err = config.Change(context.Background(), config.Options{}, config.Edit{
				Path:  json5.Path{json5.Key("session"), json5.Key("maintenance"), json5.Key("maxEntries")},
				Value: value.Root,
			})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

// TestAKilledWriterLeavesAWholeFile kills writers at random moments: what was there, or the next value, is there, and valid.
func TestAKilledWriterLeavesAWholeFile(t *testing.T) {
	h := newHome(t, "{\n  // keep me\n}\n", nil)
	kills := 60
	if testing.Short() {
		kills = 10
	}
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"=1", config.EnvStateDir+"="+h.dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		last := 0
		if _, err := fmt.Fscan(out, &last); err != nil { // the first write is done
			t.Fatalf("a writer failed: %v", err)
		}
		timer := time.AfterFunc(time.Duration(rand.IntN(8000))*time.Microsecond, func() { cmd.Process.Kill() })
		for {
			if _, err := fmt.Fscan(out, &last); err != nil {
				break
			}
		}
		cmd.Wait()
		timer.Stop()
		if n := int(h.load().Session.Maintenance.MaxEntries); n != last && n != last+1 {
			t.Fatalf("the file holds %d after %d was written", n, last)
		}
	}
}
