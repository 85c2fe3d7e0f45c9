package sandbox

// ScriptIndex is for tests.
var ScriptIndex = scriptIndex
