// Module perf_hooks.
const origin = binding.began(), entries = [];

function entry(name, entryType, startTime, duration) {
  const e = { name, entryType, startTime, duration, detail: null, toJSON() { return { name, entryType, startTime, duration }; } };
  entries.push(e);
  return e;
}

const performance = {
  timeOrigin: origin,
  now: () => binding.now() - origin,
  mark: (name, o) => entry(name, 'mark', o?.startTime ?? performance.now(), 0),
  measure(name, from, to) {
    const at = (n, fallback) => (n === undefined ? fallback : entries.findLast((e) => e.name === n && e.entryType === 'mark')?.startTime ?? fallback);
    const start = at(typeof from === 'object' ? from?.start : from, 0);
    return entry(name, 'measure', start, at(to, performance.now()) - start);
  },
  getEntries: () => [...entries], getEntriesByName: (n) => entries.filter((e) => e.name === n), getEntriesByType: (t) => entries.filter((e) => e.entryType === t),
  clearMarks: () => { entries.length = 0; }, clearMeasures: () => { entries.length = 0; }, timerify: (f) => f,
  toJSON: () => ({ timeOrigin: origin }),
};

class PerformanceObserver {
  observe() {}
  disconnect() {}
}

module.exports = { performance, PerformanceObserver, constants: {}, monitorEventLoopDelay: () => ({ enable() {}, disable() {}, min: 0, max: 0, mean: 0 }) };
