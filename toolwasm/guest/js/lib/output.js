// process.stdout and process.stderr, which write at once.
const { Writable } = require('stream');

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: false });
    this.fd = fd;
    this._type = 'pipe';
  }
  write(chunk, encoding, done) {
    if (typeof encoding === 'function') [encoding, done] = [undefined, encoding];
    if (typeof chunk !== 'string' && !ArrayBuffer.isView(chunk)) {
      const err = new TypeError(`The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${received(chunk)}`);
      err.code = 'ERR_INVALID_ARG_TYPE';
      throw err;
    }
    binding.write(this.fd, typeof chunk === 'string' && encoding && encoding !== 'utf8' && encoding !== 'utf-8' ? Buffer.from(chunk, encoding) : chunk);
    if (done) process.nextTick(done);
    return true;
  }
  end(chunk, encoding, done) {
    if (typeof chunk === 'function') [chunk, done] = [undefined, chunk];
    if (chunk !== undefined && chunk !== null) this.write(chunk, encoding);
    if (typeof done === 'function') process.nextTick(done);
    process.nextTick(() => this.emit('finish'));
    return this;
  }
  destroy() { return this; }
  getColorDepth() { return 1; }
  hasColors() { return false; }
}
Object.defineProperty(Output, 'name', { value: 'WriteStream' });

function received(v) {
  if (v === null || v === undefined) return String(v);
  return typeof v === 'object' ? `an instance of ${v.constructor ? v.constructor.name : 'Object'}` : `type ${typeof v} (${require('inspect').inspect(v)})`;
}

module.exports = { make: (fd) => new Output(fd), received };
