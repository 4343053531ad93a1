import type { Progress } from '../../../shared/job-queue/port.ts';
import type { DnsAnswer, DnsAskOptions, DnsProbe, DnsQuestion } from '../../probes/dns/port.ts';
import type { PartContext } from './parts.ts';

/** The reason in an answer that did not come because our own time was up; no server is to blame for it. */
export const outOfTime = 'the time for this check was up';

export type Questions = Pick<PartContext, 'ask'> & {
  /** Ends the wait for the deadline; call it once gathering is over. */
  close(): void;
};

/**
 * Asks the probe, counts what was answered, and stops waiting when the run's time is up: a report with gaps beats none.
 * @param deadlineMs from now on; shorter than the run limit by what judging takes
 */
export function openQuestions(
  dns: DnsProbe,
  progress: (progress: Progress) => void,
  deadlineMs: number,
): Questions {
  let done = 0;
  let total = 0;
  const timeUp = Promise.withResolvers<void>();
  const timer = setTimeout(timeUp.resolve, deadlineMs);

  const ask = async (question: DnsQuestion, options?: DnsAskOptions): Promise<DnsAnswer> => {
    total += 1;
    const late = timeUp.promise.then(() => lateAnswer(question, options));
    const answer = await Promise.race([dns.ask(question, options), late]);
    done += 1;
    progress({ done, total, current: `${question.type} ${question.name === '' ? '.' : question.name}` });
    return answer;
  };
  return { ask, close: () => clearTimeout(timer) };
}

function lateAnswer(question: DnsQuestion, options?: DnsAskOptions): DnsAnswer {
  return {
    kind: 'failure',
    question,
    code: 'timeout',
    reason: outOfTime,
    server: options?.server ?? '',
  };
}
