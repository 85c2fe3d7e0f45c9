// Module os: what a script may know of the sandbox.
const { user } = binding;

module.exports = {
  EOL: '\n', devNull: '/dev/null',
  arch: () => binding.arch, machine: () => binding.arch, platform: () => 'linux', type: () => 'Linux', release: () => '6.0.0', version: () => '#1', endianness: () => 'LE',
  hostname: () => user.host, homedir: () => process.env.HOME || '/home/agent', tmpdir: () => (process.env.TMPDIR || process.env.TMP || process.env.TEMP || '/tmp').replace(/(.)\/$/, '$1'),
  userInfo: () => ({ uid: user.uid, gid: user.gid, username: user.name, homedir: process.env.HOME || '/home/agent', shell: '/bin/bash' }),
  cpus: () => [{ model: 'wasm32', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }], availableParallelism: () => 1,
  totalmem: () => binding.memory().heapTotal, freemem: () => Math.max(binding.memory().heapTotal - binding.memory().heapUsed, 0),
  uptime: () => process.uptime(), loadavg: () => [0, 0, 0], networkInterfaces: () => ({}), getPriority: () => 0, setPriority: () => {},
  constants: { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGUSR1: 10, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15 }, errno: { ENOENT: 2, EACCES: 13, EEXIST: 17 } },
};
