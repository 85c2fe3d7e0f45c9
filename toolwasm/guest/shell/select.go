package shell

import (
	"strings"

	"openclaw/toolwasm/guest/pipe"
	"openclaw/toolwasm/guest/shell/syntax"
)

// selectClause is select name in words.
func (sh *Shell) selectClause(c *syntax.For, words []string) {
	if len(words) == 0 {
		sh.status = 0
		return
	}
	menu := true
	for sh.ctl == ctlNone {
		if menu {
			sh.write(2, selectMenu(words))
		}
		ps3, set := sh.get("PS3")
		if !set {
			ps3 = "#? "
		}
		sh.write(2, ps3)
		if status := builtinRead(sh, []string{"read"}); status != 0 {
			sh.print("\n")
			sh.flush()
			if sh.ctl == ctlNone {
				sh.status = 1
			}
			return
		}
		reply, _ := sh.get("REPLY")
		if menu = strings.TrimSpace(reply) == ""; menu {
			continue
		}
		choice := ""
		if n, ok := plainInt(strings.TrimSpace(reply)); ok && n >= 1 && n <= int64(len(words)) {
			choice = words[n-1]
		}
		if sh.set(c.Name, choice) != nil {
			sh.status = 1
			return
		}
		sh.list(c.Body)
		if sh.loopControl() {
			return
		}
		reply, _ = sh.get("REPLY")
		menu = reply == ""
	}
}

// selectMenu lists the choices in columns, as bash lays them out on 80.
func selectMenu(words []string) string {
	const width, tab = 80, 8
	longest := 0
	for _, w := range words {
		longest = max(longest, runeCount(w))
	}
	digits := len(itoa(len(words)))
	longest += digits + 2 + 2
	cols := max(1, width/longest)
	rows := (len(words) + cols - 1) / cols
	cols = (len(words) + rows - 1) / rows
	if rows == 1 {
		rows, cols = cols, 1
	}
	firstDigits := len(itoa(rows))
	var b strings.Builder
	for r := 0; r < rows; r++ {
		pos := 0
		for i := r; i < len(words); i += rows {
			d := digits
			if pos == 0 {
				d = firstDigits
			}
			item := strings.Repeat(" ", d-len(itoa(i+1))) + itoa(i+1) + ") " + words[i]
			b.WriteString(item)
			if i+rows >= len(words) {
				break
			}
			at := pos + runeCount(item)
			pos += longest
			for at < pos {
				if pos/tab > at/tab {
					b.WriteByte('\t')
					at += tab - at%tab
				} else {
					b.WriteByte(' ')
					at++
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// coproc starts a command with its standard streams connected to the shell.
func (sh *Shell) coproc(c *syntax.Coproc) {
	inR, inW := pipe.New()
	outR, outW := pipe.New()
	stdin, stdout := ownedFile(inR), ownedFile(outW)
	p := sh.spawnIn(sh.family.ctx, func(sub *Shell) {
		sub.setFD(0, stdin).unref()
		sub.setFD(1, stdout).unref()
		sub.stage(c.Cmd)
	})
	mineR, mineW := ownedFile(outR), ownedFile(inW)
	if p == nil {
		for _, f := range []*file{stdin, stdout, mineR, mineW} {
			f.unref()
		}
		sh.status = statusFork
		return
	}
	const first = 63
	r := first
	for sh.fd(r) != nil {
		r--
	}
	sh.setFD(r, mineR)
	w := r - 1
	for sh.fd(w) != nil {
		w--
	}
	sh.setFD(w, mineW)
	_ = sh.setArray(c.Name, []string{itoa(r), itoa(w)})
	_ = sh.set(c.Name+"_PID", itoa(p.pid))
	sh.family.add(p)
	sh.jobs.add(&job{procs: []*process{p}, text: "coproc " + c.Name + " " + commandText(c.Cmd)})
	sh.status = 0
}
