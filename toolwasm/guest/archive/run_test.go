package archive_test

import (
	"openclaw/toolwasm/guest/archive"
	"openclaw/toolwasm/guest/commandtest"
)

type step = commandtest.Step

var (
	run   = commandtest.RunIn(archive.Commands())
	check = commandtest.CheckIn(archive.Commands())
	fill  = commandtest.Tree
	must  = commandtest.Must
)
