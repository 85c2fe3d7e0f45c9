//go:build !wasip1

package main

// programs is nothing where there is no such host.
func programs() string { return "" }
