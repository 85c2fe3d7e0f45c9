package text

import (
	"bufio"

	"openclaw/toolwasm/guest/command"
)

// outputFile is a file that a command writes, buffered.
type outputFile struct {
	file command.File
	buf  *bufio.Writer
}

func newOutputFile(p *command.Proc, name string) (*outputFile, error) {
	f, err := createOutput(p, name)
	if err != nil {
		return nil, err
	}
	return &outputFile{file: f, buf: bufio.NewWriterSize(f, copyBuffer)}, nil
}

func (o *outputFile) close() error {
	err := o.buf.Flush()
	if cerr := o.file.Close(); err == nil {
		err = cerr
	}
	return err
}
