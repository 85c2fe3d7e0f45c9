// Package config is the configuration of the agent runtime: where it lies, what it may hold, and what it means.
//
// Load is the only way to read it, so that every command accepts exactly the same files. It reads <state>/openclaw.json (JSON5),
// resolves $include, replaces ${NAME} by the environment's values, and holds the result against one table of keys. A key that
// this version does not act on is a mistake, never silently ignored: a protection that is not enforced must not seem to be. All
// mistakes are reported together, each with its file, line, column, path and reason.
//
// The table of keys is the single place of every name, type, bound, default and explanation. The typed Config, the defaults, the
// JSON Schema (Schema) and the reference in docs/configuration.md are made from it.
//
// Change edits the user's text in place and keeps comments, order and formatting. The result is validated before anything is
// written, and is written whole or not at all.
package config
