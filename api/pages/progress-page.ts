import type { Response } from 'express';
import { categoryNameOf } from '#shared/catalogue/domain-health/category-words';
import { categoryNames } from '#shared/catalogue/domain-health/weights';
import type { JobState } from '#shared/ports/job-queue';
import { titleOfTarget } from '#shared/render/html/page';
import { checkWords } from '#shared/render/labels';
import { type Markup, markup, nothing } from '#shared/render/markup';
import { severityWords } from '#shared/render/report-words';
import { type PartSoFar, soFarText } from '#shared/render/so-far';
import { clip, cut } from '#shared/render/visible-text';
import type { ProgressSoFar } from '../ask/so-far.ts';
import { noteSubject } from '../request/request-log.ts';
import { findJob } from '../tools/answer-job.ts';
import { basePathOf, mainCheck, type PageServices, withParameter } from './page-services.ts';
import { renderPage, seeOther, sendPassingPage } from './page.ts';
import { startForm, type Visit } from './visit.ts';

const refreshS = 3;
const longestText = 500;

/** Answers a page with `job`: how far it is and what is known so far, by the script or by a refresh; once it has ended, the page of its report. */
export async function answerProgress(
  { jobs, readSoFar, site }: PageServices,
  visit: Visit,
  jobId: string,
  response: Response,
): Promise<void> {
  const code = visit.own.get('recheck');
  const next = code === null ? visit.self : withParameter(visit.self, 'recheck', code);
  const state = await findJob(jobs.jobQueue, jobId, visit.question.owner);
  const base = basePathOf(site);
  if (state.state === 'expired') return sendPassingPage(response, 200, expiredPage(visit, base));
  if (state.state !== 'waiting' && state.state !== 'running') return seeOther(response, next);
  noteSubject(response, { jobId });
  response.setHeader('Retry-After', refreshS);
  const progress =
    state.state === 'running' ? await readSoFar(visit.caller, state.job, state.progress) : null;
  sendPassingPage(response, 202, progressPage({ ...visit, self: next }, base, { jobId, state, progress }));
}

type Going = {
  readonly jobId: string;
  readonly state: Extract<JobState, { state: 'waiting' | 'running' }>;
  /** null while it waits for its turn. */
  readonly progress: ProgressSoFar | null;
};

function progressPage(visit: Visit, base: string, going: Going): string {
  const {
    self,
    question: { target },
  } = visit;
  const { check } = going.state.job;
  const name = checkWords[check]?.name ?? check;
  const again = withParameter(self, 'job', going.jobId);
  const bar = barOf(going);
  return renderPage({
    base,
    title: `Checking ${target}`,
    description: `${name} is running.`,
    // Where scripts run, the script asks, and nothing is loaded twice.
    head: markup`<noscript><meta http-equiv="refresh" content="${refreshS}; url=${again}"></noscript>
`,
    main: markup`<p class="check">${name}</p>
<h1>Checking ${titleOfTarget(target)}</h1>
<div class="going" data-self="${self}">
<progress aria-label="Progress" max="${bar.max}" value="${bar.value}"></progress>
<p id="state" role="status">${describe(going)}</p>
<ul class="parts" id="parts">${partsOf(going).map((part) => showPart(base, part))}</ul></div>
<noscript><p>This page loads itself again every ${refreshS} seconds until the report is there.</p></noscript>
<p class="hint">You can leave: the check goes on, and <a href="${self}">its page</a> shows the report then.</p>
`,
  });
}

/** A part as a card: its grade, and what to fix first. */
function showPart(base: string, part: PartSoFar): Markup {
  const { name, state, grade, worst, reportId } = part;
  const title = categoryNameOf(clip(name, longestText));
  const named =
    reportId === undefined ? markup`${title}` : markup`<a href="${base}/r/${reportId}">${title}</a>`;
  const mark = grade === undefined ? nothing : markup` <b class="grade">${grade ?? '–'}</b>`;
  return markup`<li data-state="${state}"><h2>${named}${mark}</h2>
<p class="state">${state}</p>
${worst ? showWorst(worst) : grade ? markup`<p>Nothing to fix was found.</p>` : nothing}</li>
`;
}

function showWorst({ severity, title, fix }: NonNullable<PartSoFar['worst']>): Markup {
  return markup`<p><span class="severity ${severity}">${severityWords[severity]}</span>: ${cut(title, longestText)}</p>
<p class="fix">${cut(fix.text, longestText)}</p>
`;
}

function barOf({ progress }: Going) {
  if (!progress) return { value: 0, max: 1 };
  const max = Math.max(1, progress.total);
  return { value: Math.min(max, progress.done), max };
}

function describe({ state, progress }: Going): Markup {
  if (state.state === 'waiting')
    return state.position <= 1
      ? markup`Waiting for its turn: next in line.`
      : markup`Waiting for its turn: place ${state.position} in line.`;
  if (!progress) return nothing;
  const { done, total, current } = progress;
  if (total <= 1 && current === '') return markup`Started.`;
  const percent = Math.floor((100 * Math.min(done, total)) / Math.max(1, total));
  const known = soFarText(progress);
  if (known !== '') return markup`<b>${known}.</b> ${percent} %`;
  return markup`${percent} %${current === '' ? '' : `: ${clip(current, longestText)}`}`;
}

/** Before it runs, a domain-health has parts that wait. */
function partsOf({ state, progress }: Going): readonly PartSoFar[] {
  const told = progress?.parts ?? [];
  if (told.length > 0) return told;
  const isOfParts = state.job.check === mainCheck;
  return isOfParts ? categoryNames.map((name) => ({ name, state: 'waiting' })) : [];
}

function expiredPage(visit: Visit, base: string): string {
  return renderPage({
    base,
    title: `Not checked: ${visit.question.target}`,
    description: 'The turn of this check did not come in time.',
    main: markup`<h1>Its turn did not come in time</h1>
<p>Too many checks were waiting, and this one was given up. Nothing was asked of <bdi>${visit.question.target}</bdi>.</p>
${startForm(visit, 'Try again')}`,
  });
}
