import type { Logger } from '#shared/telemetry/logger';
import type { SendMail } from './mailer.ts';

/** The same sending, which logs once that the server takes no mail, and once that it takes mail again. That a receiver is refused says nothing of it. */
export function tellOutage(send: SendMail, log: Pick<Logger, 'warn' | 'info'>): SendMail {
  let isAway = false;
  return async (message, signal) => {
    const answer = await send(message, signal);
    if (answer.kind === 'taken' && isAway) log.info({}, 'the mail server takes mail again');
    if (answer.kind === 'taken') isAway = false;
    else if (!answer.isFinal && !isAway) {
      isAway = true;
      log.warn({ failure: answer.failure }, 'the mail server takes no mail: it is tried again');
    }
    return answer;
  };
}
