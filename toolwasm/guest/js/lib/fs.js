// Module fs. Everything is done at once; the forms with callbacks and promises answer in a later turn.
const path = require('path');
const { later } = require('timers');
const { received } = require('output');

const constants = {
  F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4,
  O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_TRUNC: 0o1000, O_APPEND: 0o2000,
  S_IFMT: 0o170000, S_IFREG: 0o100000, S_IFDIR: 0o040000, S_IFCHR: 0o020000, S_IFBLK: 0o060000, S_IFIFO: 0o010000, S_IFLNK: 0o120000, S_IFSOCK: 0o140000,
  S_IRWXU: 0o700, S_IRUSR: 0o400, S_IWUSR: 0o200, S_IXUSR: 0o100, S_IRWXG: 0o070, S_IRWXO: 0o007,
};

// ---- arguments

function nameOf(p, argument = 'path') {
  if (typeof p === 'string') {
    if (p.includes('\0')) throw invalid(argument, 'must be a string, Uint8Array, or URL without null bytes', p);
    return p;
  }
  if (ArrayBuffer.isView(p)) return Buffer.from(p).toString();
  if (p instanceof URL) return require('url').fileURLToPath(p);
  const err = new TypeError(`The "${argument}" argument must be of type string or an instance of Buffer or URL. Received ${received(p)}`);
  throw Object.assign(err, { code: 'ERR_INVALID_ARG_TYPE' });
}

function invalid(argument, what, v) {
  return Object.assign(new TypeError(`The argument '${argument}' ${what}. Received ${require('inspect').inspect(v)}`), { code: 'ERR_INVALID_ARG_VALUE' });
}

const encodingOf = (options) => (typeof options === 'string' ? options : options?.encoding ?? undefined);
const modeOf = (mode, otherwise) => (mode === undefined || mode === null ? otherwise : typeof mode === 'string' ? parseInt(mode, 8) : mode);

function inEncoding(buffer, encoding) {
  return encoding === undefined || encoding === null || encoding === 'buffer' ? buffer : buffer.toString(encoding);
}

