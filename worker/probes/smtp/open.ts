import { findAddresses, type GuardSettings, openGuard } from '../guard.ts';
import { asFailure } from '../tls/open.ts';
import type { Work } from '../work.ts';
import type { MailPort } from './mail-port.ts';
import type { SmtpProbe, TalkRequest, Talk } from './port.ts';
import type { MailShelf } from './shelf.ts';
import { type SmtpLimits, talk } from './talk.ts';

/** The only port that is dialled here, and by nothing else. */
const smtpPort = 25;

export type SmtpSettings = {
  readonly helo: string;
  readonly limits: SmtpLimits;
  readonly mailPort: MailPort;
  readonly shelf: MailShelf;
};

function asTalkFailure(error: unknown): Talk {
  const failure = asFailure(error);
  return failure.code === 'budget-spent' ? { ...failure, isUnasked: true } : failure;
}

/** Opens the probe for one run; every socket is destroyed when its promise settles. @param guard whose ports do not count here */
export function openSmtpProbe(
  { helo, limits, mailPort, shelf }: SmtpSettings,
  guard: GuardSettings,
  work: Work,
  signal: AbortSignal,
): SmtpProbe {
  const dial = openGuard({
    ...guard,
    policy: { ...guard.policy, ports: [[smtpPort, smtpPort]] },
  });
  const talkTo = async ({ host, address, ...request }: TalkRequest, own: AbortSignal): Promise<Talk> => {
    const dialled = await dial(host, smtpPort, own, { address });
    const seen = await talk(dialled, { helo, request, limits, work, signal: own });
    if (seen.kind === 'talked' && seen.greeting.kind === 'reply') mailPort.noteAnswer(host, address);
    return seen;
  };
  return {
    async addresses(host) {
      try {
        return { kind: 'addresses', addresses: await findAddresses(host, guard) };
      } catch (error) {
        const { code, reason } = asFailure(error);
        return { kind: 'failure', code, reason };
      }
    },
    async talk(request) {
      const own = AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(request.limitMs)))]);
      try {
        return await talkTo(request, own);
      } catch (error) {
        signal.throwIfAborted();
        return own.aborted && error === own.reason
          ? {
              kind: 'failure',
              code: 'budget-spent',
              reason: 'there was no time left',
              address: request.address,
            }
          : asTalkFailure(error);
      }
    },
    async lookAtPort() {
      const state = await mailPort.look(dial, signal);
      if (state === 'blocked') guard.vantage?.meet('smtp');
      return state;
    },
    once: (...asked) => shelf.once(...asked),
  };
}
