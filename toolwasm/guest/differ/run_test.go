package differ_test

import (
	"openclaw/toolwasm/guest/commandtest"
	"openclaw/toolwasm/guest/differ"
)

type step = commandtest.Step

var (
	run   = commandtest.RunIn(differ.Commands())
	check = commandtest.CheckIn(differ.Commands())
	fill  = commandtest.Tree
	must  = commandtest.Must
)
