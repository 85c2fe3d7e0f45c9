package skilltools

import (
	"context"
	"slices"

	"openclaw/runtime/bundles"
	"openclaw/runtime/confinement"
	"openclaw/sandbox"
)

// Join makes the offer of the installed bundles to a session that has been opened, as far as it is offered their skills. The commands are added to
// the session's grant, so that the shell has them; the tools are for the caller to pass on.
func Join(ctx context.Context, box *sandbox.Sandbox, store *bundles.Store, opened *confinement.Opened, offered []confinement.Skill) (Offer, error) {
	list, broken, err := store.List(ctx)
	if err != nil {
		return Offer{}, err
	}
	o := Of(box, opened.Grant, list, func(name string) bool {
		return slices.ContainsFunc(offered, func(s confinement.Skill) bool { return s.Name == name })
	})
	for _, b := range broken {
		o.Withheld = append(o.Withheld, b.Err.Error())
	}
	opened.Grant.Programs = append(slices.Clip(opened.Grant.Programs), o.Commands...)
	return o, nil
}
