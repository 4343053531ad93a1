import { expect, test } from 'vitest';
import { openHostCheck } from '#shared/lifecycle/known-host';

const loopback = '127.0.0.1';
const everywhere = '0.0.0.0';
const ours = 'https://diag.test/check';

const cases: {
  readonly listens: string;
  readonly publicUrl?: string;
  readonly known: readonly (string | undefined)[];
  readonly foreign: readonly (string | undefined)[];
}[] = [
  {
    listens: loopback,
    known: [
      'localhost',
      'LOCALHOST:3000',
      'localhost.',
      'a.localhost:1',
      '127.0.0.1',
      '127.1.2.3:80',
      '[::1]:80',
    ],
    foreign: [
      'evil.test',
      'localhost.evil.test',
      'notlocalhost',
      '192.0.2.1',
      '[2001:db8::1]',
      undefined,
      '',
    ],
  },
  { listens: '::1', known: ['localhost', '[::1]'], foreign: ['evil.test'] },
  { listens: 'localhost', known: ['localhost'], foreign: ['evil.test'] },
  {
    listens: everywhere,
    known: [
      'localhost:3000',
      '192.0.2.1',
      '10.0.0.1:3000',
      '[2001:db8::1]:3000',
      '[::ffff:192.0.2.1]',
      undefined,
    ],
    foreign: [
      'evil.test',
      'diag.test:3000',
      'api',
      'a b',
      '192.0.2.1.evil.test',
      '[::1',
      '1.2.3',
      '0x7f.1',
      'a:b:c',
    ],
  },
  {
    listens: loopback,
    publicUrl: ours,
    known: ['diag.test', 'Diag.Test.:443', 'localhost'],
    foreign: ['evil.test'],
  },
  // A proxy may have put its own name for us there.
  { listens: everywhere, publicUrl: ours, known: ['diag.test', 'api:3000', 'localhost'], foreign: [] },
];
test.for(cases)(
  'a listener on $listens with PUBLIC_URL $publicUrl',
  ({ listens, publicUrl, known, foreign }) => {
    const isKnown = openHostCheck({ host: listens, publicUrl });
    for (let round = 0; round < 2; round += 1) {
      expect(known.filter((host) => !isKnown(host))).toEqual([]);
      expect(foreign.filter((host) => isKnown(host))).toEqual([]);
    }
  },
);
