package bundles

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"openclaw/skills/capability"
)

// Approval is what the operator has allowed a bundle.
type Approval struct {
	Name    string         `json:"name"`
	Version string         `json:"version"`
	Digest  string         `json:"digest"`
	Signer  string         `json:"signer"`
	Allowed capability.Set `json:"allowed"`
	At      time.Time      `json:"approvedAt"`
}

// Approvals is where approvals are on record. There is at most one for a name.
type Approvals interface {
	// Approval returns the one of a name; ok is false when there is none.
	Approval(ctx context.Context, name string) (a Approval, ok bool, err error)
	// SaveApproval replaces the one of its name.
	SaveApproval(ctx context.Context, a Approval) error
	// ForgetApproval tells whether there was one.
	ForgetApproval(ctx context.Context, name string) (bool, error)
}

// ErrNotApproved reports a bundle that may not run as it is; the error is a *[NotApprovedError].
var ErrNotApproved = errors.New("not approved")

// NotApprovedError says what stands between a bundle and its approval.
type NotApprovedError struct {
	Name    string
	Version string
	// Before is the version that has been approved; empty: none.
	Before string
	// Asked is what the bundle asks for, in words: all of it, or with a version that has been approved what it asks in addition.
	Asked []string
	// Changed tells that it asks for nothing more, and is another file, or another signer's.
	Changed bool
}

func (e *NotApprovedError) Error() string {
	return fmt.Sprintf("bundles: skill %s %s: %s (see 'openclaw skills grant %s')", e.Name, e.Version, e.Reason(), e.Name)
}

// Reason is the error without the bundle that it is about.
func (e *NotApprovedError) Reason() string {
	asked := strings.Join(e.Asked, "; ")
	switch {
	case e.Before == "":
		return fmt.Sprintf("%v: it asks for this: %s", ErrNotApproved, asked)
	case e.Changed:
		return fmt.Sprintf("%v: version %s was, and this is another file", ErrNotApproved, e.Before)
	}
	return fmt.Sprintf("%v: it asks for more than version %s: %s", ErrNotApproved, e.Before, asked)
}

// Is makes it an [ErrNotApproved].
func (e *NotApprovedError) Is(target error) bool { return target == ErrNotApproved }

// Check tells whether the bundle may run, and what it may reach at most: what it asks for and has been allowed.
func (i *Installed) Check() (capability.Set, error) {
	asked, a := i.Manifest.Requests, i.Approval
	if a == nil {
		return capability.Set{}, &NotApprovedError{Name: i.Manifest.Name, Version: i.Manifest.Version, Asked: asked.Words()}
	}
	more := asked.Beyond(a.Allowed)
	if len(more) > 0 || a.Digest != i.Digest.String() || a.Signer != i.Signer() {
		return capability.Set{}, &NotApprovedError{
			Name: i.Manifest.Name, Version: i.Manifest.Version, Before: a.Version, Asked: more, Changed: len(more) == 0,
		}
	}
	return capability.Intersect(asked, a.Allowed), nil
}

// Approved tells why an installed bundle may not be used as it is; nil: it may.
func (s *Store) Approved(ctx context.Context, name string) error {
	i, err := s.Get(ctx, name)
	if err != nil {
		return err
	}
	_, err = i.Check()
	return err
}

// approval is what the operator allows by saying yes to all that the bundle asks for.
func (i *Installed) approval(now time.Time) Approval {
	return Approval{
		Name: i.Manifest.Name, Version: i.Manifest.Version, Digest: i.Digest.String(), Signer: i.Signer(), Allowed: i.Manifest.Requests, At: now,
	}
}

// Approve records that the operator allows what an installed bundle asks for. seen is the digest of what the operator has been shown: a bundle
// that was replaced meanwhile is not approved by it.
func (s *Store) Approve(ctx context.Context, name, seen string) (*Installed, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	i, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	if i.Digest.String() != seen {
		return nil, fmt.Errorf("bundles: approve %s: %w: it has been replaced meanwhile", name, ErrChanged)
	}
	a := i.approval(s.now())
	if err := s.approvals.SaveApproval(ctx, a); err != nil {
		return nil, err
	}
	i.Approval = &a
	return i, nil
}

// Revoke takes an approval back. It tells whether there was one.
func (s *Store) Revoke(ctx context.Context, name string) (bool, error) {
	return s.approvals.ForgetApproval(ctx, name)
}

// carry keeps an approval for another version that asks for nothing more: of the same signer, and for no more than it asks from now on.
func (i *Installed) carry() (Approval, bool) {
	a := i.Approval
	if a == nil || a.Signer != i.Signer() || !i.Manifest.Requests.Within(a.Allowed) {
		return Approval{}, false
	}
	next := i.approval(a.At)
	next.Allowed = capability.Intersect(a.Allowed, i.Manifest.Requests)
	return next, true
}
