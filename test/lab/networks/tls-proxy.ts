// What stands in a company's network and reads along: it ends TLS with certificates of its own authority, and goes on with the host that
// was named. Argument: the folder where its authority is left ("proxy-ca.pem").
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createSecureContext, createServer, type SecureContext } from 'node:tls';
import { makeAuthority } from '../kit/certificates.ts';

const [folder = ''] = process.argv.slice(2);
const authority = await makeAuthority('Example Corp Web Gateway');
const contexts = new Map<string, Promise<SecureContext>>();

async function makeContext(name: string): Promise<SecureContext> {
  return createSecureContext(await authority.issue([name]));
}

function contextOf(name: string): Promise<SecureContext> {
  const context = contexts.get(name) ?? makeContext(name);
  contexts.set(name, context);
  return context;
}

async function tellContext(
  name: string,
  done: (error: Error | null, context?: SecureContext) => void,
): Promise<void> {
  try {
    done(null, await contextOf(name));
  } catch (error) {
    done(error as Error);
  }
}

const server = createServer(
  {
    ALPNProtocols: ['http/1.1'],
    SNICallback: (name, done) => void tellContext(name, done),
  },
  (socket) => {
    socket.on('error', () => undefined);
    const name = typeof socket.servername === 'string' ? socket.servername : '';
    if (name === '') return void socket.destroy();
    const upstream = connect({ host: name, port: 443, servername: name, rejectUnauthorized: false });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
    return void socket.pipe(upstream).pipe(socket);
  },
);
server.on('tlsClientError', () => undefined);
// Before it listens: whoever waits for the port finds the file.
writeFileSync(join(folder, 'proxy-ca.pem'), authority.cert);
server.listen(8443, '::');
