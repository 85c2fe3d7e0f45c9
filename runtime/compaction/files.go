package compaction

import (
	"encoding/json"
	"slices"
	"strings"
)

// maxFiles bounds each list of files that is kept for the next compaction.
const maxFiles = 100

// patchMarks are what stands in front of a file's name in a patch.
var patchMarks = []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}

// collectFiles adds the files that tools have read or changed.
func (d *Details) collectFiles(items []Item) {
	failed := map[string]bool{}
	for i := range items {
		if m := &items[i].Message; items[i].Kind == KindResult && m.IsError {
			failed[m.ToolCallID] = true
		}
	}
	for i := range items {
		for _, call := range items[i].Message.Calls() {
			if failed[call.ID] {
				continue
			}
			read, changed := filesOf(call.Name, call.Arguments)
			for _, name := range read {
				d.ReadFiles = newest(d.ReadFiles, name)
			}
			for _, name := range changed {
				d.ModifiedFiles = newest(d.ModifiedFiles, name)
			}
		}
	}
}

// filesOf are the files that a call of a tool is about.
func filesOf(tool string, arguments json.RawMessage) (read, changed []string) {
	var a struct{ Path, Input string }
	if json.Unmarshal(arguments, &a) != nil {
		return nil, nil
	}
	switch {
	case tool == "apply_patch":
		for line := range strings.Lines(a.Input) {
			for _, mark := range patchMarks {
				if name, ok := strings.CutPrefix(line, mark); ok {
					changed = append(changed, strings.TrimSpace(name))
				}
			}
		}
		return nil, changed
	case a.Path == "":
		return nil, nil
	case tool == "read":
		return []string{a.Path}, nil
	case tool == "write" || tool == "edit":
		return nil, []string{a.Path}
	}
	return nil, nil
}

// newest puts a name at the end of a list, where it is once.
func newest(list []string, name string) []string {
	name = oneLine(name)
	list = slices.DeleteFunc(slices.Clone(list), func(have string) bool { return have == name })
	list = append(list, name)
	return list[max(0, len(list)-maxFiles):]
}

// fileLists are the lists of a summary. What was changed is not listed as read, too. The newest come first, as many as fit.
func (d *Details) fileLists() string {
	read := slices.DeleteFunc(slices.Clone(d.ReadFiles), func(name string) bool { return slices.Contains(d.ModifiedFiles, name) })
	return fileList("read-files", read) + fileList("modified-files", d.ModifiedFiles)
}

func fileList(tag string, names []string) string {
	begin, end := "\n\n<"+tag+">\n", "</"+tag+">"
	left := MaxFilesChars - chars(begin) - chars(end)
	var lines []string
	for _, name := range slices.Backward(names) {
		line := clip(name, MaxFilesChars/2) + "\n"
		if left -= chars(line); left < 0 {
			break
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return begin + strings.Join(lines, "") + end
}
