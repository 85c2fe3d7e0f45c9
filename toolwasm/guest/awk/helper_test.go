package awk_test

import (
	"errors"
	"time"
)

// fuzzTime bounds a fuzzed program, which may well loop.
const fuzzTime = 200 * time.Millisecond

// fuzzOutput bounds what it may print.
const fuzzOutput = 1 << 20

// discard takes what a program prints.
type discard struct{}

func (discard) Write(b []byte) (int, error) {
	if len(b) > fuzzOutput {
		return 0, errors.New("too much output")
	}
	return len(b), nil
}
