// The global process.
const EventEmitter = require('events');
const { inspect } = require('inspect');

let ticks = [];
let started = 0;

function makeEnv() {
  const values = { ...binding.environ() };
  return new Proxy(values, {
    set(target, key, value) { target[key] = typeof value === 'symbol' ? value : String(value); return true; },
    defineProperty(target, key, d) { if ('value' in d) d.value = String(d.value); return Reflect.defineProperty(target, key, d); },
  });
}

class Process extends EventEmitter {}
Object.defineProperty(Process, 'name', { value: 'process' });
const process = new Process();
Object.defineProperty(process, Symbol.toStringTag, { value: 'process', configurable: true });

function hrtime(previous) {
  const now = binding.nanotime();
  let s = Math.floor(now / 1e9), ns = now % 1e9;
  if (previous !== undefined) {
    s -= previous[0];
    ns -= previous[1];
    if (ns < 0) {
      s--;
      ns += 1e9;
    }
  }
  return [s, ns];
}
hrtime.bigint = () => BigInt(binding.nanotime());

function unsupported(name) {
  return () => {
    const err = new Error(`process.${name} is not supported in this sandbox`);
    err.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
    throw err;
  };
}

let exitCode;
let exiting = false;

Object.assign(process, {
  version: binding.version,
  versions: { node: binding.version.slice(1), goja: '1.0.0', modules: '115' },
  arch: binding.arch, platform: 'linux', title: 'node', pid: 0, ppid: 1,
  release: { name: 'node', lts: 'Iron' }, config: { variables: {}, target_defaults: {} }, features: { inspector: false, ipv6: false },
  execPath: '/usr/bin/node', execArgv: [], argv: [], argv0: 'node', env: {}, debugPort: 9229, moduleLoadList: [],
  cwd: () => binding.cwd(),
  chdir: (dir) => { binding.chdir(String(dir)); },
  umask: (mask) => binding.umask(typeof mask === 'string' ? parseInt(mask, 8) : mask),
  uptime: () => (binding.now() - started) / 1000,
  hrtime,
  memoryUsage: Object.assign(() => ({ ...binding.memory() }), { rss: () => binding.memory().rss }),
  resourceUsage: () => ({ userCPUTime: Math.round(process.uptime() * 1e6), systemCPUTime: 0, maxRSS: binding.memory().rss >> 10 }),
  cpuUsage: () => ({ user: Math.round(process.uptime() * 1e6), system: 0 }),
  nextTick(f, ...args) {
    if (typeof f !== 'function') {
      const err = new TypeError(`The "callback" argument must be of type function. Received ${inspect(f)}`);
      err.code = 'ERR_INVALID_ARG_TYPE';
      throw err;
    }
    ticks.push([f, args]);
    binding.wantTick();
  },
  exit(code) {
    if (code !== undefined) process.exitCode = code;
    end(undefined);
    binding.exit(status());
  },
  reallyExit: (code) => binding.exit(Number(code) || 0),
  abort: () => binding.exit(134),
  kill(pid, signal) {
    if (Number(pid) !== process.pid) {
      const err = new Error('kill ESRCH');
      throw Object.assign(err, { errno: -3, code: 'ESRCH', syscall: 'kill' });
    }
    if (signal === 0) return true;
    const name = signal === undefined ? 'SIGTERM' : signal;
    if (process.emit(name, name)) return true;
    const numbers = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 };
    binding.exit(128 + (typeof name === 'number' ? name : numbers[name] || 15));
    return true;
  },
  emitWarning(warning, type) {
    const name = typeof type === 'object' && type !== null ? type.type : type;
    const w = warning instanceof Error ? warning : Object.assign(new Error(warning), { name: name || 'Warning' });
    process.nextTick(() => {
      if (!process.emit('warning', w)) binding.write(2, `(node:${process.pid}) ${w.name}: ${w.message}\n(Use \`node --trace-warnings ...\` to show where the warning was created)\n`);
    });
  },
  getuid: () => binding.user.uid, geteuid: () => binding.user.uid, getgid: () => binding.user.gid, getegid: () => binding.user.gid,
  getgroups: () => [binding.user.gid],
  binding: unsupported('binding'), dlopen: unsupported('dlopen'), setuid: unsupported('setuid'), setgid: unsupported('setgid'),
  hasUncaughtExceptionCaptureCallback: () => false,
  loadEnvFile(path = '.env') { require('util').applyEnvFile(path); },
});

Object.defineProperty(process, 'exitCode', {
  get: () => exitCode,
  set(code) {
    if (code !== undefined && code !== null && !Number.isInteger(typeof code === 'string' && code.trim() !== '' ? Number(code) : code)) {
      const err = new TypeError(`The "code" argument must be of type number. Received ${inspect(code)}`);
      err.code = 'ERR_INVALID_ARG_TYPE';
      throw err;
    }
    exitCode = code === undefined || code === null ? undefined : Number(code);
  },
  enumerable: true, configurable: true,
});

for (const [name, make] of Object.entries({ stdin: () => require('stdin').stdin, stdout: () => require('output').make(1), stderr: () => require('output').make(2) })) {
  Object.defineProperty(process, name, {
    get() {
      const value = make();
      Object.defineProperty(process, name, { value, enumerable: true, configurable: true });
      return value;
    },
    enumerable: true, configurable: true,
  });
}

function status() { return exitCode ?? 0; }

// end tells the script that it is over and returns its status; failed is the status of an error that nobody caught.
function end(failed) {
  if (exiting) return status();
  exiting = true;
  if (failed !== undefined) exitCode = failed;
  process.emit('exit', status());
  return status();
}

function runTicks() {
  while (ticks.length > 0) {
    const list = ticks;
    ticks = [];
    for (let i = 0; i < list.length; i++) {
      const [f, args] = list[i];
      try {
        f(...args);
      } catch (err) {
        ticks = [...list.slice(i + 1), ...ticks];
        if (ticks.length > 0) binding.wantTick();
        throw err;
      }
    }
  }
}

// start reads what belongs to one run: the library may have been loaded long before.
function start() {
  started = binding.began();
  process.pid = binding.pid();
  process.env = makeEnv();
}

module.exports = process;
Object.defineProperties(process, { end: { value: end }, runTicks: { value: runTicks }, start: { value: start, writable: true } });
