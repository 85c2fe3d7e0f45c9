package main

import (
	"encoding/hex"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"openclaw/toolwasm"
)

func versionCommand(std streams) *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "show version, toolbox and platform",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", DisableDefaultText: true, Usage: "print one JSON object"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return fmt.Errorf("version: unexpected argument %q", c.Args().First())
			}
			if c.Bool("json") {
				return printJSON(std.out, versionOf())
			}
			return printVersion(std)
		},
	}
}

func printVersion(std streams) error {
	v := versionOf()
	_, err := fmt.Fprintf(std.out, "openclaw %s (%s, toolbox %.12s, %s)\n", v.Version, v.Platform, v.Toolbox, v.Go)
	return err
}

type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Toolbox  string `json:"toolbox"` // SHA-256 of the module
	Platform string `json:"platform"`
	Go       string `json:"go"`
}

func versionOf() version {
	digest := toolwasm.Source().Digest
	v := version{
		Version: "(devel)", Toolbox: hex.EncodeToString(digest[:]),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}
