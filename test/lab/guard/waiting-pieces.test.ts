import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connectTls } from '../../../worker/probes/tls/guarded-stream.ts';
import { inTurn, yieldToOthers } from '../../../worker/probes/turns.ts';

/** Uses up the time of so many turns of the loop; what asks for a turn meanwhile comes behind. */
function fillTurns(count: number): void {
  for (let filled = 0; filled < count; filled += 1)
    inTurn(() => {
      const end = performance.now() + 9;
      while (performance.now() < end);
    });
}

test('while a connection waits for its turn, the server’s flood stays with the kernel', async () => {
  const flood = Buffer.alloc(1 << 20);
  const server = createServer((socket) => {
    const pour = () => void socket.write(flood, (error) => error ?? pour());
    socket.on('error', () => undefined);
    pour();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  fillTurns(40);
  const tls = connectTls({ socket, address: '127.0.0.1' }, { rejectUnauthorized: false });
  const failed = once(tls, 'error');
  onTestFinished(async () => {
    tls.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await yieldToOthers();
  // Two pieces wait, and Node has one more in the socket's own buffer.
  expect(socket.bytesRead).toBeGreaterThan(0);
  expect(socket.bytesRead).toBeLessThanOrEqual(4 * 65_536);
  // Then it goes on: no TLS record begins with zeros.
  expect((await failed)[0]).toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
});
