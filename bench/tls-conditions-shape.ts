import { createServer } from 'node:https';
import type { TlsOptions } from 'node:tls';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { listen } from '../test/lab/ssl-check/servers.ts';
import type { Issued } from '../test/unit/ssl-check/issue-certificate.ts';
import { type Identities, opener, type PeerServer, pem, type Start } from './tls-peers-servers.ts';

/** Certificates that conditions are made with. */
export type Made = {
  readonly usual: Identities;
  readonly issue: (wishes: {
    readonly key?: 'p384' | 'p521' | 'rsa3072' | 'rsa-pss' | 'p256' | 'rsa2048';
    readonly names?: readonly string[];
    readonly notAfterDays?: number;
    readonly isSelfSigned?: true;
  }) => Issued;
  readonly intermediate: Issued;
  readonly root: Issued;
};

/** A server, and what an expert would say of it before it is run. */
export type Condition = {
  readonly name: string;
  readonly open: (made: Made) => ReturnType<PeerServer['open']>;
  /** By the rating guide; null where there is none. */
  readonly letter: string | null;
  /** Exactly what is broken, but for what most of these servers lack. */
  readonly broken: readonly SslCode[];
  /** Broken or not, by which machine was met. */
  readonly either?: readonly SslCode[];
  /** Further fields of the report. */
  readonly fields?: { readonly [name: string]: unknown };
};

/** Opens a program with the usual certificates, or others. */
export const by =
  (start: Start, identities?: (made: Made) => Identities): Condition['open'] =>
  (made) =>
    opener(start)(identities?.(made) ?? made.usual);
/** One row. */
export const condition = (
  name: string,
  open: Condition['open'],
  letter: string | null,
  broken: readonly SslCode[] = [],
): Condition => ({ name, open, letter, broken });
/** By whose order suites are chosen. */
export const inOwnOrder = (one: Condition): Condition => ({ ...one, fields: { cipherPreference: 'server' } });

/** Other certificates than usual. */
export const two = (
  { usual }: Made,
  rsa: readonly Issued[],
  ecdsa: readonly Issued[] = usual.ecdsa,
): Identities => ({ rsa, ecdsa });
/** Another leaf in place of the usual one. */
export const alone =
  (wishes: Parameters<Made['issue']>[0]) =>
  (made: Made): Identities =>
    two(made, [made.issue(wishes), made.intermediate]);
/** A second certificate of s_server. */
export const secondPair = ['-dcert', 'second.pem', '-dkey', 'second-key.pem', '-dcert_chain', 'above.pem'];
/** A server of Node with HSTS. */
export const node =
  (options: (made: Made) => TlsOptions): Condition['open'] =>
  async (made) => {
    const { rsa } = made.usual;
    const server = createServer(
      { key: rsa[0]?.keyPem ?? '', cert: pem(rsa), ALPNProtocols: ['h2', 'http/1.1'], ...options(made) },
      (_, answer) => answer.setHeader('Strict-Transport-Security', 'max-age=31536000').end('ok'),
    );
    return listen(
      server.on('tlsClientError', () => undefined),
      { address: '127.0.0.1', port: 0 },
    );
  };
/** What careful servers offer. */
export const gcm = ['-cipher', 'ECDHE+AESGCM'];
export const sound = 'ssl_protocols TLSv1.2 TLSv1.3; ssl_ciphers ECDHE+AESGCM;';
