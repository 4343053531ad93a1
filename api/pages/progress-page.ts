import type { Response } from 'express';
import { categoryNames } from '#shared/catalogue/domain-health/weights';
import type { JobState, PartProgress } from '#shared/ports/job-queue';
import { checkWords } from '#shared/render/check-words';
import { categoryWords } from '#shared/render/health';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { clip } from '#shared/render/visible-text';
import { noteSubject } from '../request/request-log.ts';
import { findJob } from '../tools/find-job.ts';
import { mainCheck, withParameter } from './addresses.ts';
import { renderPage } from './layout.ts';
import { basePathOf, type PageDesk } from './page-desk.ts';
import { startForm } from './report-page.ts';
import { seeOther, sendPassingPage } from './send-page.ts';
import type { Visit } from './visit.ts';

const refreshS = 3;
const longestCurrent = 120;

/** Answers a page with `job`: how far it is, by the script or by a refresh; once it has ended, the page of its report. */
export async function answerProgress(
  { runs, site }: PageDesk,
  visit: Visit,
  jobId: string,
  response: Response,
): Promise<void> {
  const state = await findJob(runs.jobQueue, jobId, visit.ask.owner);
  const base = basePathOf(site);
  if (state.state === 'expired') return sendPassingPage(response, 200, expiredPage(visit, base));
  if (state.state !== 'waiting' && state.state !== 'running') return seeOther(response, visit.self);
  noteSubject(response, { jobId });
  response.setHeader('Retry-After', refreshS);
  sendPassingPage(response, 202, progressPage(visit, base, { jobId, state }));
}

type Going = { readonly jobId: string; readonly state: Extract<JobState, { state: 'waiting' | 'running' }> };

function progressPage(visit: Visit, base: string, { jobId, state }: Going): string {
  const { self, spec, ask } = visit;
  const name = checkWords[spec.name]?.name ?? spec.name;
  const again = withParameter(self, 'job', jobId);
  const refresh = markup`<meta http-equiv="refresh" content="${refreshS}; url=${again}">`;
  const isAsked = visit.caller.kind === 'anonymous';
  const asks = isAsked ? markup` data-job="${base}/api/jobs/${jobId}" data-self="${self}"` : nothing;
  const hint = markup`<p>This page loads itself again every ${refreshS} seconds until the report is there.</p>`;
  return renderPage({
    base,
    title: `Checking ${ask.target}`,
    description: `${name} is running.`,
    // Where scripts run, the script asks, and nothing is loaded twice; the API, which it asks, knows no session.
    head: isAsked
      ? markup`<noscript>${refresh}</noscript>
`
      : refresh,
    main: markup`<p class="check">${name}</p>
<h1>Checking <bdi>${ask.target}</bdi></h1>
<div class="going"${asks}>
<progress aria-label="Progress" max="${barOf(state).max}" value="${barOf(state).value}"></progress>
<p id="state" role="status">${describe(state)}</p>
<ul class="parts" id="parts">${partsOf(state).map(({ name, state: of }) => markup`<li data-state="${of}"><b>${partNames[name] ?? clip(name, longestCurrent)}</b> <span>${partStates[of]}</span></li>`)}</ul></div>
${isAsked ? markup`<noscript>${hint}</noscript>` : hint}
<p class="hint">You can leave: the check goes on, and <a href="${self}">its page</a> shows the report then.</p>
`,
  });
}

function barOf(state: Going['state']) {
  if (state.state === 'waiting') return { value: 0, max: 1 };
  const max = Math.max(1, state.progress.total);
  return { value: Math.min(max, state.progress.done), max };
}

function describe(state: Going['state']): Markup {
  if (state.state === 'waiting')
    return state.position <= 1
      ? markup`Waiting for its turn: next in line.`
      : markup`Waiting for its turn: place ${state.position} in line.`;
  const { done, total, current } = state.progress;
  if (total <= 1 && current === '') return markup`Started.`;
  const percent = Math.floor((100 * Math.min(done, total)) / Math.max(1, total));
  return markup`${percent} %${current === '' ? '' : `: ${clip(current, longestCurrent)}`}`;
}

/** What a visitor reads of each part of a domain-health, and of how it stands. */
const partNames: { readonly [name: string]: string } = categoryWords;
const partStates = {
  waiting: 'waits for its turn',
  running: 'asking',
  done: 'judged',
  failed: 'came to no end',
} as const;

/** Before it runs, a domain-health has parts that wait. */
function partsOf(state: Going['state']): readonly PartProgress[] {
  const told = state.state === 'running' ? (state.progress.parts ?? []) : [];
  if (told.length > 0) return told;
  const isOfParts = state.job.check === mainCheck;
  return isOfParts ? categoryNames.map((name) => ({ name, state: 'waiting' })) : [];
}

function expiredPage(visit: Visit, base: string): string {
  return renderPage({
    base,
    title: `Not checked: ${visit.ask.target}`,
    description: 'The turn of this check did not come in time.',
    main: markup`<h1>Its turn did not come in time</h1>
<p>Too many checks were waiting, and this one was given up. Nothing was asked of <bdi>${visit.ask.target}</bdi>.</p>
${startForm(visit, 'Try again')}`,
  });
}
