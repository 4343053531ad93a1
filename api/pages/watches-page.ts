import type { Request, Response } from 'express';
import type { Caller } from '#shared/limits/caller';
import { countOf, spanWords } from '#shared/model/counts';
import { Problem } from '#shared/model/problem';
import type { Watch } from '#shared/model/watch';
import { cellTable } from '#shared/render/html/tables';
import { scrollable } from '#shared/render/html/tables';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { timeWords } from '#shared/render/report-words';
import { tellProblem } from '../answer/tell-problem.ts';
import { foreignForm } from '../origins/other-site.ts';
import { admitToken } from '../request/admit.ts';
import { pageOf, readParameters } from '../request/pages.ts';
import { readForm } from '../request/read-json.ts';
import { canSend, pauseByOwner, renewSecretOf, replayOf, sendTest } from '../watches/act.ts';
import { describeTarget, describeWatch, describeWatches } from '../watches/describe.ts';
import { noWatches } from '../watches/feeds.ts';
import { pageParameters, targetParameters } from '../watches/show.ts';
import { findWatch } from '../watches/watch-services.ts';
import { basePathOf, type PageServices, pagePath } from './page-services.ts';
import { renderPage, seeOther, sendPassingPage } from './page.ts';
import { readsHtml } from './problem-page.ts';

/** Answers /watches: those of the account, newest first. */
export const answerWatchesPage = orTellToken(async (services, request, response) => {
  const caller = await admitOwner(services, request, response);
  const page = readParameters(pageParameters, request);
  const found = await services.watches.list(caller.account, { ...page, limit: page.limit + 1 });
  const { shown, next } = pageOf(found, page.limit, ({ createdAt, watchId }) => `${createdAt}-${watchId}`);
  const watches = await describeWatches(services, shown);
  sendPassingPage(response, 200, renderWatches({ base: basePathOf(services.site), watches, next }));
});

/** Answers /watches/{watchId}: where its targets stand, and what it told. */
export const answerWatchPage = orTellToken(async (services, request, response) => {
  const caller = await admitOwner(services, request, response);
  const page = readParameters(targetParameters, request);
  const watch = await findWatch(services, caller, request);
  const { watchId } = watch;
  const found = await services.watches.listTargets(watchId, { limit: page.limit + 1, after: page.before });
  const { shown, next } = pageOf(found, page.limit, ({ target }) =>
    Buffer.from(target).toString('base64url'),
  );
  const html = renderWatch({
    base: basePathOf(services.site),
    watch: await describeWatch(services, watch),
    targets: shown.map(describeTarget),
    next,
  });
  sendPassingPage(response, 200, html);
});

/** Answers a POST of the forms on that page: pauses, goes on, sends a test or an event again, or draws a new secret and shows it this once. */
export async function answerWatchForm(
  services: PageServices,
  request: Request,
  response: Response,
): Promise<void> {
  if (!services.site.reportIds) throw noWatches();
  if (!services.origins.isOwnPage(request.headers)) throw foreignForm();
  const caller = await admitOwner(services, request, response);
  await services.limits.quotas.takeWrites(caller, 1, response);
  const watch = await findWatch(services, caller, request);
  const { act = '', delivery = '' } = await readForm(services.bodies, { request, response, caller }, [
    'act',
    'delivery',
  ]);
  const base = basePathOf(services.site);
  if (act === 'secret')
    return sendPassingPage(response, 200, renderSecret(base, watch, await renewSecretOf(services, watch)));
  const start = Object.hasOwn(acts, act) ? acts[act] : undefined;
  if (!start) throw new Problem('invalid_request', 'act: Give pause, resume, test, replay or secret.');
  await start(services, { caller, watch, delivery, response });
  seeOther(response, `${base}/watches/${watch.watchId}`);
}

type Acted = {
  readonly caller: Caller;
  readonly watch: Watch;
  readonly delivery: string;
  readonly response: Response;
};
type Act = (services: PageServices, acted: Acted) => Promise<unknown>;

const acts: { readonly [name: string]: Act } = {
  pause: (services, { caller, watch }) => pauseByOwner(services, caller, watch, true),
  resume: (services, { caller, watch }) => pauseByOwner(services, caller, watch, false),
  test: (services, { caller, watch, response }) => sendTest(services, caller, watch, response),
  replay: (services, { watch, delivery }) => replayOf(services, watch, delivery),
};