function content(data, encoding) {
  if (typeof data === 'string') return encoding && !/^utf-?8$/i.test(encoding) ? Buffer.from(data, encoding) : data;
  if (ArrayBuffer.isView(data)) return data;
  const err = new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${received(data)}`);
  throw Object.assign(err, { code: 'ERR_INVALID_ARG_TYPE' });
}

// ---- descriptions

const statNames = ['dev', 'mode', 'nlink', 'uid', 'gid', 'rdev', 'blksize', 'ino', 'size', 'blocks', 'atimeMs', 'mtimeMs', 'ctimeMs', 'birthtimeMs'];

class Stats {
  constructor(fields, big) {
    statNames.forEach((n, i) => { this[n] = big ? BigInt(Math.trunc(fields[i])) : fields[i]; });
    for (const n of ['atime', 'mtime', 'ctime', 'birthtime']) this[n] = new Date(Math.round(Number(this[`${n}Ms`])));
  }
  #is(type) { return (Number(this.mode) & constants.S_IFMT) === type; }
  isFile() { return this.#is(constants.S_IFREG); }
  isDirectory() { return this.#is(constants.S_IFDIR); }
  isSymbolicLink() { return this.#is(constants.S_IFLNK); }
  isFIFO() { return this.#is(constants.S_IFIFO); }
  isSocket() { return this.#is(constants.S_IFSOCK); }
  isCharacterDevice() { return this.#is(constants.S_IFCHR); }
  isBlockDevice() { return this.#is(constants.S_IFBLK); }
}

class Dirent {
  #type;
  constructor(name, dir, type) {
    this.name = name;
    this.parentPath = dir;
    this.path = dir;
    this.#type = type;
  }
  isFile() { return this.#type === constants.S_IFREG; }
  isDirectory() { return this.#type === constants.S_IFDIR; }
  isSymbolicLink() { return this.#type === constants.S_IFLNK; }
  isFIFO() { return this.#type === constants.S_IFIFO; }
  isSocket() { return this.#type === constants.S_IFSOCK; }
  isCharacterDevice() { return this.#type === constants.S_IFCHR; }
  isBlockDevice() { return this.#type === constants.S_IFBLK; }
}

// ---- calls

const sync = {
  readFile(file, options) {
    const name = Number.isInteger(file) ? file : nameOf(file);
    return inEncoding(Buffer.from(binding.fsReadFile(name)), encodingOf(options));
  },
  writeFile(file, data, options) { return store(file, data, options, 'w'); },
  appendFile(file, data, options) { return store(file, data, options, 'a'); },
  open: (file, flags = 'r', mode) => binding.fsOpen(nameOf(file), flags ?? 'r', modeOf(mode, 0o666)),
  close: (fd) => { binding.fsClose(fd); },
  read(fd, buffer, offset = 0, length, position = null) {
    if (typeof offset === 'object' && offset !== null) ({ offset = 0, length, position = null } = offset);
    const end = length === undefined || length === null ? buffer.byteLength : Math.min(offset + length, buffer.byteLength);
    return binding.fsRead(fd, new Uint8Array(buffer.buffer, buffer.byteOffset + offset, Math.max(end - offset, 0)), position === null || position === undefined ? -1 : Number(position));
  },
  write(fd, data, offset, length, position) {
    if (typeof data === 'string') return binding.fsWrite(fd, content(data, length), typeof offset === 'number' ? offset : -1);
    if (typeof offset === 'object' && offset !== null) ({ offset, length, position } = offset);
    const from = offset ?? 0, n = length ?? data.byteLength - from;
    return binding.fsWrite(fd, new Uint8Array(data.buffer, data.byteOffset + from, n), typeof position === 'number' ? position : -1);
  },
  writev: (fd, list, position) => list.reduce((n, b) => n + sync.write(fd, b, 0, b.byteLength, position), 0),
  stat: (file, options) => describe(file, options, true),
  lstat: (file, options) => describe(file, options, false),
  fstat: (fd, options) => new Stats(binding.fsFstat(fd), options?.bigint),
  exists: (file) => {
    try {
      return binding.fsKind(nameOf(file)) !== 0;
    } catch {
      return false;
    }
  },
  access(file, mode = 0) {
    const name = nameOf(file);
    let s;
    try {
      s = binding.fsStat(name, true);
    } catch (err) {
      throw rename(err, 'access', name);
    }
    const granted = (s[1] >> 6) & 7;
    if ((mode & granted) !== mode) throw Object.assign(new Error(`EACCES: permission denied, access '${name}'`), { errno: -13, code: 'EACCES', syscall: 'access', path: name });
  },
  readdir: list,
  mkdir(dir, options) {
    const name = nameOf(dir), mode = modeOf(typeof options === 'object' && options !== null ? options.mode : options, 0o777);
    if (!options?.recursive) {
      binding.fsMkdir(name, mode);
      return undefined;
    }
    return makeAll(name, mode);
  },
  mkdtemp: (prefix) => binding.fsTempDir(nameOf(prefix, 'prefix')),
  rmdir(dir, options) {
    if (options?.recursive) return sync.rm(dir, { recursive: true, force: true });
    return binding.fsRmdir(nameOf(dir));
  },
  rm(file, options = {}) {
    const name = nameOf(file);
    let s;
    try {
      s = describe(name, {}, false);
    } catch (err) {
      if (options.force && err.code === 'ENOENT') return;
      throw err;
    }
    if (!s.isDirectory()) binding.fsUnlink(name);
    else if (options.recursive) removeAll(name);
    else {
      const err = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${name}`);
      err.name = 'SystemError';
      throw Object.assign(err, { code: 'ERR_FS_EISDIR', errno: 21, syscall: 'rm', path: name });
    }
  },
  unlink: (file) => { binding.fsUnlink(nameOf(file)); },
  rename: (a, b) => { binding.fsRename(nameOf(a, 'oldPath'), nameOf(b, 'newPath')); },
  copyFile: (a, b, mode = 0) => { binding.fsCopy(nameOf(a, 'src'), nameOf(b, 'dest'), (mode & constants.COPYFILE_EXCL) !== 0); },
  cp: copyTree,
  link: (a, b) => { binding.fsLink(nameOf(a, 'existingPath'), nameOf(b, 'newPath')); },
  symlink: (target, file) => { binding.fsSymlink(nameOf(target, 'target'), nameOf(file)); },
  readlink: (file, options) => inEncoding(Buffer.from(binding.fsReadlink(nameOf(file))), encodingOf(options) ?? 'utf8'),
  realpath: (file) => binding.fsRealpath(nameOf(file)),
  chmod: (file, mode) => { binding.fsChmod(nameOf(file), modeOf(mode, 0)); },
  chown: () => {}, lchown: () => {}, fchown: () => {}, fsync: () => {}, fdatasync: () => {},
  truncate: (file, length = 0) => { binding.fsTruncate(nameOf(file), length ?? 0); },
  ftruncate: (fd, length = 0) => { binding.fsFtruncate(fd, length ?? 0); },
  utimes: (file, atime, mtime) => { binding.fsTimes(nameOf(file), seconds(atime), seconds(mtime)); },
  opendir: (dir) => {
    const name = nameOf(dir);
    try {
      return new Dir(name);
    } catch (err) {
      throw rename(err, 'opendir', name);
    }
  },
  statfs: () => ({ type: 0, bsize: 4096, blocks: 0, bfree: 0, bavail: 0, files: 0, ffree: 0 }),
};

