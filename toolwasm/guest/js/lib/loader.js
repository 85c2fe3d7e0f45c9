// Modules: CommonJS, JSON and those with import and export.
const path = require('path');
const process = require('process');

const builtins = [
  'assert', 'assert/strict', 'async_hooks', 'buffer', 'child_process', 'cluster', 'console', 'constants', 'crypto', 'dgram', 'diagnostics_channel', 'dns',
  'dns/promises', 'events', 'fs', 'fs/promises', 'http', 'http2', 'https', 'inspector', 'module', 'net', 'os', 'path', 'path/posix', 'path/win32', 'perf_hooks',
  'process', 'punycode', 'querystring', 'readline', 'readline/promises', 'repl', 'stream', 'stream/consumers', 'stream/promises', 'string_decoder', 'timers',
  'timers/promises', 'tls', 'tty', 'url', 'util', 'util/types', 'v8', 'vm', 'wasi', 'worker_threads', 'zlib',
];
const parts = {
  'assert/strict': () => require('assert').strict, 'fs/promises': () => require('fs').promises, 'path/posix': () => path, 'path/win32': () => path.win32,
  'readline/promises': () => require('readline').promises, 'stream/promises': () => require('stream').promises, 'stream/consumers': () => require('stream').consumers,
  'timers/promises': () => require('timers').promises, 'util/types': () => require('util').types, process: () => process, console: () => globalThis.console,
  module: () => Module, vm: () => ({
    runInThisContext: (code, o) => binding.runScript(typeof o === 'string' ? o : (o && o.filename) || 'evalmachine.<anonymous>', String(code)),
    Script: class Script { constructor(code, o) { this.code = code; this.o = o; } runInThisContext() { return binding.runScript((this.o && this.o.filename) || 'evalmachine.<anonymous>', String(this.code)); } },
    isContext: () => false,
  }),
  constants: () => require('fs').constants, tty: () => ({ isatty: () => false }), v8: () => ({ serialize: (v) => Buffer.from(JSON.stringify(v)), deserialize: (b) => JSON.parse(b.toString()), getHeapStatistics: () => ({ total_heap_size: binding.memory().heapTotal, used_heap_size: binding.memory().heapUsed, heap_size_limit: binding.memory().heapTotal }) }),
};
const absent = new Set(['child_process', 'cluster', 'dgram', 'dns', 'dns/promises', 'http', 'http2', 'https', 'inspector', 'net', 'repl', 'tls', 'wasi', 'worker_threads', 'zlib', 'diagnostics_channel', 'punycode']);

function builtin(name) {
  const plain = name.startsWith('node:') ? name.slice(5) : name;
  if (!builtins.includes(plain)) return undefined;
  if (parts[plain]) return parts[plain]();
  if (absent.has(plain)) return require('absent')(plain);
  return require(plain);
}

const isBuiltin = (name) => builtins.includes(name.startsWith('node:') ? name.slice(5) : name);

// ---- texts

const sources = new Map();

// runText is what the engine has compiled of a file: places of errors are places in it.
const runText = (file) => binding.runText(file);

// shiftOf is by how much columns of the first line are off: what stands before it when the file is run.
const shiftOf = (file) => binding.shiftOf(file);

function sourceOf(file) {
  if (sources.has(file)) return sources.get(file);
  return undefined;
}

function readText(file) {
  const text = binding.decode(binding.fsReadFile(file), 'utf8');
  sources.set(file, text);
  return text;
}

// ---- resolution

const extensions = ['.js', '.json', '.node', '.mjs', '.cjs'];
const packages = new Map();

function packageAt(dir) {
  if (!packages.has(dir)) {
    const file = path.join(dir, 'package.json');
    let found;
    if (binding.fsKind(file) === 1) {
      try {
        found = JSON.parse(readText(file));
      } catch (err) {
        err.message = `Error parsing ${file}: ${err.message}`;
        throw err;
      }
    }
    packages.set(dir, found);
  }
  return packages.get(dir);
}

function packageFor(file) {
  for (let dir = path.dirname(file); ; dir = path.dirname(dir)) {
    const p = packageAt(dir);
    if (p !== undefined) return { dir, ...p, data: p };
    if (dir === '/') return undefined;
  }
}

