import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, drawToken, hintOf, isTokenText } from '#shared/stores/tokens/token-text';

test('a drawn token has its form and checksum, and no two are equal', () => {
  const drawn = Array.from({ length: 1000 }, drawToken);
  expect(new Set(drawn).size).toBe(1000);
  for (const text of drawn) {
    expect(text).toMatch(/^dtk_[0-9A-Za-z]{36}$/);
    expect(isTokenText(text)).toBe(true);
    expect(hintOf(text)).toBe(`dtk_…${text.slice(-4)}`);
    expect(digestOf(text)).toMatch(/^[\w-]{43}$/);
  }
});

test('any one changed sign is noticed', () => {
  const text = drawToken();
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 39 }),
      fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z'),
      (at, sign) => {
        const changed = text.slice(0, at) + sign + text.slice(at + 1);
        expect(isTokenText(changed)).toBe(changed === text);
      },
    ),
  );
});

test('other texts are none', () => {
  for (const text of [
    '',
    'dtk_',
    'dtk_wrong',
    `${drawToken()} `,
    drawToken().slice(1),
    `x${drawToken()}`,
    '__proto__',
  ])
    expect(isTokenText(text)).toBe(false);
});
