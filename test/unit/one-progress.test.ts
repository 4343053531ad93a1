import { expect, test } from 'vitest';
import { oneText } from '../../cli/progress.ts';

test.for([
  { progress: { kind: 'waiting', position: 3 }, text: 'Waiting for its turn: place 3 in line.' },
  { progress: { kind: 'paced', waitMs: 2400 }, text: 'Waiting 3 s for the service.' },
  { progress: { kind: 'running', done: 3, total: 8, current: 'a.test' }, text: '37 %  a.test' },
  {
    progress: {
      kind: 'running',
      done: 40,
      total: 100,
      current: 'a.test',
      parts: [
        { name: 'dns', state: 'done' },
        { name: 'ssl', state: 'running' },
        { name: 'new', state: 'odd' },
      ],
    },
    text: '40 %  DNS judged, TLS asking, new odd',
  },
] as const)('$text', ({ progress, text }) => {
  expect(oneText(progress)).toBe(text);
});
