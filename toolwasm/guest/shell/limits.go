package shell

// The limits that keep a script from taking the guest down with it. A guest has one memory of a few hundred MiB,
// stacks included.
const (
	// maxDepth bounds function calls, sourced files, eval and substitutions within each other.
	maxDepth = 5000
	// maxProcesses bounds the processes that live at once: pipeline stages, background jobs, substitutions.
	maxProcesses = 512
	// maxBraceWords bounds the words that one brace expansion makes.
	maxBraceWords = 1 << 20
	// maxBraceText bounds the characters that one brace expansion handles; each takes several words of memory.
	maxBraceText = 1 << 20
	// maxValue bounds the bytes of a variable, of a line that read takes, of what mapfile reads and of the output of a
	// command substitution: a quarter of the memory that a call usually has.
	maxValue = 64 << 20
	// maxWords bounds the words of a command and the elements of a list, as "Argument list too long" does elsewhere.
	maxWords = 1 << 20
	// maxErrorText bounds how much of a line a message about a syntax error shows.
	maxErrorText = 300
	// maxInputLine bounds a line of commands on standard input, in bytes; the script ends there.
	maxInputLine = 16 << 20
	// maxFD is the first descriptor number that is too large, as `ulimit -n` says.
	maxFD = 1024
	// firstHighFD is the first descriptor that {name}> and process substitutions use.
	firstHighFD = 10
	// maxArithDepth bounds variables in arithmetic whose values are expressions again.
	maxArithDepth = 256
	// yieldEvery is how many commands run between two turns for other goroutines.
	yieldEvery = 512
	// maxGlobResults bounds the names that one pattern yields.
	maxGlobResults = 1 << 20
	// cacheSize bounds each cache of compiled texts.
	cacheSize = 256
)
