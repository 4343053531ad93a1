import { expect, test } from 'vitest';
import { makeToken } from '../../../shared/token-store/make-token.ts';
import { readToken } from '../../../shared/token-store/read-token.ts';

const { token } = makeToken(
  { name: 'batch', scopes: ['tools'], limits: { scans: { points: 5, windowS: 60 } }, expiresAt: null },
  1,
);

test('a token of ours is read as it was written', () => {
  expect(readToken(JSON.parse(JSON.stringify(token)) as typeof token)).toEqual(token);
});

const foreign: { name: string; change: object }[] = [
  { name: 'scopes as one text, which would contain every scope', change: { scopes: 'tools,reports:read' } },
  { name: 'a scope that is none', change: { scopes: ['admin'] } },
  {
    name: 'a limit without end',
    change: { limits: { scans: { points: Number.POSITIVE_INFINITY, windowS: 1 } } },
  },
  { name: 'an end that is no time', change: { expiresAt: 'never' } },
  { name: 'no account', change: { account: '' } },
];
test.for(foreign)('a document with $name is refused by name', ({ change }) => {
  expect(() => readToken({ ...token, ...change })).toThrow(
    `the token ${token.tokenId} in the store is not valid`,
  );
});
