import type { FailureCode } from '#shared/model/failure';
import { hostLabel, judgeName } from '#shared/targets/classify-name';
import { siteOf } from '#shared/targets/parse-target';
import { isAddressHost } from './address-host.ts';

/** A redirect that was not followed to an answer. */
type DeadRedirect = { readonly from: string; readonly to: string; readonly code: FailureCode };

/**
 * Why a redirect leads to nobody by the site's own mistake, as a clause; undefined where its host may be somebody's. A host that no
 * public DNS can have is no name (RFC 1123 §2.1), or has no dot; `localhost` is the visitor's own machine (RFC 6761 §6.3). An address, or a name
 * for special use, is well formed: a network of the site's own may have it.
 */
export function whyNowhere({ from, to, code }: DeadRedirect): string | undefined {
  const { hostname } = new URL(to);
  if (code === 'name-not-found') return whyGlued(hostname, new URL(from).hostname);
  if (code !== 'target-not-allowed' || isAddressHost(hostname)) return undefined;
  if (/(?:^|\.)localhost$/.test(hostname)) return 'localhost is the visitor’s own machine';
  const fault = judgeName(hostname, [], hostLabel);
  if (fault === undefined || (fault.kind === 'refused' && hostname.includes('.'))) return undefined;
  return whyNoName(hostname) ?? `the host "${hostname.slice(0, 100)}" ${fault.why}`;
}

function whyNoName(hostname: string): string | undefined {
  if (/^https?$/.test(hostname))
    return `one address was put behind another, so that its host is "${hostname}"`;
  if (/^(?:undefined|null|none|nil|nan|false|true|\(null\))$/.test(hostname))
    return `its host is "${hostname}", which programs write for a value that is missing`;
  return /[${}<>]|^%/.test(hostname)
    ? `its host "${hostname.slice(0, 100)}" has a placeholder that nobody filled in`
    : undefined;
}

// "Redirect / https://a.test" puts the path right behind the host: https://a.testimages/x.
function whyGlued(hostname: string, from: string): string | undefined {
  const own = [from, siteOf(from), `www.${siteOf(from)}`].find(
    (name) => hostname.startsWith(name) && /^[^.]/.test(hostname.slice(name.length)),
  );
  return own && `no host "${hostname}" exists, as the slash behind ${own} is missing`;
}
