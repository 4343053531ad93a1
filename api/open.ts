import { createServer, type RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { limitConnections, slowSenderOptions, usualConnectionLimits } from '#shared/lifecycle/connections';
import { closeServer, listen } from '#shared/lifecycle/listen';
import { answerInTurns } from '#shared/lifecycle/read-in-turns';
import type { Checks } from '#shared/model/readiness';
import { makeApp } from './listener/app.ts';
import { answerBadRequestOf } from './listener/bad-request.ts';
import { openFastLane } from './listener/fast-lane.ts';
import { type ApiContext, openServices } from './open-services.ts';

export type Api = {
  readonly port: number;
  /** True while some reports can be given: from the store, by a new run, or from memory. */
  readonly canAnswer: (checks: Checks) => boolean;
  /** Goes on answering for DRAIN_SECONDS, while others learn that this process ends; then answers what waits with 202, lets running answers end, and closes. */
  close(graceMs: number): Promise<void>;
};

/** How long connections stay open for what is on its way, once the process is told to stop. */
const drainMs = 1000;

/** Opens the public listener. Rejects when its port is taken. */
export async function openApi(context: ApiContext): Promise<Api> {
  const { config } = context;
  const opened = openServices(context);
  const { services } = opened;
  // Few services have agents; where there are some, the first does not wait for the code.
  if (config.MCP) await import('#shared/mcp/serve-message');
  const answer = openFastLane(services, makeApp(services));
  let isDraining = false;
  const limits = context.connectionLimits ?? usualConnectionLimits;
  const server = createServer(slowSenderOptions(limits));
  const answerUnlessDrained: RequestListener = (request, response) => {
    // A client that gets this answer retries on another process.
    if (isDraining) response.shouldKeepAlive = false;
    answer(request, response);
  };
  answerInTurns(server, answerUnlessDrained, true);
  limitConnections(server, limits, config.TRUST_PROXY !== undefined);
  // Of several processes, Node would pass a connection beyond the limit round among them for as long as all are full.
  Object.assign(server, { dropMaxConnection: true });
  server.on('clientError', answerBadRequestOf(services.site.publicPath));
  const port = await listen(server, config.HOST, config.PORT);
  return {
    port,
    canAnswer: ({ queue, store }) =>
      queue === true || store === true || services.reports.remembered.count() > 0,
    async close(graceMs) {
      isDraining = true;
      // Balancers send requests here until they have asked /readyz again.
      await delay(config.DRAIN_SECONDS * 1000);
      await opened.close();
      // A request may be on its way on a connection that looks idle from here: closing that would lose it.
      await delay(Math.min(drainMs, graceMs));
      await closeServer(server, graceMs);
    },
  };
}
