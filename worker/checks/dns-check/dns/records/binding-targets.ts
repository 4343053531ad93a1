import {
  brokenBy,
  eachOf,
  type Evidence,
  isMalformed,
  notTested,
  type Verdicts,
} from '#shared/model/verdict';
import { foundRecords, readAnswer } from '../../../../dns/read-answer.ts';
import type { DnsAnswer } from '../../../../probes/dns/port.ts';
import type { HalfContext } from '../../halves.ts';
import { brokenBySeen } from '../../verdicts.ts';
import { askHost } from '../ask-host.ts';
import type { HostAnswers } from '../evidence.ts';
import type { DnsFacts } from '../facts.ts';
import { parseServiceBinding, type ServiceBinding } from './parse-service-binding.ts';

const targetLimit = 4;

/** Looks up the other names that the HTTPS records of the domain lead to. */
export async function gatherTargets(
  context: HalfContext,
  https: Promise<DnsAnswer>,
): Promise<readonly HostAnswers[]> {
  const bindings = foundRecords(readAnswer(await https)).flatMap(({ data }) => {
    const binding = parseServiceBinding(data);
    return isMalformed(binding) ? [] : [binding];
  });
  const names = new Set(bindings.map(({ target }) => target.toLowerCase()));
  return Promise.all(
    [...names]
      .filter((name) => name !== '' && name !== context.domain)
      .slice(0, targetLimit)
      .map(async (name) => askHost(context, name)),
  );
}

export const targetCodes = [
  'https-record-target-missing',
  'https-record-target-unused',
  'https-record-no-address',
  'https-record-alone',
] as const;
type TargetVerdicts = Verdicts<(typeof targetCodes)[number]>;

/** Judges where HTTPS records lead, beside the addresses of the domain itself: clients without HTTPS records have those alone (RFC 9460 §3). */
export function judgeTargets(facts: DnsFacts, bindings: readonly ServiceBinding[]): TargetVerdicts {
  const { domain, apex, evidence } = facts;
  const led = bindings.filter(({ priority, target }) => priority > 0 || target !== '');
  if (led.length === 0) return eachOf(targetCodes, 'not-applicable');
  const own = led.filter(({ target }) => ['', domain].includes(target.toLowerCase()));
  const others = led
    .filter((binding) => !own.includes(binding))
    .map((binding) => readTarget(binding, evidence.bindingTargets ?? []));
  const gone = others.flatMap(({ target, state }) =>
    'found' in state ? [{ name: domain, target, found: state.found }] : [],
  );
  const open = others.flatMap(({ state }) => ('unseen' in state ? [notTested(state.unseen)] : []))[0];
  const unused = brokenBySeen(gone, open);
  if (apex.A.state === 'found' || apex.AAAA.state === 'found')
    return { ...eachOf(targetCodes, 'holds'), 'https-record-target-unused': unused };
  const lost = [apex.A, apex.AAAA].find(({ state }) => state === 'unknown');
  if (lost?.state === 'unknown')
    return eachOf(targetCodes, notTested(`the addresses of the domain were not seen: ${lost.why}`));
  const isLost = own.length === 0 && gone.length === others.length;
  const there = others.flatMap(({ target, state }) => ('there' in state ? [{ name: domain, target }] : []));
  return {
    'https-record-target-missing': isLost ? brokenBy(gone) : (open ?? 'holds'),
    'https-record-target-unused': isLost ? 'not-applicable' : unused,
    'https-record-no-address': brokenBy(own.slice(0, 1).map((binding) => describeOwn(domain, binding))),
    'https-record-alone': own.length > 0 ? 'not-applicable' : brokenBySeen(there, open),
  };
}

function describeOwn(name: string, { hints }: ServiceBinding): Evidence {
  const why =
    hints.length === 0
      ? 'Its HTTPS record names no other host, so browsers find none.'
      : 'Its HTTPS record has hints, which browsers try only until they have the addresses themselves.';
  return { name, why };
}

type Target = {
  readonly target: string;
  readonly state: { readonly there: true } | { readonly found: string } | { readonly unseen: string };
};

function readTarget({ target, priority }: ServiceBinding, answers: readonly HostAnswers[]): Target {
  const own = answers.find(({ name }) => name === target.toLowerCase());
  if (own === undefined) return { target, state: { unseen: `${target} was not looked up` } };
  const readings = [readAnswer(own.A), readAnswer(own.AAAA)];
  if (readings.some(({ state }) => state === 'found')) return { target, state: { there: true } };
  if (readings.some((reading) => reading.state === 'none' && reading.nxdomain))
    return { target, state: { found: 'does not exist' } };
  const [lost] = readings.filter((reading) => reading.state === 'unknown');
  if (lost?.state === 'unknown') return { target, state: { unseen: `${target}: ${lost.why}` } };
  // An alias may lead to HTTPS records of the target, and on from there (RFC 9460 §2.4.2).
  return { target, state: priority === 0 ? { there: true } : { found: 'has no address' } };
}
