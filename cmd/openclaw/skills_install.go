package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"openclaw/runtime/bundles"
	"openclaw/skills/bundle"
	"openclaw/skills/capability"
	"openclaw/skills/manifest"
)

// bundleShown is an installed bundle as programs read of it.
type bundleShown struct {
	Name     string            `json:"name"`
	Version  string            `json:"version"`
	Digest   string            `json:"digest"`
	Signer   string            `json:"signer"`
	Runtime  manifest.Runtime  `json:"runtime"`
	Tools    []string          `json:"tools"` // as models call them
	Commands []string          `json:"commands"`
	Approved bool              `json:"approved"`
	Reason   string            `json:"reason,omitempty"` // why not
	Asks     []string          `json:"asks"`
	Granted  []string          `json:"granted"` // what it may reach at most
	Allowed  *capability.Set   `json:"allowed,omitempty"`
	Approval *bundles.Approval `json:"approval,omitempty"`
}

func shownBundle(i *bundles.Installed) bundleShown {
	m := i.Manifest
	out := bundleShown{
		Name: m.Name, Version: m.Version, Digest: i.Digest.String(), Signer: i.Signer(), Runtime: m.Runtime,
		Tools: []string{}, Commands: []string{}, Asks: m.Requests.Words(), Granted: []string{}, Approval: i.Approval,
	}
	for _, t := range m.Tools {
		out.Tools = append(out.Tools, m.ToolName(t))
	}
	for _, c := range m.Commands {
		out.Commands = append(out.Commands, c.Name)
	}
	allowed, err := i.Check()
	if err != nil {
		out.Reason = err.Error()
		return out
	}
	out.Approved, out.Granted, out.Allowed = true, allowed.Words(), &allowed
	return out
}

func skillsInstall(c bundleCall) error {
	store, release, err := c.store()
	if err != nil {
		return err
	}
	defer release()
	if isText(c.args[0]) {
		return c.installText(store)
	}
	file, err := fileOf(c.args[0])
	if err != nil {
		return err
	}
	change, err := store.Install(c.Context.Context, file)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.std.out, struct {
			bundleShown
			Before  string `json:"before,omitempty"`
			Carried bool   `json:"approvalCarried"`
		}{shownBundle(change.Installed), change.Before, change.Carried})
	}
	m := change.Manifest
	var l lines
	l.add("installed", fmt.Sprintf("%s %s in %s", m.Name, m.Version, change.Dir))
	l.add("in place of", change.Before)
	l.add("signer", signerText(change.Bundle))
	l.add("digest", change.Digest.String())
	offers(&l, m)
	var not *bundles.NotApprovedError
	switch _, err := change.Check(); {
	case err == nil && change.Carried:
		l.add("approved", "yes: it asks for nothing more than version "+change.Before)
	case err == nil:
		l.add("approved", "yes")
	case errors.As(err, &not):
		notApproved(&l, not)
	}
	return l.to(c.std.out)
}

// notApproved says what is in the way, and what to do about it.
func notApproved(l *lines, e *bundles.NotApprovedError) {
	switch {
	case e.Before == "":
		l.list("asks", e.Asked)
	case e.Changed:
		l.add("approved", "no: version "+e.Before+" was, and this is another file")
	default:
		l.list("asks more", e.Asked)
	}
	l.add("next", "openclaw skills grant "+e.Name+" (until then it is not offered and does not run)")
}

// fileOf is a packed skill, or what a directory is when it is packed.
func fileOf(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	if !st.IsDir() {
		return bundle.ReadFile(name)
	}
	p, err := bundle.Pack(name)
	if err != nil {
		return nil, err
	}
	return p.File, nil
}

// isText tells whether a directory is no source of a packed skill: then it is one of texts and scripts, which a session runs.
func isText(name string) bool {
	if st, err := os.Stat(name); err != nil || !st.IsDir() {
		return false
	}
	_, err := os.Lstat(filepath.Join(name, manifest.FileName))
	return errors.Is(err, fs.ErrNotExist)
}

