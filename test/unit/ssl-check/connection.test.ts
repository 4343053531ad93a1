import { expect, test } from 'vitest';
import { type ConnectionCode, connectionRules } from '#shared/catalogue/ssl-check/rules/connection';
import { codesOf } from '#shared/model/verdict';
import { readFacts } from '../../../worker/checks/ssl-check/facts/facts.ts';
import { findObstacle, judgeConnection } from '../../../worker/checks/ssl-check/judge/connection.ts';
import { evidenceOf } from './evidence-of.ts';

const facts = readFacts(evidenceOf());
const rows: readonly (readonly [obstacle: ConnectionCode, holds: readonly ConnectionCode[]])[] = [
  ['target-not-allowed', []],
  ['name-not-found', ['target-not-allowed']],
  ['name-unresolved', ['target-not-allowed']],
  ['target-address-not-allowed', ['target-not-allowed', 'name-not-found', 'name-unresolved']],
  [
    'connection-refused',
    ['target-not-allowed', 'name-not-found', 'name-unresolved', 'target-address-not-allowed'],
  ],
  [
    'tls-alert',
    [
      'target-not-allowed',
      'name-not-found',
      'name-unresolved',
      'target-address-not-allowed',
      'connection-refused',
      'connection-timeout',
    ],
  ],
];

test.for(rows)('%s: what was not come to does not hold', ([code, holds]) => {
  const verdicts = judgeConnection(facts, { code, shown: {} });
  const held = codesOf(verdicts).filter((one) => verdicts[one] === 'holds');
  expect(held).toEqual(holds);
});

test('a server that answers in TLS has come through every step', () => {
  const verdicts = judgeConnection(facts, findObstacle(facts));
  expect(verdicts).toEqual(Object.fromEntries(Object.keys(connectionRules).map((code) => [code, 'holds'])));
});
