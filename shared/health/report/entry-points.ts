import type { HealthFields } from '../../catalogue/domain-health/report.ts';
import { type RedirectEnd, redirectEnds } from '../../catalogue/redirect-check/report.ts';
import type { EntryEnd, EntryPoint } from '../facts/entry-points.ts';
import { linkTo } from '../facts/links.ts';

/**
 * The report's `entryPoints`.
 * @param failedHost the host whose certificate ssl-failed tells of; null where it tells of none
 */
export function reportEntryPoint(
  { url, source, fields, end, why, distrust, sentOnTo }: EntryPoint,
  publicPath: string,
  failedHost: string | null,
): HealthFields['entryPoints'][number] {
  const finalUrl = fields?.finalUrl ?? null;
  const link = linkTo({ check: 'redirect-check', target: { url } }, source.shown);
  const reasons = [why, tellDistrust(distrust, failedHost)].filter((reason) => reason !== '');
  return {
    url,
    finalUrl,
    finalStatus: fields?.finalStatus ?? null,
    redirects: fields?.redirects ?? null,
    ended: redirectEnds.find((name): name is RedirectEnd => name === fields?.ended) ?? null,
    ...(sentOnTo == null ? {} : { sentOnTo }),
    https: finalUrl === null ? null : (sentOnTo ?? finalUrl).startsWith('https:'),
    state: stateOf(end, distrust),
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
    report: { ...link, href: publicPath + link.href },
  };
}

function tellDistrust(distrust: EntryPoint['distrust'], failedHost: string | null): string {
  if (!distrust) return '';
  const { at, reason } = distrust;
  const isTold = URL.parse(at)?.hostname === failedHost;
  const place = isTold ? ', as ssl-failed tells' : '';
  return `browsers refuse the certificate at ${at} (${reason})${place}`;
}

const states = {
  arrived: 'ok',
  error: 'invalid',
  astray: 'invalid',
  closed: 'missing',
  'no-name': 'missing',
  unknown: 'unknown',
} as const satisfies { readonly [E in EntryEnd]: HealthFields['entryPoints'][number]['state'] };

function stateOf(end: EntryEnd, distrust: EntryPoint['distrust']) {
  return distrust && end === 'arrived' ? 'invalid' : states[end];
}
