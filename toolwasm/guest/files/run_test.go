package files_test

import (
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/files"
)

type step = commandtest.Step

var (
	run   = commandtest.RunIn(files.Commands())
	check = commandtest.CheckIn(files.Commands())
	fill  = commandtest.Tree
	must  = commandtest.Must
)