func (c bundleCall) installText(store *bundles.Store) error {
	p, err := store.InstallPlain(c.Context.Context, c.args[0])
	if err != nil {
		return err
	}
	for _, s := range p.Skipped {
		fmt.Fprintf(c.std.err, "openclaw: %s is hidden: not installed\n", printable(s))
	}
	if c.Bool("json") {
		return printJSON(c.std.out, map[string]any{"name": p.Name, "dir": p.Dir, "skipped": list(p.Skipped)})
	}
	_, err = fmt.Fprintf(c.std.out, "installed %s in %s: text and scripts, which sessions run as their own\n", p.Name, p.Dir)
	return err
}

func skillsRemove(c bundleCall) error {
	store, release, err := c.store()
	if err != nil {
		return err
	}
	defer release()
	if err := store.Remove(c.Context.Context, c.args[0]); err != nil {
		return err
	}
	return c.done("removed")
}

// done says what was done to the skill that the first operand names.
func (c bundleCall) done(what string) error {
	if c.Bool("json") {
		return printJSON(c.std.out, map[string]any{"name": c.args[0], what: true})
	}
	_, err := fmt.Fprintf(c.std.out, "%s %s\n", what, c.args[0])
	return err
}

func skillsRevoke(c bundleCall) error {
	store, release, err := c.store()
	if err != nil {
		return err
	}
	defer release()
	was, err := store.Revoke(c.Context.Context, c.args[0])
	if err != nil {
		return err
	}
	if !was {
		return fmt.Errorf("skills: revoke: there is no approval of %q", c.args[0])
	}
	return c.done("revoked")
}

// skillsGrant is the only way in which a skill comes to be approved: by somebody at a terminal, or by a script that says so.
func skillsGrant(c bundleCall) error {
	store, release, err := c.store()
	if err != nil {
		return err
	}
	defer release()
	i, err := store.Get(c.Context.Context, c.args[0])
	if err != nil {
		return err
	}
	var not *bundles.NotApprovedError
	_, err = i.Check()
	asked := errors.As(err, &not)
	if err != nil && !asked {
		return err
	}
	if asked {
		if err := c.ask(i, not); err != nil {
			return err
		}
		if i, err = store.Approve(c.Context.Context, i.Manifest.Name, i.Digest.String()); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return printJSON(c.std.out, shownBundle(i))
	}
	_, err = fmt.Fprintf(c.std.out, "approved: %s %s\n", i.Manifest.Name, i.Manifest.Version)
	return err
}

// ask shows what a skill asks for, and wants a yes.
func (c bundleCall) ask(i *bundles.Installed, not *bundles.NotApprovedError) error {
	var l lines
	l.add("skill", i.Manifest.Name+" "+i.Manifest.Version)
	l.add("description", i.Manifest.Description)
	l.add("signer", signerText(i.Bundle))
	l.add("digest", i.Digest.String())
	offers(&l, i.Manifest)
	l.list("asks", i.Manifest.Requests.Words())
	if not.Before != "" {
		l.list("asks more", not.Asked)
		l.add("approved", "version "+not.Before)
	}
	if err := l.to(c.std.err); err != nil {
		return err
	}
	if c.Bool("yes") {
		return nil
	}
	stdin, ok := c.std.in.(*os.File)
	if !ok || !isTerminal(stdin) {
		return fmt.Errorf("skills: grant %s: nothing was approved: nobody can be asked without a terminal (--yes approves what is shown)", i.Manifest.Name)
	}
	fmt.Fprintf(c.std.err, "Allow this? [y/N] ")
	answer, _ := bufio.NewReader(stdin).ReadString('\n') // no answer is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return fmt.Errorf("skills: grant %s: nothing was approved", i.Manifest.Name)
}
