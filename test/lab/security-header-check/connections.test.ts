import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { gatherHeaders } from '../../../worker/checks/security-header-check/gather.ts';
import { httpLimits } from '../../../worker/probes/http/settings.ts';
import type { Patience } from '../../../worker/probes/http/shared-connections.ts';
import { openLab } from '../kit/lab.ts';
import { prepareLabProbes } from '../kit/probes.ts';

/** What a check asks of a site with a page, beside its http address. */
const questions = 8;
let seen: Socket[] = [];
let held: (() => void)[] = [];

/** Notes the connection of each request. */
const noting =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    seen.push(request.socket);
    return answer(request, response);
  };
const small: RequestListener = ({ url }, response) =>
  response.writeHead(url === '/' ? 200 : 404, { 'content-type': 'text/html' }).end('<p>page');

const lab = await openLab({
  sites: {
    'https://quick.test': noting(small),
    'https://hasty.test': noting((request, response) => {
      // It gives up each connection behind its first answer, and does not say so.
      if (seen.filter((socket) => socket === request.socket).length > 1) return request.socket.destroy();
      return small(request, response);
    }),
    'https://slow.test': noting((request, response) => {
      held.push(() => small(request, response));
      // The last one, with the page's own origin, comes once the others of its kind are answered.
      if (seen.length >= questions - 1) for (const answer of held.splice(0)) answer();
    }),
  },
});
afterEach(() => {
  seen = [];
  held = [];
});
afterAll(async () => {
  await lab.close();
});

const config = lab.config();
const prepare = (patience: Patience) => prepareLabProbes(config, { http: { ...httpLimits, patience } });
const long: Patience = { answerMs: 8000, connectionMs: 8000 };
const short: Patience = { answerMs: 1, connectionMs: 8000 };

/** Looks as a visit does, whose requests are patient. */
async function look(host: string, patience: Patience) {
  const probes = prepare(patience);
  const opened = probes.open(AbortSignal.timeout(10_000));
  const target = `https://${host}/`;
  try {
    return await gatherHeaders({
      target,
      options: {},
      probes: { ...opened, http: { ask: (request) => opened.http.ask({ ...request, isPatient: true }) } },
      progress: () => undefined,
    });
  } finally {
    opened.close();
    probes.close();
  }
}

const outcomes = ({ https, cors, files }: Awaited<ReturnType<typeof gatherHeaders>>) => [
  https.end.kind,
  ...cors.map(({ kind }) => kind),
  files?.securityTxt.wellKnown.kind,
  files?.securityTxt.legacy.kind,
  files?.robots.kind,
];
const allAnswered = Array.from({ length: questions }, () => 'answered');

test('a site is asked over two connections', async () => {
  expect(outcomes(await look('quick.test', long))).toEqual(allAnswered);
  expect([seen.length, new Set(seen).size]).toEqual([questions, 2]);
});

test('what a closed connection swallows is asked again over a new one', async () => {
  expect(outcomes(await look('hasty.test', long))).toEqual(allAnswered);
  expect(new Set(seen).size).toBe(questions);
});

test('a site that answers nothing until all was asked gets a connection for each question', async () => {
  expect(outcomes(await look('slow.test', short))).toEqual(allAnswered);
  // The last one finds an open connection.
  expect(new Set(seen).size).toBe(questions - 1);
});
