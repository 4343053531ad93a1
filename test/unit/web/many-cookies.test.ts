import { expect, test } from 'vitest';
import { maskHeaders } from '../../../worker/web/mask-credentials.ts';

test('of 182 cookies the last 180 are kept, and all other lines', () => {
  const cookies = Array.from({ length: 182 }, (_, index) => ['Set-Cookie', `n${index}=v`] as const);
  const kept = maskHeaders([['Server', 'a'], ...cookies, ['Vary', 'Accept']], 'https://a.test/');
  const names = kept.map(([name, value]) => (name === 'Set-Cookie' ? value.split('=')[0] : name));
  expect(names).toEqual(['Server', ...Array.from({ length: 180 }, (_, index) => `n${index + 2}`), 'Vary']);
});
