import type { AnswerRequest } from '../request/accept-json.ts';
import { answerAsset } from './assets.ts';
import { answerBadge } from './badge.ts';
import { answerCompareForm, answerComparePage } from './compare-page.ts';
import { answerDocsOf } from './docs/docs-page.ts';
import { answerFilmstrip } from './filmstrip.ts';
import { answerField, answerGo, answerHome } from './home.ts';
import { answerConfirm, answerConfirmPage, answerStop, answerStopPage } from './mail-page.ts';
import type { PageDesk } from './page-desk.ts';
import { plainFiles } from './plain-files.ts';
import { asPage } from './problem-page.ts';
import { answerSession, answerSignIn, callersOfPages } from './session-page.ts';
import { answerSharedExport, answerSharedReport, openPages } from './shared-report.ts';
import { answerStart, answerToolPage } from './tool-page.ts';

type Add = (path: string, answers: { readonly get: AnswerRequest; readonly post?: AnswerRequest }) => void;

/** Adds the pages for people, and the badge. @param add adds a route */
export function addPages(apiDesk: PageDesk, add: Add): void {
  const { admission, sessions } = apiDesk;
  const callers = callersOfPages(admission.callers, sessions);
  const desk = { ...apiDesk, admission: { ...admission, callers } };
  const pages = openPages();
  const get = (path: string, answer: AnswerRequest) => add(path, { get: answer });
  const page = (path: string, answer: AnswerRequest, post?: AnswerRequest) =>
    add(path, { get: asPage(desk, answer), ...(post ? { post: asPage(desk, post) } : {}) });
  const tool: AnswerRequest = (request, response) => answerToolPage(desk, request, response);
  const start: AnswerRequest = (request, response) => answerStart(desk, request, response);
  page('/', (request, response) => answerHome(desk, request, response));
  page(
    '/go',
    (request, response) => answerGo(desk, request, response),
    (request, response) => answerField(desk, request, response),
  );
  for (const path of ['/d/:domain', '/d/:domain/:check', '/u/:check']) page(path, tool, start);
  page('/r/:id', (request, response) => answerSharedReport(desk, pages, request, response));
  page('/r/:id/export', (request, response) => answerSharedExport(desk, request, response));
  page('/r/:id/filmstrip.svg', (request, response) => answerFilmstrip(desk, request, response));
  page(
    '/compare',
    (request, response) => answerComparePage(desk, request, response),
    (request, response) => answerCompareForm(desk, request, response),
  );
  page('/assets/:name', answerAsset);
  page(
    '/session',
    (request, response) => answerSession(desk, request, response),
    (request, response) => answerSignIn(desk, request, response),
  );
  page(
    '/mail/confirm',
    (request, response) => answerConfirmPage(desk, request, response),
    (request, response) => answerConfirm(desk, request, response),
  );
  page(
    '/mail/stop',
    (request, response) => answerStopPage(desk, request, response),
    (request, response) => answerStop(desk, request, response),
  );
  page('/docs', answerDocsOf(desk));
  for (const [path, answer] of Object.entries(plainFiles(desk))) get(path, answer);
  get('/api/badge/:file', (request, response) => answerBadge(apiDesk, request, response));
}