const seconds = (t) => (t instanceof Date ? t.getTime() / 1000 : Number(t));

function rename(err, call, name) {
  if (err.syscall === undefined) return err;
  err.message = err.message.replace(/, \w+ '/, `, ${call} '`);
  err.stack = err.stack.replace(/, \w+ '/, `, ${call} '`);
  err.syscall = call;
  err.path = name;
  return err;
}

function store(file, data, options, flag) {
  const b = content(data, encodingOf(options));
  if (typeof file === 'number') {
    binding.fsWrite(file, b, -1);
    return;
  }
  const fd = binding.fsOpen(nameOf(file), options?.flag ?? flag, modeOf(options?.mode, 0o666));
  try {
    binding.fsWrite(fd, b, -1);
  } finally {
    binding.fsClose(fd);
  }
}

function describe(file, options, follow) {
  try {
    return new Stats(binding.fsStat(nameOf(file), follow), options?.bigint);
  } catch (err) {
    if (options?.throwIfNoEntry === false && err.code === 'ENOENT') return undefined;
    throw err;
  }
}

function list(dir, options) {
  const base = nameOf(dir), out = [], typed = options?.withFileTypes;
  const walk = (at, prefix) => {
    const entries = binding.fsReadDir(at);
    for (let i = 0; i < entries.length; i += 2) {
      const [name, type] = [entries[i], entries[i + 1]];
      out.push(typed ? new Dirent(name, at, type) : prefix + name);
      if (options?.recursive && type === constants.S_IFDIR) walk(path.join(at, name), `${prefix}${name}/`);
    }
  };
  walk(base, '');
  if (encodingOf(options) === 'buffer') return out.map((n) => Buffer.from(n));
  return out;
}

function makeAll(name, mode) {
  let first;
  const missing = [];
  for (let p = path.resolve(name); ; p = path.dirname(p)) {
    const kind = binding.fsKind(p);
    if (kind === 2) break;
    if (kind === 1) throw Object.assign(new Error(p === path.resolve(name) ? `EEXIST: file already exists, mkdir '${name}'` : `ENOTDIR: not a directory, mkdir '${name}'`), p === path.resolve(name) ? { errno: -17, code: 'EEXIST', syscall: 'mkdir', path: name } : { errno: -20, code: 'ENOTDIR', syscall: 'mkdir', path: name });
    missing.push(p);
    if (p === '/') break;
  }
  for (const p of missing.reverse()) {
    binding.fsMkdir(p, mode);
    first ??= p;
  }
  return first;
}

function removeAll(name) {
  const entries = binding.fsReadDir(name);
  for (let i = 0; i < entries.length; i += 2) {
    const p = path.join(name, entries[i]);
    if (entries[i + 1] === constants.S_IFDIR) removeAll(p);
    else binding.fsUnlink(p);
  }
  binding.fsRmdir(name);
}

function copyTree(from, to, options = {}) {
  const a = nameOf(from, 'src'), b = nameOf(to, 'dest'), s = describe(a, {}, options.dereference);
  if (options.filter && !options.filter(a, b)) return;
  if (s.isDirectory()) {
    if (!options.recursive) throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: cp returned EISDIR (${a} is a directory (not copied)) ${a}`), { code: 'ERR_FS_EISDIR', errno: 21, syscall: 'cp', path: a });
    makeAll(b, 0o777);
    for (const n of list(a)) copyTree(path.join(a, n), path.join(b, n), options);
    return;
  }
  if (options.errorOnExist && options.force === false && sync.exists(b)) throw Object.assign(new Error(`Target already exists: cp returned EEXIST (${b} already exists) ${b}`), { code: 'ERR_FS_CP_EEXIST', errno: 17, syscall: 'cp', path: b });
  if (options.force === false && sync.exists(b)) return;
  makeAll(path.dirname(path.resolve(b)), 0o777);
  if (s.isSymbolicLink()) {
    sync.rm(b, { force: true });
    sync.symlink(sync.readlink(a), b);
  } else sync.copyFile(a, b);
}

class Dir {
  #entries;
  constructor(dir) {
    this.path = dir;
    this.#entries = list(dir, { withFileTypes: true });
  }
  readSync() { return this.#entries.shift() ?? null; }
  async read() { return this.readSync(); }
  closeSync() {}
  async close() {}
  [Symbol.asyncIterator]() {
    return { next: async () => { const value = this.readSync(); return { value: value ?? undefined, done: value === null }; }, return: async () => ({ value: undefined, done: true }), [Symbol.asyncIterator]() { return this; } };
  }
}

// ---- the three forms

const fs = { constants, Stats, Dirent, Dir, ...constantsOf() };
const promises = { constants };

function constantsOf() {
  return { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 };
}

for (const [name, f] of Object.entries(sync)) {
  fs[`${name}Sync`] = { [`${name}Sync`]: (...args) => f(...args) }[`${name}Sync`];
  fs[name] = { [name]: (...args) => withCallback(name, f, args) }[name];
  if (!['exists', 'close', 'read', 'write', 'writev', 'fstat', 'fsync', 'fdatasync', 'ftruncate', 'fchown'].includes(name)) {
    promises[name] = { [name]: (...args) => promised(() => f(...args)) }[name];
  }
}

function withCallback(name, f, args) {
  const done = args[args.length - 1];
  if (typeof done !== 'function') {
    const err = new TypeError(`The "cb" argument must be of type function. Received ${received(done)}`);
    throw Object.assign(err, { code: 'ERR_INVALID_ARG_TYPE' });
  }
  args.pop();
  later(() => {
    let value;
    try {
      value = f(...args);
    } catch (err) {
      if (name === 'exists') done(false);
      else done(err);
      return;
    }
    if (name === 'exists') done(value);
    else if (name === 'read' || name === 'write') done(null, value, args[1]);
    else if (value === undefined) done(null);
    else done(null, value);
  });
}

function promised(f) {
  return new Promise((resolve, reject) => {
    later(() => {
      try {
        resolve(f());
      } catch (err) {
        reject(err);
      }
    });
  });
}

fs.realpathSync.native = fs.realpathSync;
fs.realpath.native = fs.realpath;
fs.existsSync = function existsSync(file) { return typeof file === 'string' || file instanceof URL || ArrayBuffer.isView(file) ? sync.exists(file) : false; };
fs.openAsBlob = async (file) => new (require('buffer').Blob)([sync.readFile(file)]);

class FileHandle {
  constructor(fd) { this.fd = fd; }
  readFile(options) { return promised(() => sync.readFile(this.fd, options)); }
  writeFile(data, options) { return promised(() => sync.writeFile(this.fd, data, options)); }
  appendFile(data, options) { return promised(() => sync.writeFile(this.fd, data, options)); }
  read(buffer, ...rest) { return promised(() => ({ bytesRead: sync.read(this.fd, buffer, ...rest), buffer })); }
  write(data, ...rest) { return promised(() => ({ bytesWritten: sync.write(this.fd, data, ...rest), buffer: data })); }
  stat(options) { return promised(() => sync.fstat(this.fd, options)); }
  truncate(length) { return promised(() => sync.ftruncate(this.fd, length)); }
  sync() { return promised(() => {}); }
  datasync() { return promised(() => {}); }
  close() { return promised(() => { if (this.fd >= 0) sync.close(this.fd); this.fd = -1; }); }
  readLines(options) { return require('readline').createInterface({ input: this.createReadStream(options), crlfDelay: Infinity }); }
  createReadStream(options) { return ReadStream(null, { ...options, fd: this.fd }); }
  createWriteStream(options) { return WriteStream(null, { ...options, fd: this.fd }); }
  async [Symbol.asyncDispose]() { await this.close(); }
}
promises.open = (file, flags, mode) => promised(() => new FileHandle(sync.open(file, flags, mode)));
promises.readFile = (file, options) => promised(() => sync.readFile(file instanceof FileHandle ? file.fd : file, options));
promises.writeFile = async (file, data, options) => {
  if (data !== null && typeof data === 'object' && !ArrayBuffer.isView(data) && (data[Symbol.asyncIterator] || data[Symbol.iterator])) {
    const chunks = [];
    const it = require('polyfill').asyncIterator(data);
    for (let r = await it.next(); !r.done; r = await it.next()) chunks.push(typeof r.value === 'string' ? Buffer.from(r.value) : r.value);
    data = Buffer.concat(chunks);
  }
  return promised(() => sync.writeFile(file instanceof FileHandle ? file.fd : file, data, options));
};
promises.appendFile = (file, data, options) => promised(() => sync.appendFile(file instanceof FileHandle ? file.fd : file, data, options));
fs.promises = promises;

// ---- streams

let streams;
function streamClasses() {
  if (streams) return streams;
  const { Readable, Writable } = require('stream');
  class ReadStreamClass extends Readable {
    constructor(file, options) {
      const o = typeof options === 'string' ? { encoding: options } : options ?? {};
      super({ highWaterMark: o.highWaterMark ?? 65536, encoding: o.encoding });
      Object.assign(this, { path: file, fd: o.fd ?? null, flags: o.flags ?? 'r', start: o.start, end: o.end ?? Infinity, pos: o.start, bytesRead: 0, autoClose: o.autoClose ?? true });
      if (this.fd === null) later(() => this.#open());
    }
    #open() {
      try {
        this.fd = sync.open(this.path, this.flags);
      } catch (err) {
        this.destroy(err);
        return;
      }
      this.emit('open', this.fd);
      this.emit('ready');
      if (this.pendingRead) this._read(this.pendingRead);
    }
    _read(n) {
      if (this.fd === null) {
        this.pendingRead = n;
        return;
      }
      later(() => {
        if (this.destroyed) return;
        const b = Buffer.alloc(Math.min(n, this.end - (this.start ?? 0) + 1 - this.bytesRead));
        try {
          const got = b.length === 0 ? 0 : sync.read(this.fd, b, 0, b.length, this.pos === undefined ? null : this.pos);
          if (this.pos !== undefined) this.pos += got;
          this.bytesRead += got;
          if (got === 0) this.#close();
          this.push(got === 0 ? null : b.subarray(0, got));
        } catch (err) {
          this.destroy(err);
        }
      });
    }
    #close() {
      if (this.fd !== null && this.fd > 2 && this.path !== null) sync.close(this.fd);
      if (this.path !== null) this.fd = null;
    }
    _destroy(err, done) { this.#close(); done(err); }
    close(done) { if (done) this.once('close', done); this.destroy(); }
  }
  class WriteStreamClass extends Writable {
    constructor(file, options) {
      const o = typeof options === 'string' ? { encoding: options } : options ?? {};
      super({ decodeStrings: false });
      Object.assign(this, { path: file, fd: o.fd ?? null, flags: o.flags ?? 'w', mode: o.mode ?? 0o666, bytesWritten: 0, pos: o.start });
      if (this.fd === null) {
        this._w_busy = true; // nothing is written before the file is open
        later(() => this.#open());
      }
    }
    #open() {
      try {
        this.fd = sync.open(this.path, this.flags, this.mode);
      } catch (err) {
        this._w_busy = false;
        this.destroy(err);
        return;
      }
      this._w_busy = false;
      this.emit('open', this.fd);
      this.emit('ready');
      this.uncork();
    }
    _write(chunk, encoding, done) {
      try {
        const n = sync.write(this.fd, typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk, 0, undefined, this.pos);
        if (this.pos !== undefined) this.pos += n;
        this.bytesWritten += n;
      } catch (err) {
        done(err);
        return;
      }
      done();
    }
    #close() {
      if (this.fd !== null && this.fd > 2 && this.path !== null) sync.close(this.fd);
      this.fd = null;
    }
    _final(done) { this.#close(); done(); }
    _destroy(err, done) { this.#close(); done(err); }
    close(done) { if (done) this.once('close', done); this.end(); }
  }
  Object.defineProperty(ReadStreamClass, 'name', { value: 'ReadStream' });
  Object.defineProperty(WriteStreamClass, 'name', { value: 'WriteStream' });
  streams = { ReadStreamClass, WriteStreamClass };
  return streams;
}
function ReadStream(file, options) { return new (streamClasses().ReadStreamClass)(file, options); }
function WriteStream(file, options) { return new (streamClasses().WriteStreamClass)(file, options); }
fs.ReadStream = ReadStream;
fs.WriteStream = WriteStream;
fs.createReadStream = (file, options) => ReadStream(file === null || options?.fd !== undefined ? null : nameOf(file), options);
fs.createWriteStream = (file, options) => WriteStream(file === null || options?.fd !== undefined ? null : nameOf(file), options);
for (const name of ['watch', 'watchFile', 'unwatchFile']) {
  fs[name] = { [name]() { throw Object.assign(new Error(`fs.${name} is not supported in this sandbox`), { code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' }); } }[name];
}

module.exports = fs;
