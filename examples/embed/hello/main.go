// Command hello shows what a program sees in the sandbox: its arguments, and the directory that it was granted.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Println("hello, these are my arguments:", os.Args[1:])
	entries, err := os.ReadDir("/data")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, e := range entries {
		fmt.Println("/data/" + e.Name())
	}
}
