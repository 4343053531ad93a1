import type { Request, Response } from 'express';
import { Problem } from '#shared/model/problem';
import type { Watch } from '#shared/model/watch';
import { foreignForm } from '../listener/other-site.ts';
import { admitToken } from '../request/admit.ts';
import type { Caller } from '../request/caller.ts';
import { pageOf, readParameters } from '../request/pages.ts';
import { readForm } from '../request/read-form.ts';
import { pauseByOwner, renewSecretOf, replayOf, sendTest } from '../watches/act.ts';
import { describeTarget, describeWatch, describeWatches } from '../watches/describe.ts';
import { noWatches } from '../watches/feeds.ts';
import { pageParameters, targetParameters } from '../watches/show.ts';
import { findWatch } from '../watches/watch-desk.ts';
import { basePathOf, type PageDesk } from './page-desk.ts';
import { seeOther, sendPassingPage } from './send-page.ts';
import { renderSecret, renderWatch, renderWatches } from './watches-markup.ts';

/** Answers /watches: those of the account, newest first. */
export async function answerWatchesPage(desk: PageDesk, request: Request, response: Response): Promise<void> {
  const caller = await admitOwner(desk, request, response);
  const page = readParameters(pageParameters, request);
  const found = await desk.watches.list(caller.account, { ...page, limit: page.limit + 1 });
  const { shown, next } = pageOf(found, page.limit, ({ createdAt, watchId }) => `${createdAt}-${watchId}`);
  const watches = await describeWatches(desk, shown);
  sendPassingPage(response, 200, renderWatches({ base: basePathOf(desk.site), watches, next }));
}

/** Answers /watches/{watchId}: where its targets stand, and what it told. */
export async function answerWatchPage(desk: PageDesk, request: Request, response: Response): Promise<void> {
  const caller = await admitOwner(desk, request, response);
  const page = readParameters(targetParameters, request);
  const watch = await findWatch(desk, caller, request);
  const { watchId } = watch;
  const found = await desk.watches.listTargets(watchId, { limit: page.limit + 1, after: page.before });
  const { shown, next } = pageOf(found, page.limit, ({ target }) =>
    Buffer.from(target).toString('base64url'),
  );
  const html = renderWatch({
    base: basePathOf(desk.site),
    watch: await describeWatch(desk, watch),
    targets: shown.map(describeTarget),
    next,
  });
  sendPassingPage(response, 200, html);
}

/** Answers a POST of the forms on that page: pauses, goes on, sends a test or an event again, or draws a new secret and shows it this once. */
export async function answerWatchForm(desk: PageDesk, request: Request, response: Response): Promise<void> {
  if (!desk.site.reportIds) throw noWatches();
  if (!desk.door.isOwnPage(request.headers)) throw foreignForm();
  const caller = await admitOwner(desk, request, response);
  await desk.admission.quotas.takeWrites(caller, 1, response);
  const watch = await findWatch(desk, caller, request);
  const { act = '', delivery = '' } = await readForm(desk.bodies, { request, response, caller }, [
    'act',
    'delivery',
  ]);
  const base = basePathOf(desk.site);
  if (act === 'secret')
    return sendPassingPage(response, 200, renderSecret(base, watch, await renewSecretOf(desk, watch)));
  const start = Object.hasOwn(acts, act) ? acts[act] : undefined;
  if (!start) throw new Problem('invalid_request', 'act: Give pause, resume, test, replay or secret.');
  await start(desk, { caller, watch, delivery, response });
  seeOther(response, `${base}/watches/${watch.watchId}`);
}

type Acted = {
  readonly caller: Caller;
  readonly watch: Watch;
  readonly delivery: string;
  readonly response: Response;
};
type Act = (desk: PageDesk, acted: Acted) => Promise<unknown>;

const acts: { readonly [name: string]: Act } = {
  pause: (desk, { caller, watch }) => pauseByOwner(desk, caller, watch, true),
  resume: (desk, { caller, watch }) => pauseByOwner(desk, caller, watch, false),
  test: (desk, { caller, watch, response }) => sendTest(desk, caller, watch, response),
  replay: (desk, { watch, delivery }) => replayOf(desk, watch, delivery),
};

/** Without ids there are none, whatever token is sent. */
async function admitOwner(desk: PageDesk, request: Request, response: Response): Promise<Caller> {
  if (!desk.site.reportIds) throw noWatches();
  return admitToken(desk.admission, request, response, 'watch');
}
