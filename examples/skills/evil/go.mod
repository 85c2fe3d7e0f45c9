module evil

go 1.24
