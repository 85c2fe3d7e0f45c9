// process.stdin.
const { Readable } = require('stream');

class Stdin extends Readable {
  constructor() {
    super({ highWaterMark: 65536 });
    this.fd = 0;
  }
  _read() { binding.wantInput(true); }
  pause() { binding.wantInput(false); return super.pause(); }
  ref() { return this; }
  unref() { binding.wantInput(false); return this; }
}
Object.defineProperty(Stdin, 'name', { value: 'ReadStream' });

const stdin = new Stdin();

// input is called with what was read, and with null at the end.
function input(data) {
  binding.wantInput(false);
  stdin.push(data === null ? null : Buffer.from(data));
}

module.exports = { stdin, input };
