// Runs the tests of the npm package robots-parser without that package: what they ask and what they
// expect is written out, one JSON array a question: [test, address of robots.txt, its text, address
// asked for, agent or null, allowed].
'use strict';

const vm = require('vm');
const fs = require('fs');

const lines = [];
let test = '';

function robotsParser(url, contents) {
  const question = kind => (asked, agent) => ({ kind, url, contents, asked, agent: agent === undefined ? null : agent });
  return new Proxy({}, { get: (_, name) => question(name) });
}

function record(question, expected) {
  if (!question || typeof expected !== 'boolean') return;
  const isAllowed = { isAllowed: true, isDisallowed: false }[question.kind];
  if (isAllowed === undefined) return;
  const row = [test, question.url, question.contents, question.asked, question.agent, expected === isAllowed];
  const line = JSON.stringify(row);
  // Lone surrogates come out as escapes; they are no text elsewhere.
  if (!/\\ud[89a-f][0-9a-f]{2}/i.test(line)) lines.push(line);
}

function expect(value) {
  const equal = expected => record(value, expected);
  const anything = new Proxy(() => anything, { get: () => anything });
  return { to: new Proxy({ equal }, { get: (own, name) => own[name] || anything }) };
}

const modules = { '../index': robotsParser, chai: { expect } };
const context = {
  require: name => modules[name] || require(name),
  describe: (_, body) => body(),
  it: (name, body) => { test = name; body(); },
  URL,
  console,
};
vm.runInNewContext(fs.readFileSync(process.argv[2], 'utf8'), context);
console.log(lines.join('\n'));
