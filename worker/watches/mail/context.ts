import type { WatchContext } from '../context.ts';
import type { SendMail } from './mailer.ts';

/** What the sending of e-mail takes: there is a server for it, and pages to link to. */
export type MailContext = WatchContext & {
  readonly mailer: SendMail;
  /** MAIL_FROM. */
  readonly from: string;
  /** PUBLIC_URL. */
  readonly service: string;
};
