import type { Request } from 'express';
import type { Desk } from '../desk.ts';

/** What the web pages take of the desk. */
export type PageDesk = Pick<
  Desk,
  | 'accountTurns'
  | 'kept'
  | 'witness'
  | 'door'
  | 'admission'
  | 'bodies'
  | 'sessions'
  | 'readAsk'
  | 'targetPolicy'
  | 'shelf'
  | 'runs'
  | 'site'
  | 'watches'
  | 'watchLimits'
>;

/** Prefix of the page's own links: the path of PUBLIC_URL. Without its host, so that the page also works by the address of the machine. */
export function basePathOf({ publicPath }: PageDesk['site']): string {
  return publicPath === '' ? '' : new URL(publicPath).pathname.replace(/\/$/, '');
}

/** What a program puts before a path: PUBLIC_URL, or the address that this request came to. */
export function originOf({ site }: Pick<PageDesk, 'site'>, { headers }: Request): string {
  return site.publicPath === '' ? `http://${headers.host ?? 'localhost'}` : site.publicPath;
}
