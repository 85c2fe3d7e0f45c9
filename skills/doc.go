// Package skills finds the skills of an agent and tells which of them it is offered.
//
// A skill is a directory with a SKILL.md: a head that says what it is for and what it requires, and instructions that the model reads when
// it needs them. [Discover] looks through the places where skills lie, highest first; of several with one name the highest counts.
// It promises that
//
//   - a name is one component of a path in the sandbox and is never joined to a path of the host;
//   - no link leads out of a place, unless the place's owner or the configuration says so, and none leads out of a skill;
//   - nothing in a place can hold it up: it reads regular files of bounded size, and looks at a bounded number of them;
//   - what is no skill, and what was not looked at, is reported with its file, its line and the reason; the others are found.
package skills
