package toolwasm

import (
	"context"

	"openclaw/sandbox"
)

// LoadFrom is Load of a toolbox that is not the embedded one.
func LoadFrom(ctx context.Context, box *sandbox.Sandbox, src sandbox.Source) (*Toolbox, error) {
	program, err := box.Load(ctx, src)
	if err != nil {
		return nil, err
	}
	return &Toolbox{program: program}, nil
}
