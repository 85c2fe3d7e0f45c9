"""What CPython needs to be at home where WASI has no working directory and no block sizes. Its site module runs this first."""
import io
import os
import sys


def _go_to_working_directory():
    try:
        os.chdir(os.environ.get("PWD", "/"))
    except OSError:
        pass  # it stays at the root, as a program does whose directory has gone


def _buffer_as_elsewhere():
    # A buffer has the size of a block. Here that is unknown and 8192, just more than what text is written in, so that text whose
    # reader has left would stay in it, and be found once more at the end.
    out = sys.stdout
    if type(out) is not io.TextIOWrapper or type(out.buffer) is not io.BufferedWriter or out.line_buffering:
        return
    encoding, errors, through = out.encoding, out.errors, out.write_through
    raw = out.detach().detach()
    sys.stdout = sys.__stdout__ = io.TextIOWrapper(io.BufferedWriter(raw, 4096), encoding, errors, "\n", write_through=through)
    sys.stdout.mode = "w"


_go_to_working_directory()
_buffer_as_elsewhere()
