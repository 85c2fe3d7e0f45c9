package shell

import "openclaw/toolwasm/guest/command"

// spawner runs commands by the rules of the shell.
type spawner struct{ table command.Table }

// NewSpawner returns what commands such as xargs and find use to run others.
func NewSpawner(table command.Table) command.Spawner { return &spawner{table: table} }

// Spawn implements [command.Spawner].
func (s *spawner) Spawn(parent *command.Proc, spec command.Spec) int {
	return command.StatusNotFound
}

// Shell implements [command.Spawner].
func (s *spawner) Shell(parent *command.Proc, script string, spec command.Spec) int {
	return command.StatusNotFound
}

// LookPath implements [command.Spawner].
func (s *spawner) LookPath(p *command.Proc, name string) (string, bool) {
	_, ok := s.table[name]
	return "/usr/bin/" + name, ok
}
