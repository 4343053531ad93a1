import { setTimeout as delay } from 'node:timers/promises';
import { openAskParts, questionsOf } from '#shared/ask/open';
import { rememberNone } from '#shared/ask/reports';
import type { Backend } from '#shared/lifecycle/backend';
import { openKept } from '#shared/limits/kept';
import type { Delivery } from '#shared/model/watch';
import { openWaiting } from '#shared/queue/waiting/waiting';
import { parseMailUrl } from '#shared/settings/mail';
import { type Loop, type LoopName, openFailures, openLoop } from '#shared/telemetry/loops';
import { giveBack } from '#shared/time/give-back';
import type { MailContext, WatchContext } from './context.ts';
import { sweepMailboxes } from './mail/mailboxes.ts';
import { openMailer } from './mail/mailer.ts';
import { sendMail, tellOutage } from './mail/send-mail.ts';
import { openOwners } from './owners.ts';
import { pauseOfRevoked } from './pause.ts';
import { recheckTarget } from './recheck-target.ts';
import { sendDelivery } from './send-delivery.ts';
import { openSenders } from './senders.ts';
import { openSetBack } from './set-back.ts';
import { openWaitingTurns } from './waiting-turns.ts';

/** What it opens of its own. */
export type WatcherSettings = Pick<WatchContext, 'config' | 'log' | 'send' | 'now'> & {
  readonly backend: WatchContext['backend'] & Pick<Backend, 'batches' | 'watches' | 'accountTurns'>;
};

export type Watcher = { close(graceMs: number): Promise<void> };

/** Turns and attempts that one process has under way at once; each has slots of its own, so that slow receivers hold up no turn. */
const turnSlots = 100;
const sendSlots = { webhook: 20, email: 5 } as const;
/** Longer than a turn waits for its report, and than an attempt may take: what a process that ends leaves is taken up after this. */
const claimMs = 60_000;
/** An attempt to send mail. */
const mailMs = 30_000;
const lookEveryMs = 1000;
const revokedEveryMs = 5000;
const sweepEveryMs = 30_000;

/** Takes the turns of watches when they are due, and sends what they tell, beside any number of other processes. */
export function openWatcher(settings: WatcherSettings): Watcher {
  const { config, backend } = settings;
  const { jobQueue, reportStore } = backend;
  const waiting = openWaiting({ jobQueue, reportStore, log: settings.log, onDone: () => undefined });
  const context: WatchContext = {
    ...settings,
    asking: openAskParts(config, { remembered: rememberNone, reportStore, jobQueue, waiting }),
    questions: questionsOf(config),
    waitingTurns: openWaitingTurns(backend.watches, settings.log),
    owners: openOwners({ config, ...backend }),
    kept: openKept(backend),
  };
  const stop = new AbortController();
  const { watches } = backend;
  const mail = mailContextOf(context);
  const loops = [
    openClaims(context, stop.signal, {
      name: 'turns of watches',
      slots: turnSlots,
      claim: async (claim) =>
        (await watches.claimTargets(claim)).map((target) => ({ target, claimedUntil: claim.until })),
      work: (claimed) => recheckTarget(context, claimed, stop.signal),
    }),
    openSending(context, stop.signal, 'webhook', (delivery) => sendDelivery(context, delivery, stop.signal)),
    ...(mail
      ? [openSending(context, stop.signal, 'email', (delivery) => sendMail(mail, delivery, stop.signal))]
      : []),
  ];
  const upkeep = openUpkeep(context, stop.signal);
  return {
    async close(graceMs) {
      stop.abort();
      waiting.close();
      const ended = Promise.all([...loops, ...upkeep, context.waitingTurns].map((loop) => loop.close()));
      await Promise.race([ended, delay(graceMs, undefined, { ref: false })]);
    },
  };
}

function openUpkeep(context: WatchContext, signal: AbortSignal): readonly Loop[] {
  const { backend, log, now } = context;
  const sweep = async () => {
    while (!signal.aborted && (await backend.watches.sweep(now()))) await giveBack();
    while (!signal.aborted && (await sweepMailboxes(context))) await giveBack();
  };
  return [
    openLoop({
      name: 'revoked tokens',
      everyMs: revokedEveryMs,
      log,
      act: () => pauseOfRevoked(context),
    }),
    openLoop({ name: 'upkeep of watches', everyMs: sweepEveryMs, log, act: sweep }),
    openLoop({ name: 'clock of watches', everyMs: lookEveryMs, log, act: openSetBack(context) }),
  ];
}

/** Sends what is due of a channel. */
function openSending(
  context: WatchContext,
  signal: AbortSignal,
  channel: Exclude<Delivery['channel'], 'feed'>,
  send: (delivery: Delivery) => Promise<void>,
): Pick<Loop, 'close'> {
  const slots = sendSlots[channel];
  const senders = openSenders({ watches: context.backend.watches, channel, slots });
  return openClaims(context, signal, {
    name: channel === 'email' ? 'mail' : 'webhooks',
    slots,
    claim: (claim) => senders.claim(claim),
    work: (delivery) => send(delivery).finally(() => senders.leave(delivery.account)),
  });
}

/** Undefined where the operator has no server for mail: a process that has one sends it. */
function mailContextOf(context: WatchContext): MailContext | undefined {
  const { MAIL_URL, MAIL_FROM, PUBLIC_URL } = context.config;
  const server = MAIL_URL === undefined ? undefined : parseMailUrl(MAIL_URL);
  if (!server || MAIL_FROM === undefined || PUBLIC_URL === undefined) return undefined;
  const mailer = tellOutage(openMailer({ server, wholeMs: mailMs }), context.log);
  return { ...context, mailer, from: MAIL_FROM, service: PUBLIC_URL };
}

type Claims<T> = {
  readonly name: LoopName;
  readonly slots: number;
  readonly claim: (claim: { now: number; until: number; limit: number }) => Promise<readonly T[]>;
  readonly work: (one: T) => Promise<void>;
};

/** Claims what is due while there are slots, and works on it, until the signal ends it. */
function openClaims<T>(
  { log, now: timeOf }: WatchContext,
  signal: AbortSignal,
  { name, slots, claim, work }: Claims<T>,
): Pick<Loop, 'close'> {
  const running = new Set<Promise<void>>();
  const failures = openFailures(name, log);
  const look = async () => {
    const limit = slots - running.size;
    if (limit === 0) return;
    const now = timeOf();
    for (const one of await claim({ now, until: now + claimMs, limit })) {
      // Of a store or queue that is away: the claim ends by itself, and the turn is taken again.
      const working = work(one)
        .then(() => failures.over())
        .catch((error: unknown) => void (signal.aborted || failures.note(error)))
        .finally(() => running.delete(working));
      running.add(working);
    }
  };
  const loop = openLoop({ name, everyMs: lookEveryMs, log, act: look });
  return {
    async close() {
      await loop.close();
      await Promise.all(running);
    },
  };
}
