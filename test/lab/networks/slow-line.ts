// A long line that loses: the kernel may have no netem, so packets of two tun devices come here by UDP, wait, and go on to the other.
// Arguments: how long each way takes in ms, and which part of the packets is lost.
import { createSocket } from 'node:dgram';

const [delayMs = 0, loss = 0] = process.argv.slice(2).map(Number);
const devices = [7010, 7011] as const;
const sockets = devices.map((_, index) => {
  const socket = createSocket('udp4');
  socket.bind(7000 + index, '127.0.0.1');
  return socket;
});
// Seeded, so that two runs lose alike, as far as they send alike.
let seed = 1;
const draw = () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

for (const [index, socket] of sockets.entries()) {
  const other = 1 - index;
  socket.on('message', (packet) => {
    if (draw() < loss) return;
    setTimeout(() => sockets[other]?.send(packet, devices[other], '127.0.0.1'), delayMs);
  });
}
