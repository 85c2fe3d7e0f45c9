package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// processOwner names this process so that another one on the same machine can tell whether it still lives. Processes that do
// not see each other (another machine, another PID namespace) never take each other for ended.
func processOwner() string {
	pid := os.Getpid()
	return strings.Join([]string{machine(), strconv.Itoa(pid), processStart(pid)}, "|")
}

// processEnded says whether the process of an owner has certainly ended.
func processEnded(owner string) bool {
	parts := strings.Split(owner, "|")
	if len(parts) != 3 || parts[0] != machine() || parts[2] == "" {
		return false
	}
	pid, err := strconv.Atoi(parts[1])
	return err == nil && processStart(pid) != parts[2]
}

// machine names the running system and the set of processes that can be seen in it.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		name, _ := os.Hostname()
		return name
	}
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + namespace
}

// startField is the place of a process's start time in /proc/PID/stat, counted behind the name in parentheses.
const startField = 19

// processStart is when a process began, in a unit of the system's own, or empty when that is not known or there is none. A
// zombie counts as ended.
func processStart(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) <= startField || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[startField]
}
