package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"openclaw/runtime/config"
	"openclaw/runtime/confinement"
	"openclaw/runtime/state"
	"openclaw/sandbox"
	"openclaw/toolwasm"
)

// grantFlags are the options that say what a command may touch and use.
func grantFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Usage: "the `DIR` that the script may use", Value: ".", DefaultText: "the current directory"},
		&cli.StringFlag{Name: "session", Usage: "what the tools of the session `KEY` may touch, instead of a workspace"},
		&cli.StringFlag{Name: "agent", Usage: "what the main session of the agent `ID` may touch, or its session --session"},
		&cli.BoolFlag{Name: "read-only", DisableDefaultText: true, Usage: "the script may not change the workspace"},
		&cli.DurationFlag{Name: "timeout", Usage: "end the script after `DURATION`", Value: sandbox.DefaultTimeout},
		&cli.StringFlag{Name: "memory", Usage: "memory that the script may use, as a `SIZE` such as 64MiB or 1.5GiB; 4GiB is the most, less 64 KiB", Value: sizeText(sandbox.DefaultMemory)},
		&cli.StringFlag{Name: "fuel", Usage: "end the script after `N` units of work; see docs/limits.md", DefaultText: "no bound"},
		&cli.StringFlag{Name: "disk", Usage: "how much the workspace and /tmp may grow, as a `SIZE`", Value: sizeText(sandbox.DefaultDisk)},
		&cli.StringFlag{Name: "max-output", Usage: "how much output is kept, as a `SIZE`", Value: strconv.Itoa(sandbox.DefaultOutput)},
	}
}

// openGrant reads the options of grantFlags. With a session it makes what the session's tools are mounted, and refuses a tool
// that the session does not have. release must be called when the grant is not used any more.
func openGrant(c *cli.Context, tool string) (grant sandbox.Grant, release func(), err error) {
	if grant, err = grantOf(c); err != nil {
		return grant, nil, err
	}
	if !c.IsSet("session") && !c.IsSet("agent") {
		if location, err := config.Locate(config.Options{}); err == nil { // who has no state directory has installed nothing
			grant.Programs, err = commandsOfSkills(c.Context, location.StateDir, grant, nil)
			return grant, func() {}, err
		}
		return grant, func() {}, nil
	}
	if c.IsSet("workspace") || c.IsSet("read-only") {
		return grant, nil, errors.New("--session and --agent say what the workspace is: they exclude --workspace and --read-only")
	}
	conf, err := config.Load(c.Context, config.Options{})
	if err != nil {
		return grant, nil, err
	}
	request, err := offerSkills(c, conf, requestOf(c))
	if err != nil {
		return grant, nil, err
	}
	db, err := state.Open(c.Context, conf.StateDir)
	if err != nil {
		return grant, nil, err
	}
	opened, err := confinement.NewOpener(db).Use(c.Context, conf, request, tool)
	if err != nil {
		return grant, nil, errors.Join(err, db.Close())
	}
	release = func() {
		opened.Close()
		_ = db.Close()
	}
	opened.Grant.Limits = grant.Limits
	commands, err := commandsOfSkills(c.Context, conf.StateDir, opened.Grant, append([]confinement.Skill{}, request.Skills...))
	if err != nil {
		release()
		return grant, nil, err
	}
	opened.Grant.Programs = append(opened.Grant.Programs, commands...)
	return opened.Grant, release, nil
}

// grantOf reads the options of grantFlags, apart from the session.
func grantOf(c *cli.Context) (sandbox.Grant, error) {
	mount := sandbox.Mount{Guest: toolwasm.Workspace, Host: c.String("workspace"), Access: sandbox.ReadWrite}
	if c.Bool("read-only") {
		mount.Access = sandbox.ReadOnly
	}
	grant := sandbox.Grant{Mounts: []sandbox.Mount{mount}, Tmp: true}
	limits := &grant.Limits
	limits.Timeout = c.Duration("timeout")
	if limits.Timeout <= 0 {
		return grant, fmt.Errorf("--timeout %s: not a positive duration", limits.Timeout)
	}
	for _, f := range []struct {
		name   string
		parse  func(string) (int64, error)
		target *int64
	}{
		{"memory", parseMemory, &limits.Memory},
		{"disk", parseSize, &limits.Disk},
		{"max-output", parseSize, &limits.Output},
		{"fuel", parseCount, &limits.Fuel},
	} {
		text := c.String(f.name)
		if text == "" && !c.IsSet(f.name) {
			continue
		}
		n, err := f.parse(text)
		if err != nil {
			return grant, fmt.Errorf("--%s %q: %w", f.name, text, err)
		}
		*f.target = n
	}
	limits.FileSize = max(limits.Disk, sandbox.DefaultFileSize) // one file may take it all
	return grant, nil
}

var (
	errNotSize  = errors.New("not a positive size (examples: 65536, 64KiB, 256MiB, 1.5GiB)")
	errNotCount = errors.New("not a positive number")
)

// sizeUnits are the suffixes of sizes. KB, MB and GB mean what K, M and G do, as people who write them about memory expect.
var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}

func parseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, ok := sizeUnits[strings.ToLower(text[len(digits):])]
	digits = strings.TrimSpace(digits)
	if !ok || strings.Trim(digits, "0123456789.") != "" {
		return 0, errNotSize
	}
	if strings.Contains(digits, ".") {
		f, err := strconv.ParseFloat(digits, 64)
		if n := f * float64(unit); err == nil && n >= 1 && n < math.MaxInt64 {
			return int64(n), nil
		}
		return 0, errNotSize
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, errNotSize
	}
	return n * unit, nil
}

// addressable is what 32 bits can address, which is a little more than a guest can have.
const addressable = 4 << 30

// parseMemory takes 4GiB for all that a guest can have, as the page that it lacks is nothing to know about.
func parseMemory(text string) (int64, error) {
	n, err := parseSize(text)
	if err == nil && n > sandbox.MaxMemory && n <= addressable {
		return sandbox.MaxMemory, nil
	}
	return n, err
}

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, errNotCount
	}
	return n, nil
}

// sizeText is the inverse of parseSize for whole MiB and GiB.
func sizeText(n int64) string {
	if n%(1<<30) == 0 {
		return fmt.Sprintf("%dGiB", n>>30)
	}
	return fmt.Sprintf("%dMiB", n>>20)
}

// byteText writes any size.
func byteText(n int64) string {
	if n%(1<<20) == 0 {
		return sizeText(n)
	}
	return fmt.Sprintf("%d bytes", n)
}
