import type { Backend } from '#shared/lifecycle/backend';
import type { JobKeyOf } from '#shared/queue/job-keys';
import type { RunWaits } from '#shared/queue/waiting/waiting';
import type { Config } from '#shared/settings/config';
import type { TargetPolicy } from '#shared/targets/parse-target';
import type { Logger } from '#shared/telemetry/logger';
import type { Admit, VerifiedAnswer, VerifiedRequest } from '../probes/verified/send.ts';
import type { SendMail } from './mail/mailer.ts';
import type { Owners } from './owners.ts';

/** What the turns of watches and the sending of their events take. */
export type WatchContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore' | 'rateLimiter' | 'tokenStore' | 'watches'>;
  readonly log: Logger;
  readonly waiting: RunWaits;
  readonly jobKeyOf: JobKeyOf;
  readonly policy: TargetPolicy;
  readonly owners: Owners;
  /** Sends through the guard, to a host that proves its name. */
  readonly send: (request: VerifiedRequest, signal: AbortSignal, admit?: Admit) => Promise<VerifiedAnswer>;
  /** Unix ms by the clock that all processes share. */
  readonly now: () => number;
};

/** What the sending of e-mail takes: there is a server for it, and pages to link to. */
export type MailContext = WatchContext & {
  readonly mailer: SendMail;
  /** MAIL_FROM. */
  readonly from: string;
  /** PUBLIC_URL. */
  readonly service: string;
};