function asFile(p) {
  if (binding.fsKind(p) === 1) return p;
  for (const e of extensions) if (binding.fsKind(p + e) === 1) return p + e;
  return undefined;
}

function asDirectory(p) {
  if (binding.fsKind(p) !== 2) return undefined;
  const pkg = packageAt(p);
  if (pkg && typeof pkg.main === 'string') {
    const main = path.join(p, pkg.main);
    const found = asFile(main) || asFile(path.join(main, 'index'));
    if (found) return found;
  }
  return asFile(path.join(p, 'index'));
}

// condition picks from the exports of a package.
function condition(target, kind) {
  if (typeof target === 'string' || target === null || target === undefined) return target;
  if (Array.isArray(target)) {
    for (const t of target) {
      const found = condition(t, kind);
      if (found) return found;
    }
    return undefined;
  }
  for (const k of Object.keys(target)) {
    if (k === 'default' || k === 'node' || k === kind) {
      const found = condition(target[k], kind);
      if (found) return found;
    }
  }
  return undefined;
}

function exported(table, sub, kind) {
  if (typeof table === 'string' || Array.isArray(table) || (typeof table === 'object' && !Object.keys(table).some((k) => k.startsWith('.') || k.startsWith('#')))) {
    return sub === '.' ? condition(table, kind) : undefined;
  }
  if (sub in table) return condition(table[sub], kind);
  for (const k of Object.keys(table)) {
    const star = k.indexOf('*');
    if (star < 0) continue;
    const before = k.slice(0, star), after = k.slice(star + 1);
    if (sub.startsWith(before) && sub.endsWith(after) && sub.length >= before.length + after.length) {
      const found = condition(table[k], kind);
      if (found) return found.replaceAll('*', sub.slice(before.length, sub.length - after.length));
    }
  }
  return undefined;
}

function notFound(request, from, esm) {
  const err = new Error(esm && !/^[./]/.test(request) ? `Cannot find package '${request}' imported from ${from}` : esm ? `Cannot find module '${path.resolve(path.dirname(from), request)}' imported from ${from}`
    : `Cannot find module '${request}'${from ? `\nRequire stack:\n- ${from}` : ''}`);
  err.code = esm ? 'ERR_MODULE_NOT_FOUND' : 'MODULE_NOT_FOUND';
  if (!esm) err.requireStack = from ? [from] : [];
  return err;
}

function resolve(request, from, kind = 'require') {
  if (request.startsWith('file://')) request = require('url').fileURLToPath(request);
  const esm = kind === 'import', base = from || path.join(process.cwd(), '[eval]');
  let found;
  if (/^\.{0,2}\//.test(request) || request === '.' || request === '..') {
    const p = path.resolve(path.dirname(base), request);
    found = request.endsWith('/') ? asDirectory(p) : asFile(p) || asDirectory(p);
    if (!found) throw notFound(request, base, esm);
    return binding.fsRealpath(found);
  }
  if (request.startsWith('#')) {
    const pkg = packageFor(base);
    const target = pkg && pkg.imports && exported(pkg.imports, request, kind);
    if (target) return resolve(target.startsWith('.') ? path.join(pkg.dir, target) : target, base, kind);
    throw notFound(request, base, esm);
  }
  found = inPackages(request, base, kind);
  if (!found) throw notFound(request, base, esm);
  return binding.fsRealpath(found);
}

function inPackages(request, base, kind) {
  const m = /^((?:@[^/]+\/)?[^/]+)(?:\/(.*))?$/.exec(request);
  if (!m) return undefined;
  for (let dir = path.dirname(base); ; dir = path.dirname(dir)) {
    const root = path.join(dir, 'node_modules', m[1]);
    if (binding.fsKind(root) === 2) {
      const pkg = packageAt(root);
      if (pkg && pkg.exports !== undefined && pkg.exports !== null) {
        const target = exported(pkg.exports, m[2] ? `./${m[2]}` : '.', kind);
        if (!target) {
          const err = new Error(m[2] ? `Package subpath './${m[2]}' is not defined by "exports" in ${path.join(root, 'package.json')}` : `No "exports" main defined in ${path.join(root, 'package.json')}`);
          err.code = 'ERR_PACKAGE_PATH_NOT_EXPORTED';
          throw err;
        }
        return path.join(root, target);
      }
      const p = m[2] ? path.join(root, m[2]) : root;
      const found = (m[2] && asFile(p)) || asDirectory(p);
      if (found) return found;
    }
    if (m[2] === undefined) {
      const single = asFile(root);
      if (single) return single;
    }
    if (dir === '/') break;
  }
  for (const dir of (process.env.NODE_PATH || '').split(':').filter(Boolean)) {
    const p = path.join(dir, request);
    const found = asFile(p) || asDirectory(p);
    if (found) return found;
  }
  return undefined;
}

