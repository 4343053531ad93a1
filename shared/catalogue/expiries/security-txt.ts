import { z } from 'zod';
import type { Report } from '../../model/report.ts';
import { isMalformed } from '../../model/verdict.ts';
import type { Lifetime } from './lifetime.ts';
import { parseExpires } from './parse-expires.ts';

const headersFields = z.looseObject({
  securityTxt: z.looseObject({ url: z.string(), expires: z.string().nullable().optional() }),
});

/** The Expires field of the site's security.txt (RFC 9116 §2.5.5). It does not tell when it began. */
export function endingOfSecurityTxt(report: Report): Lifetime | undefined {
  const { url, expires } = headersFields.safeParse(report).data?.securityTxt ?? {};
  if (url === undefined || typeof expires !== 'string') return undefined;
  const endsAt = parseExpires(expires);
  return isMalformed(endsAt) ? undefined : { what: 'security-txt', name: url, beginsAt: null, endsAt };
}
