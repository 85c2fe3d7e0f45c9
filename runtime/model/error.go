package model

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is what went wrong with a request, as far as it decides what happens next.
type Kind string

// The kinds.
const (
	KindRateLimit  Kind = "rate_limit"       // too many requests: later
	KindOverloaded Kind = "overloaded"       // the provider has too much to do, or broke down: later
	KindTimeout    Kind = "timeout"          // it did not answer in time, or stopped in the middle
	KindNetwork    Kind = "network"          // it could not be reached, or the connection broke
	KindAuth       Kind = "auth"             // the key is missing or wrong
	KindBilling    Kind = "billing"          // there is no money left
	KindNotFound   Kind = "model_not_found"  // the provider has no such model
	KindOverflow   Kind = "context_overflow" // the conversation is longer than the model's window
	KindRefused    Kind = "refused"          // the provider would not answer this
	KindInvalid    Kind = "invalid_request"  // the provider does not take the request
	KindUnknown    Kind = "unknown"
)

// Transient tells whether the same request may well succeed later.
func (k Kind) Transient() bool {
	switch k {
	case KindRateLimit, KindOverloaded, KindTimeout, KindNetwork:
		return true
	}
	return false
}

// Error is a request that failed. It never holds a key.
type Error struct {
	Kind       Kind
	Provider   string
	Model      string
	Status     int           // of HTTP; 0 when there was none
	RetryAfter time.Duration // what the provider asked for; 0 when it did not
	Message    string        // the provider's, cut to MaxErrorText
	Err        error         // the cause, when it is not the provider's answer
}

// MaxErrorText bounds a provider's message, in bytes.
const MaxErrorText = 2000

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model: %s/%s: %s", e.Provider, e.Model, e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of an error, KindUnknown for what is no *Error.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindUnknown
}