// ---- CommonJS

const cache = Object.create(null);
const parameters = 'exports,require,module,__filename,__dirname,$import';

class Module {
  constructor(id = '', parent) {
    this.id = id;
    this.path = path.dirname(id);
    this.exports = {};
    this.filename = id;
    this.loaded = false;
    this.children = [];
    this.paths = nodeModules(this.path);
    if (parent && parent.children) parent.children.push(this);
    Object.defineProperty(this, 'parent', { value: parent, enumerable: false, writable: true, configurable: true });
  }
  require(request) { return requireFrom(this, request); }
  _compile(text, file) {
    sources.set(file, text);
    const f = binding.compileFunction(file, text, parameters);
    f.call(this.exports, this.exports, makeRequire(this), this, file, path.dirname(file), importer(file));
  }
}
Module.builtinModules = builtins;
Module.isBuiltin = isBuiltin;
Module.createRequire = (from) => {
  let file = String(from);
  if (file.startsWith('file://')) file = require('url').fileURLToPath(file);
  return makeRequire(new Module(file));
};
Module.Module = Module;
Module._cache = cache;
Module._extensions = { '.js': loadScript, '.json': loadJSON };
Module._resolveFilename = (request, parent) => (isBuiltin(request) ? request : resolve(request, parent && parent.filename));
Module._load = (request, parent) => requireFrom(parent || new Module(''), request);

function nodeModules(dir) {
  const list = [];
  for (let d = dir; ; d = path.dirname(d)) {
    if (path.basename(d) !== 'node_modules') list.push(path.join(d, 'node_modules'));
    if (d === '/' || d === '.') return list;
  }
}

let mainModule;

function makeRequire(module) {
  const f = function require(request) { return requireFrom(module, request); };
  f.resolve = (request) => (isBuiltin(request) ? request : resolve(request, module.filename));
  f.resolve.paths = () => module.paths;
  f.main = mainModule;
  f.extensions = Module._extensions;
  f.cache = cache;
  return f;
}

function requireFrom(parent, request) {
  if (typeof request !== 'string' || request === '') {
    const err = new TypeError(request === '' ? "The argument 'id' must be a non-empty string. Received ''" : `The "id" argument must be of type string. Received ${require('inspect').inspect(request)}`);
    err.code = request === '' ? 'ERR_INVALID_ARG_VALUE' : 'ERR_INVALID_ARG_TYPE';
    throw err;
  }
  const own = builtin(request);
  if (own !== undefined) return own;
  if (request.startsWith('node:')) {
    const err = new Error(`No such built-in module: ${request}`);
    err.code = 'ERR_UNKNOWN_BUILTIN_MODULE';
    throw err;
  }
  const file = resolve(request, parent.filename === '' ? undefined : parent.filename);
  return load(file, parent).exports;
}

function load(file, parent) {
  if (cache[file]) return cache[file];
  const module = new Module(file, parent);
  cache[file] = module;
  let failed = true;
  try {
    const f = Module._extensions[path.extname(file)] || loadScript;
    f(module, file);
    failed = false;
  } finally {
    if (failed) delete cache[file];
  }
  module.loaded = true;
  return module;
}

function loadJSON(module, file) {
  try {
    module.exports = JSON.parse(readText(file).replace(/^\ufeff/, ''));
  } catch (err) {
    if (err instanceof SyntaxError) err.message = `${file}: ${err.message}`;
    throw err;
  }
}

