import type { AskParts } from '#shared/ask/ask';
import type { Questions } from '#shared/ask/question';
import type { UnkeptReport } from '#shared/ask/reports';
import type { Backend } from '#shared/lifecycle/backend';
import type { Kept, WatchesKept } from '#shared/limits/kept';
import type { Config } from '#shared/settings/config';
import type { Logger } from '#shared/telemetry/logger';
import type { Admit, VerifiedAnswer, VerifiedRequest } from '../probes/verified/send.ts';
import type { SendMail } from './mail/mailer.ts';
import type { Owners } from './owners.ts';
import type { WaitingTurns } from './waiting-turns.ts';

/** What the turns of watches and the sending of their events take. */
export type WatchContext = {
  readonly config: Config;
  readonly backend: Pick<Backend, 'jobQueue' | 'reportStore' | 'rateLimiter' | 'tokenStore'> & {
    readonly watches: WatchesKept;
  };
  readonly kept: Kept;
  readonly log: Logger;
  readonly asking: AskParts<UnkeptReport>;
  readonly questions: Questions;
  readonly waitingTurns: WaitingTurns;
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
