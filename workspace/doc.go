// Package workspace is the agent's directory on disk: which files it has, how it is set up, what of it goes into a prompt, and the
// directories of sessions that do not work in it.
//
// The package acts for the runtime, never for a tool. It promises that
//
//   - nothing that exists is overwritten: a file appears whole under its name, or what was there stays ([Seeder]);
//   - a workspace that was in use and is suddenly empty is not taken for a new one ([VanishedError]);
//   - nothing outside the workspace is read through a link in it, and a refusal is said, never silent ([Load]);
//   - whatever is left out of the prompt leaves a marker in the text and a warning beside it ([Fit]);
//   - directories of two sessions never have the same name, and no name leads out of their root ([SessionDirs]).
package workspace