function loadScript(module, file) {
  refuse(file);
  const text = readText(file);
  if (kindOf(file, text) === 'module') {
    const record = linked(file);
    const waiting = evaluate(record);
    if (waiting) {
      const err = new Error('require() cannot be used on an ESM graph with top-level await. Use import() instead.');
      err.code = 'ERR_REQUIRE_ASYNC_MODULE';
      throw err;
    }
    module.exports = record.namespace['module.exports'] || record.namespace;
    return;
  }
  module._compile(text, file);
}

function refuse(file) {
  if (/\.[cm]?tsx?$/.test(file)) {
    const err = new TypeError(`Unknown file extension "${path.extname(file)}" for ${file}: TypeScript is not supported here`);
    err.code = 'ERR_UNKNOWN_FILE_EXTENSION';
    throw err;
  }
  if (file.endsWith('.node')) {
    const err = new Error(`${file}: compiled addons cannot be loaded in this sandbox`);
    err.code = 'ERR_DLOPEN_FAILED';
    throw err;
  }
}

// kindOf says whether a file is a module with import and export.
function kindOf(file, text) {
  if (file.endsWith('.mjs')) return 'module';
  if (file.endsWith('.cjs')) return 'commonjs';
  const pkg = packageFor(file);
  if (pkg && pkg.type === 'module') return 'module';
  if (pkg && pkg.type === 'commonjs') return 'commonjs';
  return binding.isModule(text) ? 'module' : 'commonjs';
}

// ---- modules with import and export

const records = new Map();

class Record {
  constructor(name) {
    this.name = name;
    this.url = name.startsWith('/') ? require('url').pathToFileURL(name).href : name;
    this.getters = Object.create(null);
    this.stars = [];
    this.requests = [];
    this.state = 'new';
    this.namespace = makeNamespace(this);
  }
  // getter finds the function that gives an export.
  getter(name, seen = new Set()) {
    if (this.getters[name]) return this.getters[name];
    if (name === 'default' || seen.has(this)) return undefined;
    seen.add(this);
    for (const star of this.stars) {
      const g = star.getter(name, seen);
      if (g) return g;
    }
    return undefined;
  }
  names(seen = new Set()) {
    if (seen.has(this)) return [];
    seen.add(this);
    const names = new Set(Object.keys(this.getters));
    for (const star of this.stars) for (const n of star.names(seen)) if (n !== 'default') names.add(n);
    return [...names].sort();
  }
}

function makeNamespace(record) {
  const target = Object.create(null);
  Object.defineProperty(target, Symbol.toStringTag, { value: 'Module' });
  return new Proxy(target, {
    get: (t, k) => (typeof k === 'symbol' ? t[k] : record.getter(k)?.()),
    has: (t, k) => (typeof k === 'symbol' ? k in t : record.getter(k) !== undefined),
    ownKeys: (t) => [...record.names(), ...Reflect.ownKeys(t)],
    getOwnPropertyDescriptor(t, k) {
      if (typeof k === 'symbol') return Reflect.getOwnPropertyDescriptor(t, k);
      const g = record.getter(k);
      return g && { value: g(), writable: true, enumerable: true, configurable: true };
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: (t, k) => !(k in record.getters),
  });
}

// synthetic is a module around values that are not one.
function synthetic(name, value) {
  const record = new Record(name);
  record.getters.default = () => value;
  if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
    for (const k of Object.keys(value)) if (k !== 'default') record.getters[k] = () => value[k];
  }
  record.state = 'done';
  return record;
}

// linked returns the record of a file with those of all that it asks for, none of which has run.
function linked(file) {
  if (records.has(file)) return records.get(file);
  if (file.endsWith('.json')) return keep(file, jsonRecord(file));
  refuse(file);
  const text = readText(file);
  if (kindOf(file, text) === 'commonjs') return keep(file, commonRecord(file));
  return link(file, text);
}

function keep(file, record) {
  records.set(file, record);
  return record;
}

function jsonRecord(file) {
  return synthetic(file, load(file).exports);
}

