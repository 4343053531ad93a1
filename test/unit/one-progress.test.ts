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
        { name: 'dns', state: 'done', grade: 'B' },
        { name: 'ssl', state: 'running' },
        { name: 'headers', state: 'waiting' },
      ],
    },
    text: '40 %  TLS and Headers are being checked',
  },
  {
    progress: {
      kind: 'running',
      done: 80,
      total: 100,
      current: '',
      parts: [
        { name: 'dns', state: 'done' },
        { name: 'performance', state: 'running' },
      ],
      soFar: { score: 84, grade: 'B', coverage: 0.85 },
    },
    text: '80 %  B so far, speed is being measured',
  },
] as const)('$text', ({ progress, text }) => {
  expect(oneText(progress)).toBe(text);
});
