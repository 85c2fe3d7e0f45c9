package jq

import "fmt"

// complaint is an error in jq's own words, which begin as sentences do: it is shown as it is.
type complaint string

func (c complaint) Error() string { return string(c) }

func complain(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }
