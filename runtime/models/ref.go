package models

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ScriptProvider is the provider of scripted models. Its models are paths of files.
const ScriptProvider = "script"

// maxRefBytes bounds a reference.
const maxRefBytes = 4096

// Ref names a model.
type Ref struct {
	Provider string // in lower case
	Model    string // what the provider calls it
	Profile  string // the key that is to be used, as provider:name; empty: any
}

// String is provider/model, with @name of the profile behind.
func (r Ref) String() string {
	if r.IsZero() {
		return ""
	}
	if r.Profile == "" {
		return r.Name()
	}
	return r.Name() + "@" + strings.TrimPrefix(r.Profile, r.Provider+":")
}

// Name is provider/model.
func (r Ref) Name() string { return r.Provider + "/" + r.Model }

// IsZero tells that no model is named.
func (r Ref) IsZero() bool { return r.Model == "" }

// Same tells whether two references name the same model, with whichever profile.
func (r Ref) Same(o Ref) bool { return r.Provider == o.Provider && r.Model == o.Model }

// Errors of references. The text of each is the cause in a longer message.
var (
	ErrBadRef     = errors.New("bad model reference")
	ErrNoProvider = errors.New("no such provider")
	ErrNoModel    = errors.New("no such model")
	ErrNoProfile  = errors.New("no such key")
)

// RefError is a text that names no model.
type RefError struct {
	Text   string // as it was written
	Cause  error  // one of the errors above
	Reason string // what is wrong, in words
	Hint   string // what was probably meant
}

func (e *RefError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "models: %s: %v", shown(e.Text), e.Cause)
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	if e.Hint != "" {
		b.WriteString(" (did you mean " + e.Hint + "?)")
	}
	return b.String()
}

func (e *RefError) Unwrap() error { return e.Cause }

// maxShown bounds how much of a user's text a message repeats.
const maxShown = 120

// shown quotes a user's text, or the beginning of it.
func shown(s string) string {
	if runes := []rune(s); len(runes) > maxShown {
		s = string(runes[:maxShown]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

func badRef(text, reason string) error {
	return &RefError{Text: text, Cause: ErrBadRef, Reason: reason}
}

// checkText refuses what cannot be a reference of any form. It returns the text without the blanks around it.
func checkText(text string) (string, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return "", badRef(text, "it is empty")
	case len(trimmed) > maxRefBytes:
		return "", badRef(text, fmt.Sprintf("it has more than %d bytes", maxRefBytes))
	case !utf8.ValidString(trimmed):
		return "", badRef(text, "it is not UTF-8")
	case strings.ContainsFunc(trimmed, unicode.IsControl):
		return "", badRef(text, "it holds a control character")
	}
	return trimmed, nil
}

// ParseRef reads provider/model, with @profile behind. It knows nothing of what is configured: of aliases, of models without their
// provider, and of model ids that hold an @ where a profile could stand. Registry.Resolve does.
func ParseRef(text string) (Ref, error) {
	trimmed, err := checkText(text)
	if err != nil {
		return Ref{}, err
	}
	ref, err := splitProvider(text, trimmed)
	if err != nil || ref.Provider == ScriptProvider {
		return ref, err
	}
	ref.Provider = canonicalProvider(ref.Provider)
	return splitProfile(text, ref, func(string) bool { return false })
}

// splitProvider cuts at the first slash.
func splitProvider(text, trimmed string) (Ref, error) {
	provider, name, ok := strings.Cut(trimmed, "/")
	switch {
	case !ok:
		return Ref{}, badRef(text, "want provider/model")
	case provider == "":
		return Ref{}, badRef(text, "the provider before the / is missing")
	case name == "":
		return Ref{}, badRef(text, "the model behind the / is missing")
	}
	ref := Ref{Provider: strings.ToLower(provider), Model: name}
	if ref.Provider == ScriptProvider {
		return ref, nil // a path may hold anything
	}
	switch {
	case strings.ContainsAny(provider, "@:*") || strings.ContainsFunc(provider, unicode.IsSpace):
		return Ref{}, badRef(text, fmt.Sprintf("%q is no provider: it holds a blank, '@', ':' or '*'", provider))
	case strings.ContainsFunc(name, unicode.IsSpace):
		return Ref{}, badRef(text, "it holds a blank")
	case name == "*" || strings.HasSuffix(name, "/*"):
		return Ref{}, badRef(text, "a pattern names no single model")
	case strings.HasSuffix(name, "/"):
		return Ref{}, badRef(text, "the model ends with a /")
	}
	return ref, nil
}

// splitProfile cuts @profile off a model's name. An @ that belongs to the name of a known model stays: of all places where a known
// name could end the last one counts. In a name that is not known, an @ that begins a part of it (@cf/…) or a version (@20260101,
// @q8_0) stays, too.
func splitProfile(text string, ref Ref, known func(string) bool) (Ref, error) {
	name := ref.Model
	if known(name) {
		return ref, nil
	}
	at := -1
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '@' && known(name[:i]) {
			at = i
			break
		}
	}
	if at < 0 {
		at = profileMark(name)
	}
	if at < 0 {
		return ref, nil
	}
	profile := name[at+1:]
	if profile == "" {
		return Ref{}, badRef(text, "the profile behind the @ is missing")
	}
	if strings.Contains(profile, "/") {
		return Ref{}, badRef(text, "the profile behind the @ holds a /")
	}
	ref.Model, ref.Profile = name[:at], profileID(ref.Provider, profile)
	return ref, nil
}

// profileMark is where the @ of a profile is in a name of an unknown model, or -1.
func profileMark(name string) int {
	from := strings.LastIndexByte(name, '/') + 1
	for i := from + 1; i < len(name); i++ {
		if name[i] != '@' {
			continue
		}
		version, _, _ := strings.Cut(name[i+1:], "@")
		if !isVersion(version) {
			return i
		}
	}
	return -1
}

// isVersion tells dates and names of quantisations, which stand behind an @ in model ids.
func isVersion(s string) bool {
	const date = len("20260101")
	if len(s) == date && strings.Trim(s, "0123456789") == "" {
		return true
	}
	rest, ok := strings.CutPrefix(strings.ToLower(s), "q")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// profileID is the id of a provider's profile that a user named with or without the provider.
func profileID(provider, name string) string {
	if prefix, rest, ok := strings.Cut(name, ":"); ok && rest != "" && canonicalProvider(prefix) == provider {
		return provider + ":" + rest
	}
	return provider + ":" + name
}
