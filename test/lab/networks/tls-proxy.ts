import { Resolver } from 'node:dns/promises';
// What stands in a company's network and reads along: it ends TLS with certificates of its own authority, and goes on with the host that
// was named. Arguments: the folder where its authority is left ("proxy-ca.pem"), and the resolver that it asks.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, createSecureContext, createServer, type SecureContext } from 'node:tls';
import { makeAuthority } from '../kit/certificates.ts';

const [folder = '', resolverAddress = ''] = process.argv.slice(2);
const authority = await makeAuthority('Example Corp Web Gateway');
const resolver = new Resolver();
resolver.setServers([resolverAddress]);
const contexts = new Map<string, Promise<SecureContext>>();

async function makeContext(name: string): Promise<SecureContext> {
  return createSecureContext(await authority.issue([name]));
}

function contextOf(name: string): Promise<SecureContext> {
  const context = contexts.get(name) ?? makeContext(name);
  contexts.set(name, context);
  return context;
}

async function addressOf(name: string): Promise<string | undefined> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return [v4, v6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))[0];
}

const server = createServer(
  {
    ALPNProtocols: ['http/1.1'],
    SNICallback: (name, done) => {
      contextOf(name).then(
        (context) => done(null, context),
        (error: Error) => done(error),
      );
    },
  },
  (socket) => {
    socket.on('error', () => undefined);
    const name = typeof socket.servername === 'string' ? socket.servername : '';
    void addressOf(name).then((host) => {
      if (host === undefined) return socket.destroy();
      const upstream = connect({ host, port: 443, servername: name, rejectUnauthorized: false });
      upstream.on('error', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.on('close', () => socket.destroy());
      return socket.pipe(upstream).pipe(socket);
    });
  },
);
server.on('tlsClientError', () => undefined);
// Whole, or not at all: whoever waits for the file reads it at once.
writeFileSync(join(folder, 'proxy-ca.part'), authority.cert);
server.listen(8443, '::', () => renameSync(join(folder, 'proxy-ca.part'), join(folder, 'proxy-ca.pem')));
