import type { AnswerRequest } from '../answer/accept-json.ts';
import { answerBadge } from './badge.ts';
import { answerCompareForm, answerComparePage } from './compare-page.ts';
import { answerAsset, plainFiles } from './files.ts';
import { answerHistoryPage } from './history-page.ts';
import { answerField, answerGo, answerHome } from './home.ts';
import { answerConfirm, answerConfirmPage, answerStop, answerStopPage } from './mail-page.ts';
import type { PageServices } from './page-services.ts';
import { asPage } from './problem-page.ts';
import { answerSession, answerSignIn, callersOfPages } from './session-page.ts';
import { answerFilmstrip, answerSharedExport, answerSharedReport, openPages } from './shared-report.ts';
import { answerStart, answerToolPage } from './tool-page.ts';
import { answerWatchForm, answerWatchesPage, answerWatchPage } from './watches-page.ts';

type PageAnswer = (services: PageServices, ...sent: Parameters<AnswerRequest>) => Promise<void>;
type Add = (path: string, answers: { readonly get: AnswerRequest; readonly post?: AnswerRequest }) => void;

/** Pages of other rooms, by their paths. */
type OtherPages = { readonly [path: string]: (services: PageServices) => AnswerRequest };

/** Adds the pages for people, and the badge. @param add adds a route */
export function addPages(apiServices: PageServices, add: Add, others: OtherPages): void {
  const { limits, sessions } = apiServices;
  const callers = callersOfPages(limits.callers, sessions);
  const services = { ...apiServices, limits: { ...limits, callers } };
  const pages = openPages();
  const get = (path: string, answer: AnswerRequest) => add(path, { get: answer });
  const page = (path: string, answer: AnswerRequest, post?: AnswerRequest) =>
    add(path, { get: asPage(services, answer), ...(post ? { post: asPage(services, post) } : {}) });
  const own = (path: string, answer: PageAnswer, post?: PageAnswer) =>
    page(path, (...sent) => answer(services, ...sent), post && ((...sent) => post(services, ...sent)));
  const tool: AnswerRequest = (request, response) => answerToolPage(services, request, response);
  const start: AnswerRequest = (request, response) => answerStart(services, request, response);
  page('/', (request, response) => answerHome(services, request, response));
  page(
    '/go',
    (request, response) => answerGo(services, request, response),
    (request, response) => answerField(services, request, response),
  );
  own('/d/:domain/history', answerHistoryPage);
  for (const path of ['/d/:domain', '/d/:domain/:check', '/u/:check']) page(path, tool, start);
  page('/r/:id', (request, response) => answerSharedReport(services, pages, request, response));
  page('/r/:id/export', (request, response) => answerSharedExport(services, request, response));
  page('/r/:id/filmstrip.svg', (request, response) => answerFilmstrip(services, request, response));
  own('/compare', answerComparePage, answerCompareForm);
  page('/assets/:name', answerAsset);
  own('/session', answerSession, answerSignIn);
  own('/mail/confirm', answerConfirmPage, answerConfirm);
  own('/mail/stop', answerStopPage, answerStop);
  own('/watches', answerWatchesPage);
  own('/watches/:id', answerWatchPage, answerWatchForm);
  for (const [path, answerOf] of Object.entries(others)) page(path, answerOf(services));
  for (const [path, answer] of Object.entries(plainFiles(services))) get(path, answer);
  get('/api/badge/:file', (request, response) => answerBadge(apiServices, request, response));
}