// commonRecord wraps a CommonJS file, which runs when its turn comes.
function commonRecord(file) {
  const record = new Record(file);
  const names = new Set();
  for (const m of sourceOf(file).matchAll(/\bexports\.([A-Za-z_$][\w$]*)\s*=/g)) names.add(m[1]);
  for (const m of sourceOf(file).matchAll(/\bmodule\.exports\s*=\s*\{([^{}]*)\}/g)) for (const n of m[1].matchAll(/(?:^|,)\s*([A-Za-z_$][\w$]*)/g)) names.add(n[1]);
  record.getters.default = () => load(file).exports;
  for (const n of names) if (n !== 'default') record.getters[n] = () => load(file).exports[n];
  record.run = () => {
    const value = load(file).exports;
    record.getters.default = () => value;
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) {
      for (const k of Object.keys(value)) if (k !== 'default') record.getters[k] = () => value[k];
    }
  };
  return record;
}

function link(name, text) {
  sources.set(name, text);
  const record = keep(name, new Record(name));
  const parsed = binding.parseModule(name, text);
  record.parsed = parsed;
  const from = name.startsWith('/') ? name : path.join(process.cwd(), '[eval1]');
  const bySpecifier = new Map();
  for (const r of parsed.requests) {
    if (!bySpecifier.has(r.specifier)) bySpecifier.set(r.specifier, requested(r.specifier, from));
    record.requests.push(bySpecifier.get(r.specifier));
  }
  const imports = Object.create(null);
  parsed.requests.forEach((r, i) => {
    for (const [local, imported] of r.bindings) bind(imports, local, imported, record.requests[i], r.specifier);
  });
  for (const x of parsed.exports) {
    if (x.from === '') continue;
    const source = bySpecifier.get(x.from);
    if (x.local !== '*') record.getters[x.name] = reader(source, x.local, x.from);
    else if (x.name === '*') record.stars.push(source);
    else record.getters[x.name] = () => source.namespace;
  }
  const meta = { url: name.startsWith('/') ? record.url : `file://${from}`, filename: from, dirname: path.dirname(from), resolve: (s) => (isBuiltin(s) ? (s.startsWith('node:') ? s : `node:${s}`) : require('url').pathToFileURL(resolve(s, from, 'import')).href) };
  const local = (getters) => {
    for (const n of Object.keys(getters)) record.getters[n] ??= getters[n];
  };
  record.body = parsed.body(imports, importer(from), meta, local);
  // Names are known before anything runs, so that modules may ask for each other.
  for (const x of parsed.exports) if (x.from === '') record.getters[x.name] = undefined;
  record.imports = imports;
  return record;
}

function reader(source, name, specifier) {
  return () => {
    const g = source.getter(name);
    if (g === undefined) throw missing(source, name, specifier);
    return g();
  };
}

function missing(source, name, specifier) {
  return new SyntaxError(`The requested module '${specifier}' does not provide an export named '${name}'`);
}

function bind(imports, local, imported, source, specifier) {
  const get = imported === '*' ? () => source.namespace : reader(source, imported, specifier);
  Object.defineProperty(imports, local, { get, set() { throw new TypeError('Assignment to constant variable.'); }, enumerable: true });
}

function requested(specifier, from) {
  const own = builtin(specifier);
  if (own !== undefined) {
    const key = `node:${specifier.replace(/^node:/, '')}`;
    return records.get(key) || keep(key, synthetic(key, own));
  }
  return linked(resolve(specifier, from, 'import'));
}

// checkNames reports imports of what is not there, before anything runs.
function checkNames(record, seen = new Set()) {
  if (seen.has(record) || !record.parsed) return;
  seen.add(record);
  record.parsed.requests.forEach((r, i) => {
    const source = record.requests[i];
    checkNames(source, seen);
    if (source.run) return;
    for (const [, imported] of r.bindings) {
      if (imported !== '*' && !source.names().includes(imported)) throw missing(source, imported, r.specifier);
    }
  });
}

// evaluate runs a module after what it asks for. It returns a promise when something has to be waited for.
function evaluate(record) {
  if (record.state === 'failed') throw record.error;
  if (record.state !== 'new') return record.waiting;
  record.state = 'running';
  const failed = (err) => {
    record.state = 'failed';
    record.error = err;
    throw err;
  };
  const finished = () => { record.state = 'done'; record.waiting = undefined; };
  const run = () => {
    if (record.run) {
      record.run();
      return undefined;
    }
    const promise = record.body.call(undefined);
    const [state, result] = binding.promiseState(promise);
    if (state === 0) return promise;
    if (state === 2) {
      promise.then(undefined, () => {});
      throw result;
    }
    return undefined;
  };
  const after = () => {
    const waits = record.requests.map((r) => evaluate(r)).filter((w) => w !== undefined);
    return waits.length > 0 ? Promise.all(waits).then(run) : run();
  };
  let waiting;
  try {
    waiting = after();
  } catch (err) {
    return failed(err);
  }
  if (waiting === undefined) {
    finished();
    return undefined;
  }
  record.waiting = waiting.then(finished, failed);
  return record.waiting;
}

