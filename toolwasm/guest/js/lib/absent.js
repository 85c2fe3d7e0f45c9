// Modules that exist so that scripts can load them, and whose functions say why they cannot work.
const { refused } = require('network');

function unavailable(what, why) {
  const err = new Error(`${what}: ${why}`);
  err.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
  return err;
}

const noChildren = 'a script cannot start other programs in this sandbox; run them from the shell, for example: output=$(command) && js script.js "$output"';
const names = {
  child_process: ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'],
  http: ['createServer', 'get', 'request'], https: ['createServer', 'get', 'request'], http2: ['connect', 'createServer', 'createSecureServer'],
  net: ['connect', 'createConnection', 'createServer'], tls: ['connect', 'createServer'], dgram: ['createSocket'],
  dns: ['lookup', 'resolve', 'resolve4', 'resolve6', 'reverse'], 'dns/promises': ['lookup', 'resolve', 'resolve4', 'resolve6', 'reverse'],
  cluster: ['fork', 'setupPrimary'], worker_threads: ['Worker'], inspector: ['open', 'Session'], repl: ['start'], wasi: ['WASI'],
  zlib: ['gzipSync', 'gunzipSync', 'deflateSync', 'inflateSync', 'gzip', 'gunzip', 'deflate', 'inflate', 'createGzip', 'createGunzip', 'brotliCompressSync', 'brotliDecompressSync'],
  punycode: ['encode', 'decode', 'toASCII', 'toUnicode'], diagnostics_channel: ['channel', 'subscribe'],
};
const network = new Set(['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises']);
const made = new Map();

function reason(module, name) {
  const what = `${module}.${name}`;
  if (module === 'child_process' || module === 'cluster') return unavailable(what, noChildren);
  if (network.has(module)) return refused(what);
  if (module === 'zlib') return unavailable(what, 'compression is not available to scripts; use gzip, gunzip or zstd from the shell');
  return unavailable(what, 'not available in this sandbox');
}

module.exports = (module) => {
  if (made.has(module)) return made.get(module);
  const exports = {};
  for (const name of names[module]) exports[name] = { [name]: function () { throw reason(module, name); } }[name];
  if (module === 'worker_threads') Object.assign(exports, { isMainThread: true, parentPort: null, workerData: null, threadId: 0 });
  if (module === 'cluster') Object.assign(exports, { isMaster: true, isPrimary: true, isWorker: false, workers: {} });
  if (module === 'http') Object.assign(exports, { METHODS: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'], STATUS_CODES: { 200: 'OK', 201: 'Created', 204: 'No Content', 301: 'Moved Permanently', 302: 'Found', 304: 'Not Modified', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 409: 'Conflict', 418: "I'm a Teapot", 422: 'Unprocessable Entity', 429: 'Too Many Requests', 500: 'Internal Server Error', 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' }, Agent: class Agent {} });
  if (module === 'https') exports.Agent = class Agent {};
  if (module === 'net') Object.assign(exports, { isIP: (s) => (/^(\d{1,3}\.){3}\d{1,3}$/.test(s) && s.split('.').every((n) => n < 256) ? 4 : /^[0-9a-f:]+$/i.test(s) && s.includes(':') ? 6 : 0), isIPv4: (s) => exports.isIP(s) === 4, isIPv6: (s) => exports.isIP(s) === 6 });
  made.set(module, exports);
  return exports;
};