/** Without ids there are none, whatever token is sent. */
async function admitOwner(services: PageServices, request: Request, response: Response): Promise<Caller> {
  if (!services.site.reportIds) throw noWatches();
  return admitToken(services.limits, request, response, 'watch');
}

type PageAnswer = (services: PageServices, request: Request, response: Response) => Promise<void>;

/** The same page; where nobody signs in, as no token is needed for all else, a visitor reads what watches need. */
function orTellToken(answer: PageAnswer): PageAnswer {
  return async (services, request, response) => {
    try {
      await answer(services, request, response);
    } catch (error) {
      const isTold = services.site.isOpen && readsHtml(request);
      if (!isTold || !(error instanceof Problem) || error.code !== 'token_required') throw error;
      tellProblem(services.telemetry, error, response);
      for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
      sendPassingPage(response, 401, renderTokenNeeded(basePathOf(services.site)));
    }
  };
}

function renderTokenNeeded(base: string): string {
  return printWatches(
    base,
    'Watches need a token',
    markup`<h1>Watches need a token</h1>
<p>Everything else here works without one, so there is nothing to sign in to, and this page has no list. A watch belongs to the account of its token, which the API and the command line take.</p>
<p>Ask the operator of this service for a token. The operator makes one with:</p>
<pre><code>diag token create --name watches --scopes tools,reports:read,watch</code></pre>
<p>With the token in <code>DIAG_TOKEN</code>, this begins a watch, and <code>diag watch list</code> shows yours:</p>
<pre><code>diag watch create domain-health example.com --every 1d</code></pre>
<p>Programs use <code>/api/watches</code>: <a href="${base}/docs">the API</a>.</p>
<p><a href="${base}/">Check something</a></p>
`,
  );
}

type Shown = Awaited<ReturnType<typeof describeWatch>>;
type ShownTarget = ReturnType<typeof describeTarget>;
type ShownDelivery = Shown['deliveries'][number];

