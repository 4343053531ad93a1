import { type AnswerRequest, type Answers, acceptingJson } from '../answer/accept-json.ts';
import { refuseOtherSite } from '../origins/other-site.ts';
import { admitToken, isWrite } from '../request/admit.ts';
import { changeWatch, createWatch } from './change.ts';
import { answerCalendar, answerFeed, drawLinks, noWatches } from './feeds.ts';
import {
  deleteWatch,
  listDeliveries,
  listTargets,
  listWatches,
  renewSecret,
  replayDelivery,
  showWatch,
  testWatch,
} from './show.ts';
import type { WatchAnswer, WatchServices } from './watch-services.ts';

/** Adds the endpoints of watches; each needs a token with `watch`. @param add adds a route */
export function addWatches(services: WatchServices, add: (path: string, answers: Answers) => void): void {
  const own = (answer: WatchAnswer): AnswerRequest =>
    acceptingJson(async (request, response) => {
      // Before authentication: where there are no ids, no token opens anything.
      if (!services.site.reportIds) throw noWatches();
      if (isWrite(request)) refuseOtherSite(services.origins.isFromOtherSite, request.headers);
      const caller = await admitToken(services.limits, request, response, 'watch');
      if (isWrite(request)) await services.limits.quotas.takeWrites(caller, 1, response);
      await answer(services, caller, request, response);
    });
  const base = '/api/watches';
  add(base, { get: own(listWatches), post: own(createWatch) });
  add(`${base}/links`, { post: own(drawLinks) });
  add(`${base}/feed.atom`, { get: (request, response) => answerFeed(services, request, response) });
  add(`${base}/expiries.ics`, { get: (request, response) => answerCalendar(services, request, response) });
  add(`${base}/:id`, { get: own(showWatch), patch: own(changeWatch), delete: own(deleteWatch) });
  add(`${base}/:id/targets`, { get: own(listTargets) });
  add(`${base}/:id/deliveries`, { get: own(listDeliveries) });
  add(`${base}/:id/test`, { post: own(testWatch) });
  add(`${base}/:id/secret`, { post: own(renewSecret) });
  add(`${base}/:id/deliveries/:delivery/replay`, { post: own(replayDelivery) });
}
