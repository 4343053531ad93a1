// Loaded before a process of the service (NODE_OPTIONS=--import): what a defect in a parser would do to the process that reads a
// target's bytes, at a word in them. Only in the process that reads them; anywhere else the word is text.
import { Socket } from 'node:net';

const acts = {
  loop() {
    for (;;);
  },
  regex() {
    /^(?:a+)+$/.test(`${'a'.repeat(60)}b`);
  },
  memory() {
    const held = [];
    for (;;) held.push(Array.from({ length: 100_000 }, () => ({ held })));
  },
  abort: () => process.abort(),
  fault: () => process.kill(process.pid, 'SIGSEGV'),
  stop: () => process.kill(process.pid, 'SIGSTOP'),
  exit: () => process.exit(0),
  assertion() {
    throw new Error('an assertion of a library');
  },
};

if (process.argv[1]?.includes('runner-main')) {
  const push = Socket.prototype.push;
  Socket.prototype.push = function pushPoisoned(chunk, ...more) {
    const [, name] = /POISON-([a-z]+)!/.exec(chunk === null ? '' : chunk.toString('latin1')) ?? [];
    acts[name]?.();
    return push.call(this, chunk, ...more);
  };
}
