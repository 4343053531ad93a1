import { expect, test } from 'vitest';
import type {
  ClientObservation,
  HandshakeObservation,
  SslEvidence,
} from '../../../worker/checks/ssl-check/evidence.ts';
import { judgeHelloSize } from '../../../worker/checks/ssl-check/facts/hello-size.ts';
import { clientProfiles, hybridGroup } from '../../../worker/checks/ssl-check/grammar/client-profiles.ts';
import { accepts, connected, evidenceOf, failed, question, refused, stopped } from './evidence-of.ts';

const late: HandshakeObservation = { offer: 'modern', handshake: failed('', 'tls-timeout') };
const short: HandshakeObservation = { offer: 'small', handshake: connected() };
const told = (isLarge: boolean, ...answers: ClientObservation['answer'][]): ClientObservation[] => {
  const fitting = clientProfiles.filter(({ keysFor }) => keysFor.includes(hybridGroup) === isLarge);
  const hellos = [...new Set(fitting.map(({ hello }) => hello))];
  return answers.map((answer, at) => ({ hello: hellos[at] ?? '', version: null, answer }));
};
const silent = { kind: 'silent' } as const;
const tls12 = (...suites: number[]) => [
  question(
    'TLSv1.2',
    'sound',
    suites.map((suite) => accepts(suite)),
  ),
];

type Case = readonly [name: string, seen: Partial<SslEvidence>, verdict: 'holds' | 'broken' | 'notTested'];

test.for<Case>([
  [
    'one of five large ones was late',
    { handshakes: [late, short], clients: told(true, accepts(0x1301), accepts(0x1301)) },
    'holds',
  ],
  [
    'the first was taken',
    { handshakes: [{ offer: 'modern', handshake: connected() }], clients: [] },
    'holds',
  ],
  [
    'two large ones fail, two short ones pass',
    { handshakes: [late, short], clients: [...told(true, refused()), ...told(false, accepts(0x1301))] },
    'broken',
  ],
  [
    'all large ones are silent, TLS 1.2 answers',
    { handshakes: [late, short], clients: told(true, silent), questions: tls12(0xc02b) },
    'broken',
  ],
  [
    'one large one alone was tried',
    { handshakes: [late, short], clients: told(false, accepts(0x1301)), questions: [] },
    'notTested',
  ],
  [
    'one short one alone passed',
    { handshakes: [late, short], clients: told(true, refused()), questions: [] },
    'notTested',
  ],
  [
    'what we stopped was not tried',
    {
      handshakes: [late, short],
      clients: [...told(true, stopped), ...told(false, accepts(0x1301))],
      questions: [],
    },
    'notTested',
  ],
  [
    'nothing passes',
    { handshakes: [late], clients: [...told(true, refused()), ...told(false, refused())], questions: [] },
    'notTested',
  ],
])('%s', ([, seen, verdict]) => {
  const found = judgeHelloSize(evidenceOf({ questions: [], ...seen }));
  expect(typeof found === 'string' ? found : Object.keys(found)[0]).toBe(verdict);
});
