import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { readCertificate } from '../../../worker/certificates/certificate.ts';
import type { Issued } from '../../unit/ssl-check/issue-certificate.ts';

/** A TLSA record as the name server of a lab has it, and whose it is. */
export type LabRecord = {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  readonly certificate: Buffer;
  readonly of: string;
};

/** A record of a certificate, or of its key. */
export function recordOf(usage: number, selector: number, matchingType: number, of: Issued): LabRecord {
  const data =
    selector === 0 ? of.der : Buffer.from(readCertificate(of.base64)?.extensions.publicKeyInfo ?? []);
  const certificate =
    matchingType === 0
      ? data
      : createHash(matchingType === 1 ? 'sha256' : 'sha512')
          .update(data)
          .digest();
  return { usage, selector, matchingType, certificate, of: of.subject };
}

/** "3 1 1 of mx.mail.test". */
export function describeRecord({ usage, selector, matchingType, of }: LabRecord): string {
  return `${usage} ${selector} ${matchingType} of ${of}`;
}

/** What OpenSSL makes of the records as a mail client: names do not count for usage 3 (RFC 7672 §3.1.1). */
export async function askOpenssl(
  { at, port }: { readonly at: string; readonly port: number },
  records: readonly LabRecord[],
): Promise<'ok' | 'mismatch'> {
  const rrs = records.flatMap(({ usage, selector, matchingType, certificate }) => [
    '-dane_tlsa_rrdata',
    `${usage} ${selector} ${matchingType} ${certificate.toString('hex')}`,
  ]);
  const args = [
    's_client',
    '-starttls',
    'smtp',
    '-connect',
    `${at}:${port}`,
    '-dane_tlsa_domain',
    'mx.mail.test',
    '-dane_ee_no_namechecks',
    ...rrs,
  ];
  const asked = promisify(execFile)('openssl', args, { timeout: 60_000 });
  asked.child.stdin?.end('QUIT\r\n');
  const { stdout } = await asked.catch((error: unknown) => error as { stdout: string });
  // Where there was no handshake at all it prints "Verification: OK" as well.
  return /^DANE TLSA \d .* at depth \d/m.test(stdout) && /^Verification: OK/m.test(stdout)
    ? 'ok'
    : 'mismatch';
}