type WatchesPage = {
  readonly base: string;
  readonly watches: readonly Shown[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
};

/** The page of all watches of an account. */
function renderWatches({ base, watches, next }: WatchesPage): string {
  const rows = watches.map((watch) => [
    markup`<a href="${base}/watches/${watch.watchId}">${nameOf(watch)}</a>`,
    markup`${watch.check}`,
    markup`${watch.targetCount}, every ${spanWords(watch.everySeconds * 1000)}${watch.late === 0 ? nothing : markup`, ${watch.late} overdue`}`,
    markup`${stateOf(watch)}`,
    time(watch.nextAt),
  ]);
  return printWatches(
    base,
    'Your watches',
    markup`<h1>Your watches</h1>
${
  watches.length === 0
    ? markup`<p>There are none. <code>POST /api/watches</code> or <code>diag watch create</code> begins one.</p>
`
    : scrollable('Your watches', cellTable(['Watch', 'Check', 'Targets', 'State', 'Next check'], rows))
}${nextLink(`${base}/watches`, next)}`,
  );
}

type WatchPage = {
  readonly base: string;
  readonly watch: Shown;
  readonly targets: readonly ShownTarget[];
  readonly next: string | null;
};

/** The page of one watch. */
function renderWatch({ base, watch, targets, next }: WatchPage): string {
  const self = `${base}/watches/${watch.watchId}`;
  const { notify, deliveries } = watch;
  return printWatches(
    base,
    nameOf(watch),
    markup`<p class="check"><a href="${base}/watches">Your watches</a></p>
<h1>${nameOf(watch)}</h1>
<p class="facts">${watch.check}, ${countOf(watch.targetCount, 'target')}, every ${spanWords(watch.everySeconds * 1000)}, ${countOf(watch.scansPerDay, 'scan')} a day</p>
<p role="status">${stateOf(watch)}${watch.nextAt === null ? nothing : markup`, next check ${time(watch.nextAt)}`}${watch.late === 0 ? nothing : markup`, ${countOf(watch.late, 'target')} overdue`}</p>
<div class="actions">${watch.paused ? button(self, 'resume', 'Go on') : button(self, 'pause', 'Pause')}${button(self, 'test', 'Send a test')}${notify.webhook === null ? nothing : button(self, 'secret', 'New secret')}</div>
<p class="hint">${tellsWords(notify)}</p>
<section><h2>Targets</h2>
${scrollable(
  'Targets',
  cellTable(
    ['Target', 'State', 'Grade', 'Checked', 'Next check'],
    targets.map((one) => targetRow(base, watch.check, one)),
  ),
)}${nextLink(self, next)}</section>
<section><h2>What it told</h2>
${
  deliveries.length === 0
    ? markup`<p>Nothing yet.</p>
`
    : scrollable(
        'What it told',
        cellTable(
          ['When', 'What', 'Target', 'By', 'State', 'Again'],
          deliveries.map((one) => deliveryRow(self, notify, one)),
        ),
      )
}</section>
`,
  );
}

/** The page that shows a new secret, this once. */
function renderSecret(base: string, { watchId }: Pick<Watch, 'watchId'>, secret: string): string {
  return printWatches(
    base,
    'The new secret',
    markup`<h1>The new secret</h1>
<p>Webhooks of this watch are signed with it. It is shown only now. The old one signs beside it for a day.</p>
<pre><code>${secret}</code></pre>
<p><a href="${base}/watches/${watchId}">Back to the watch</a></p>
`,
  );
}

function printWatches(base: string, title: string, main: Markup): string {
  return renderPage({
    base,
    title: `${title}: Diagnostic Tools`,
    description: 'Checks of some targets on a schedule.',
    main,
  });
}

function nameOf({ label, check, watchId }: Pick<Shown, 'label' | 'check' | 'watchId'>): string {
  return label ?? `${check} ${watchId.slice(0, 8)}`;
}

const pausedWords: Readonly<Record<NonNullable<Shown['pausedReason']>, string>> = {
  owner: 'Paused',
  'webhook-gone': 'Paused: the webhook answered 410',
  'token-revoked': 'Paused: the account had no live token for it',
  'target-refused': 'Paused: a target is not checked any more',
};

function stateOf({ pausedReason }: Pick<Shown, 'pausedReason'>): string {
  return pausedReason === null ? 'Active' : pausedWords[pausedReason];
}

/** The origin of a webhook alone: its path may be a secret. */
function tellsWords({ webhook, email, minSeverity }: Shown['notify']): string {
  const places = [
    ...(webhook === null ? [] : [`the webhook at ${new URL(webhook.url).host}`]),
    ...(email === null ? [] : [email.to]),
    'the feed',
  ];
  return `Tells ${places.join(', ')}: news of severity ${minSeverity} or worse.`;
}

function targetRow(base: string, check: string, one: ShownTarget): readonly Markup[] {
  const { target, state, grade, score, checkedAt, nextAt, problem, reportId } = one;
  const result = score === null ? '–' : `${grade ?? ''} ${score}`;
  return [
    markup`<a href="${base}${pagePath(check, target)}"><bdi>${target}</bdi></a>`,
    markup`${problem === null ? state : `${state} (${problem})`}`,
    reportId === null ? markup`${result}` : markup`<a href="${base}/r/${reportId}">${result}</a>`,
    time(checkedAt),
    time(nextAt),
  ];
}

function deliveryRow(self: string, notify: Shown['notify'], one: ShownDelivery): readonly Markup[] {
  const { createdAt, type, target, channel, state, attempts, failure } = one;
  const why = failure === null ? '' : `: ${failure}`;
  return [
    time(createdAt),
    markup`${type.replace('watch.', '')}`,
    target === null ? markup`–` : markup`<bdi>${target}</bdi>`,
    markup`${channel}`,
    markup`${state}${attempts > 1 ? `, ${countOf(attempts, 'attempt')}` : ''}${why}`,
    canSend(notify, one) ? replayForm(self, one) : markup`–`,
  ];
}

function replayForm(self: string, { deliveryId, type, createdAt }: ShownDelivery): Markup {
  const about = `Send again: ${type.replace('watch.', '')} of ${timeWords(createdAt)}`;
  return markup`<form action="${self}" method="post"><input type="hidden" name="act" value="replay"><input type="hidden" name="delivery" value="${deliveryId}"><button class="plain" type="submit" aria-label="${about}">Send again</button></form>`;
}

function button(self: string, act: string, words: string): Markup {
  return markup`<form action="${self}" method="post"><input type="hidden" name="act" value="${act}"><button type="submit">${words}</button></form>`;
}

function time(at: string | null): Markup {
  return at === null ? markup`–` : markup`<time datetime="${at}">${timeWords(at)}</time>`;
}

function nextLink(self: string, next: string | null): Markup {
  return next === null
    ? nothing
    : markup`<p><a href="${self}?before=${next}">More</a></p>
`;
}
