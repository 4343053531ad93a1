import { freePort } from '../test/kit/programs.ts';
import type { Lab } from '../test/lab/kit/lab.ts';
import { openMailServer } from '../test/lab/smtp-check/mail-server.ts';
import { mailAddresses } from './zones.ts';

/** Opens the mail hosts of the demo, one that encrypts and one that does not; gives the port where they really listen. */
export async function openMailHosts({ authority }: Lab): Promise<number> {
  const port = await freePort();
  const tls = await authority.issue(['mx.sealed.test']);
  const greeting = (host: string) => `220 ${host} ESMTP\r\n`;
  await openMailServer(mailAddresses.sealed, port, { tls, greeting: greeting('mx.sealed.test') });
  const extensions = ['SIZE 10240000', '8BITMIME'];
  await openMailServer(mailAddresses.postcard, port, { extensions, greeting: greeting('mx.postcard.test') });
  return port;
}