// importer makes the function behind import() in a file.
function importer(from) {
  return (specifier) => new Promise((resolved, reject) => {
    require('timers').later(() => {
      try {
        const record = requested(String(specifier), from);
        checkNames(record);
        const waiting = evaluate(record);
        if (waiting) waiting.then(() => resolved(unthenable(record.namespace)), reject);
        else resolved(unthenable(record.namespace));
      } catch (err) {
        reject(err);
      }
    });
  });
}

// unthenable is here because a namespace with an export "then" is a promise to resolve; there is nothing to be done.
function unthenable(namespace) { return namespace; }

function runModule(name, text) {
  const record = records.get(name) || link(name, text);
  checkNames(record);
  const waiting = evaluate(record);
  if (waiting) waiting.then(undefined, (err) => { throw err; });
}

// ---- the script

function main(options) {
  const args = [...options.args].map(String);
  process.argv = [process.execPath, ...args];
  if (options.hasCode) {
    inline('[eval]', options.code, options);
    return;
  }
  if (options.script === '') {
    process.argv.splice(1, 0, '-');
    inline('[stdin]', binding.decode(binding.fsReadFile(0), 'utf8'), options);
    return;
  }
  const given = path.resolve(process.cwd(), options.script);
  const found = asFile(given) || asDirectory(given);
  if (!found) throw notFound(given, undefined, false);
  const file = binding.fsRealpath(found);
  process.argv.splice(1, 0, file);
  run(file, options);
}

function run(file, options) {
  if (file.endsWith('.json')) {
    load(file);
    return;
  }
  refuse(file);
  const text = readText(file);
  const kind = kindOf(file, text);
  if (options.check) {
    if (kind === 'module') binding.parseModule(file, text);
    else binding.compileFunction(file, text, parameters);
    return;
  }
  if (kind === 'module') {
    runModule(file, text);
    return;
  }
  const module = new Module(file);
  module.id = '.';
  mainModule = module;
  process.mainModule = module;
  cache[file] = module;
  module._compile(text, file);
  module.loaded = true;
}

// inline runs a text that is not a file: in the global scope, with what a file would have.
function inline(name, text, options) {
  sources.set(name, text);
  const moduleName = name === '[eval]' ? '[eval1]' : name;
  if (options.module || binding.isModule(text)) {
    if (options.check) binding.parseModule(moduleName, text);
    else runModule(moduleName, text);
    return;
  }
  const module = new Module(path.join(process.cwd(), name));
  module.id = name;
  for (const [k, v] of Object.entries({ exports: module.exports, require: makeRequire(module), module, __filename: name, __dirname: '.', $import: importer(module.filename) })) {
    Object.defineProperty(globalThis, k, { value: v, writable: true, configurable: true, enumerable: false });
  }
  if (options.check) {
    binding.compileFunction(name, text, parameters);
    return;
  }
  late();
  let value;
  try {
    value = binding.runScript(name, text);
  } catch (err) {
    if (!(err instanceof SyntaxError) || options.print || !/\bawait\b/.test(text)) throw err;
    runModule(moduleName, text);
    return;
  }
  if (options.print) globalThis.console.log(value);
}

// late makes the modules that code without a file may use by name without asking for them.
function late() {
  for (const name of builtins) {
    if (name.includes('/') || name in globalThis) continue;
    Object.defineProperty(globalThis, name, {
      get() { return builtin(name); },
      set(value) { Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true }); },
      configurable: true, enumerable: false,
    });
  }
}

function preload(name) { requireFrom(new Module(path.join(process.cwd(), '[preload]')), name); }

module.exports = { main, preload, sourceOf, runText, shiftOf, builtin, Module, resolve };
