import { createServer } from 'node:http';
import express from 'express';
import { expect, test, vi } from 'vitest';
import { Problem, type ProblemCode, problems } from '#shared/model/problem';
import { answerProblemOf } from '../../api/answer/json.ts';

type Line = { readonly level: string; readonly message: string; readonly fields: Record<string, unknown> };

/** Answers each of these once, in order, over HTTP; gives the lines that the log has of it. */
async function linesOf(thrown: readonly Problem[]): Promise<{ statuses: number[]; lines: Line[] }> {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: { ...fields } });
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const answerProblem = answerProblemOf({ log, metrics: undefined, tracing: undefined }, '');
  const left = [...thrown];
  const app = express();
  app.use((request, response) => answerProblem(left.shift(), request, response));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const statuses: number[] = [];
  for (let asked = thrown.length; asked > 0; asked -= 1)
    statuses.push((await fetch(`http://127.0.0.1:${port}/`)).status);
  await new Promise((resolve) => server.close(resolve));
  return { statuses, lines };
}

const codes = (Object.keys(problems) as ProblemCode[]).filter((code) => problems[code].status === 503);

test.for(codes)('%s: a hundred answers have one line, which names the cause', async (code) => {
  const cause = new Error('the reason');
  const refused = Array.from({ length: 100 }, () => new Problem(code, 'Not now.', { cause }));
  const { statuses, lines } = await linesOf(refused);
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(lines).toMatchObject([
    {
      level: code === 'shutting_down' ? 'info' : 'warn',
      message: 'requests are refused',
      fields: { problem: code, detail: 'Not now.', err: cause },
    },
  ]);
});

test('each reason of a code has its line; the host that it names makes no further one', async () => {
  const { lines } = await linesOf([
    new Problem('overloaded', 'This process is busy beyond its measure.'),
    ...Array.from({ length: 50 }, (_, n) => new Problem('overloaded', `Too many checks of t${n}.test wait.`)),
  ]);
  expect(lines.map(({ fields }) => fields['detail'])).toEqual([
    'This process is busy beyond its measure.',
    'Too many checks of t0.test wait.',
  ]);
});

test('the same again a minute later has a line again', async () => {
  vi.spyOn(performance, 'now').mockImplementation(
    (
      (at = 0) =>
      () =>
        (at += 61_000)
    )(),
  );
  const { lines } = await linesOf([new Problem('overloaded', 'Busy.'), new Problem('overloaded', 'Busy.')]);
  vi.restoreAllMocks();
  expect(lines).toHaveLength(2);
});

test('what is no 503 has no line', async () => {
  const { lines } = await linesOf([new Problem('not_found', 'Nothing.')]);
  expect(lines).toEqual([]);
});
