import type { Asker } from '../../../../dns/asker.ts';
import { type Observation, unknownObservation } from '../../../../dns/observation.ts';
import { isAskable } from '../../../../dns/zone.ts';
import { clip } from '../../../../mail/fault.ts';
import type { SpfEvaluation } from '../evidence.ts';
import { checkHost, type SpfLookup, type Spending } from './check-host.ts';
import { readMessage, type SpfMessage } from './message.ts';

/**
 * What check_host() answers for a message (RFC 7208 §4), to the letter. All its questions go through the asker.
 * @param limitMs longest evaluation; then it is a temperror (§4.6.4)
 */
export async function evaluateSpf(
  asker: Asker,
  message: SpfMessage,
  limitMs: number,
): Promise<SpfEvaluation> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  const look: SpfLookup = async (name, type) => {
    const question = { name: name.toLowerCase(), type };
    if (!isAskable(question.name)) return { ...unknownObservation(question, ''), outcome: 'nxdomain' };
    const late = timeUp.then((): Observation =>
      unknownObservation(question, 'the time for the evaluation was over'),
    );
    return Promise.race([asker.ask(question), late]);
  };
  const spent: Spending = { lookups: 0, voids: 0 };
  try {
    const { result, why, explanation } = await checkHost(readMessage(message), look, spent);
    return {
      ...message,
      result,
      lookups: spent.lookups,
      ...(explanation === undefined ? {} : { explanation: clip(explanation, 500) }),
      ...(why === undefined ? {} : { comment: clip(why, 500) }),
    };
  } finally {
    clearTimeout(timer);
  }
}
