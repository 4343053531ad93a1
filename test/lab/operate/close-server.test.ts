import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { closeServer } from '#shared/lifecycle/listen';

const callers = 60;
const [arrived, stop] = [0, 1];
/** So long each turn of a busy event loop takes. */
const turnMs = 5;

// A thread of its own, as this one is held while its callers connect.
const callersCode = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, callers, shared } } = require('node:worker_threads');
  const state = new Int32Array(shared);
  const call = () => new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n', () => {
        Atomics.add(state, ${arrived}, 1);
        Atomics.notify(state, ${arrived});
      });
    });
    socket.on('data', (piece) => { text += piece; });
    socket.on('error', ({ code }) => resolve(code));
    socket.on('end', () => resolve(text.slice(9, 12)));
  });
  Promise.all(Array.from({ length: callers }, call)).then((outcomes) => parentPort.postMessage(outcomes));
`;

test('a busy process that stops listening answers everybody who has connected before', async () => {
  const server = createServer((_request, response) => void response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const shared = new SharedArrayBuffer(8);
  const state = new Int32Array(shared);
  const thread = new Worker(callersCode, { eval: true, workerData: { port, callers, shared } });
  const outcomes = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
  await new Promise((resolve) => thread.once('online', resolve));
  // All of them are in the system's queue, and none has been let in.
  for (let seen = 0; seen < callers; seen = Atomics.load(state, arrived)) Atomics.wait(state, arrived, seen);
  const beBusy = () => {
    Atomics.wait(state, stop, 0, turnMs);
    if (server.listening) setImmediate(beBusy);
  };
  setImmediate(beBusy);
  await closeServer(server, 30_000);
  expect(await outcomes).toEqual(Array.from({ length: callers }, () => '200'));
  await thread.terminate();
});
