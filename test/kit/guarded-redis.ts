import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RedisOptions } from 'ioredis';
import { makeAuthority } from '../lab/kit/certificates.ts';

/** What Redis servers are started with that speak only TLS, to users with passwords; and what their clients need. */
export type Guard = {
  readonly folder: string;
  /** The PEM file of the authority that issued the servers' certificate. */
  readonly authorityFile: string;
  /** The service's user, and one that may do everything; the second also replicates. */
  readonly users: Readonly<Record<'diag' | 'admin', string>>;
  /** Settings of a server on this port. */
  settings(port: number): Readonly<Record<string, string | number>>;
  /** How a test connects as the administrator. */
  readonly access: RedisOptions;
  /** Words with which redis-cli does. */
  readonly clientWords: readonly string[];
  remove(): void;
};

/** The rights of the service's user in a cluster, as docs/operating.md tells them. */
const rights =
  '~diag:* ~{diag:* resetchannels &diag:* +@all -@admin -@dangerous +info +config|get +cluster|slots +cluster|info';

/** Makes an authority, a certificate for these names and a file of users. @param names what clients call the servers by */
export async function makeGuard(names: readonly string[]): Promise<Guard> {
  const folder = mkdtempSync(join(tmpdir(), 'diag-guarded-redis-'));
  const authority = await makeAuthority();
  const { key, cert } = await authority.issue(names);
  const place = (name: string) => join(folder, name);
  // Passwords that must be encoded in a URL.
  const users = { diag: 'd/i@a:g %1', admin: 'admin-word' };
  const lines = [
    'user default off',
    `user diag on #${hash('sha256', users.diag)} resetkeys ${rights}`,
    `user admin on #${hash('sha256', users.admin)} ~* &* +@all`,
  ];
  const files = { key, cert, authority: authority.cert, users: `${lines.join('\n')}\n` };
  for (const [name, text] of Object.entries(files)) writeFileSync(place(name), text);
  return {
    folder,
    authorityFile: place('authority'),
    users,
    settings: (port) => ({
      port: 0,
      'tls-port': port,
      'tls-auth-clients': 'no',
      'tls-replication': 'yes',
      'tls-cert-file': place('cert'),
      'tls-key-file': place('key'),
      'tls-ca-cert-file': place('authority'),
      aclfile: place('users'),
      masteruser: 'admin',
      masterauth: users.admin,
    }),
    access: {
      username: 'admin',
      password: users.admin,
      tls: { ca: authority.cert, servername: 'localhost' },
    },
    clientWords: ['--tls', '--cacert', place('authority'), '--user', 'admin', '--pass', users.admin],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
