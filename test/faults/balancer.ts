import { Agent, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Member } from './fleet.ts';

/** A load balancer as an operator has one: it looks at /readyz only now and then, keeps connections open, and tries no request twice. */
export type Balancer = {
  readonly url: string;
  /** Adds a process; it gets requests from the next look on. */
  add(member: Member): void;
  remove(member: Member): void;
  /** True once the last look found it ready. */
  has(member: Member): boolean;
  close(): Promise<void>;
};

/** Opens it. @param lookEveryMs how long it takes to notice that a process came or goes, at most */
export async function openBalancer(lookEveryMs: number): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const known = new Set<Member>();
  let ready: readonly Member[] = [];
  let turn = 0;
  const look = async () => {
    const all = [...known];
    const states = await Promise.all(all.map(isReady));
    ready = all.filter((member, index) => states[index] && known.has(member));
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  const server = createServer((incoming, outgoing) => {
    turn += 1;
    const member = ready[turn % Math.max(1, ready.length)];
    if (!member) return refuse(outgoing, 'no process is ready');
    const { method, url: path, headers } = incoming;
    const forwarded = request(new URL(path ?? '/', member.url), { method, headers, agent }, (answer) => {
      // What is said of one connection is not true of the other (RFC 9110 §7.6.1).
      const { connection: _connection, 'keep-alive': _keepAlive, ...fields } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, fields);
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    });
    forwarded.once('error', (error: NodeJS.ErrnoException) => {
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, error.code ?? error.message);
    });
    outgoing.once('close', () => forwarded.destroy());
    forwarded.end();
  });
  // Longer than a test: nobody's idle connection is closed when it is used again.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (member) => void known.add(member),
    remove: (member) => void known.delete(member),
    has: (member) => ready.includes(member),
    async close() {
      clearInterval(timer);
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(outgoing: ServerResponse, why: string): void {
  outgoing.writeHead(502, { 'content-type': 'application/json' }).end(JSON.stringify({ code: why }));
}

function isReady({ adminUrl }: Member): Promise<boolean> {
  return fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    (answer) => answer.ok,
    () => false,
  );
}
