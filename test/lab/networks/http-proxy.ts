// A proxy of CONNECT, as the only way out of some networks. Argument: where it listens, at port 3128.
import { createServer } from 'node:http';
import { connect } from 'node:net';

const [address = ''] = process.argv.slice(2);
const server = createServer((_, response) => response.writeHead(501).end());
server.on('connect', ({ url = '' }, socket) => {
  const { hostname, port } = new URL(`http://${url}`);
  const upstream = connect(Number(port || 80), hostname, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(socket).pipe(upstream);
  });
  upstream.on('error', () => socket.destroy());
  socket.on('error', () => upstream.destroy());
});
server.listen(3128, address);
