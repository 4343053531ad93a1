import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SslCode } from '#shared/catalogue/ssl-check/rules';
import { codesBroken } from '#shared/model/verdict';
import { assessSsl } from '../../../worker/checks/ssl-check/assess.ts';
import type { SslEvidence } from '../../../worker/checks/ssl-check/evidence.ts';

const captured: readonly (readonly [file: string, grade: string, broken: readonly SslCode[]])[] = [
  ['nginx-careful', 'A+ 100', ['group-post-quantum-missing']],
  [
    'nginx-defaults-rsa',
    'A- 90',
    ['tls13-missing', 'alpn-h2-missing', 'suite-without-forward-secrecy-offered', 'suite-cbc-offered'],
  ],
  ['nginx-two-certificates', 'T 20', ['certificate-expired', 'group-post-quantum-missing', 'caa-missing']],
  ['nginx-revoked', 'T 20', ['certificate-revoked', 'tls13-missing']],
  ['node-tls10-to-13', 'B 85', ['tls10-offered', 'tls11-offered', 'suite-cbc-offered']],
  ['node-incomplete-chain', 'B 85', ['chain-incomplete']],
  [
    'paper-rc4-sslv3',
    'C 16',
    [
      'sslv3-offered',
      'tls10-offered',
      'tls12-missing',
      'tls13-missing',
      'secure-renegotiation-missing',
      'suite-rc4-offered',
      'suite-3des-offered',
      'suite-without-forward-secrecy-offered',
      'aead-missing',
    ],
  ],
];
test.for(captured)('what was captured of %s is judged as then', ([file, grade, broken]) => {
  const text = readFileSync(new URL(`../../fixtures/ssl-check/${file}.json`, import.meta.url), 'utf8');
  const { verdicts, fields, score } = assessSsl(JSON.parse(text) as SslEvidence);
  expect(codesBroken(verdicts).sort()).toEqual([...broken].sort());
  expect(`${String(fields['sslLabsEquivalent'])} ${score}`).toBe(grade);
});
