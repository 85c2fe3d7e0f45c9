// Table turns JSON objects into a Markdown table: those of its arguments, as a tool, or a list on standard input.
const fs = require('fs');

const text = (v) => (v === undefined || v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v));
const cell = (v) => text(v).replace(/\|/g, '\\|').replace(/\r?\n/g, ' ');
const line = (cells) => '| ' + cells.join(' | ') + ' |';

const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const rows = process.argv[2] === 'tool' ? input.rows : input;
const columns = [...new Set(rows.flatMap((r) => Object.keys(r)))];

console.log(line(columns.map(cell)));
console.log(line(columns.map(() => '---')));
for (const r of rows) console.log(line(columns.map((c) => cell(r[c]))));
