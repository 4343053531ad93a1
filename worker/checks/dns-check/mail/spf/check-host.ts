import ipaddr from 'ipaddr.js';
import { exchangesOf, type Observation, textsOf, valuesOf } from '../../../../dns/observation.ts';
import { reverseNameOf } from '../address.ts';
import type { spfVerdicts } from '../evidence.ts';
import { expandDomain, expandText } from './expand-domain.ts';
import { lookupLimit, reachTerms, spfRecordsOf } from './grow-tree.ts';
import { isPolicyDomain, type ReadMessage } from './message.ts';
import { type DomainSpec, parseMacroString } from './parse-domain-spec.ts';
import { parseSpf, type Spf } from './parse-spf.ts';
import type { Mechanism, Modifier, Qualifier, SpfTerm } from './parse-term.ts';

export type SpfResult = (typeof spfVerdicts)[number];

/** The answer to a question of the evaluation; a name that cannot be asked does not exist. */
export type SpfLookup = (name: string, type: string) => Promise<Observation>;

/** What check_host() ends with: the result, why where it is an error, and what the owner says to one who fails. */
export type HostCheck = { readonly result: SpfResult; readonly why?: string; readonly explanation?: string };

/** Ends an evaluation early (RFC 7208 §2.6.6, §2.6.7). Only thrown and caught here. */
class SpfError extends Error {
  readonly result: 'temperror' | 'permerror';
  constructor(result: 'temperror' | 'permerror', why: string) {
    super(why);
    this.result = result;
  }
}

/** What an evaluation has used up (RFC 7208 §4.6.4). */
export type Spending = { lookups: number; voids: number };

/** So many lookups that find nothing are allowed, and so many names behind mx, ptr and the macro p. */
const voidLimit = 2;
const nameLimit = 10;

type SpfRun = { readonly message: ReadMessage; readonly look: SpfLookup; readonly spent: Spending };

const resultOf: Readonly<Record<Qualifier, SpfResult>> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
};

/** Evaluates the policy of the sender's domain for a message (RFC 7208 §4), term by term, as a receiver does. */
export async function checkHost(message: ReadMessage, look: SpfLookup, spent: Spending): Promise<HostCheck> {
  if (!isPolicyDomain(message.domain)) return { result: 'none', why: 'the sender has no domain name' };
  try {
    return await checkDomain({ message, look, spent }, message.domain.toLowerCase().replace(/\.$/, ''));
  } catch (error) {
    if (!(error instanceof SpfError)) throw error;
    return { result: error.result, why: error.message };
  }
}

async function checkDomain(run: SpfRun, domain: string): Promise<HostCheck> {
  const spf = await findRecord(run, domain);
  if (spf === null) return { result: 'none', why: `${domain} has no SPF record` };
  const [fault] = spf.faults;
  if (fault) throw new SpfError('permerror', `${domain}: ${fault.problem}`);
  for (const term of reachTerms(spf)) {
    if (term.kind === 'modifier') return redirect(run, domain, term);
    if (!(await matches(run, domain, term))) continue;
    const result = resultOf[term.qualifier];
    return result === 'fail' ? { result, ...(await explain(run, domain, spf)) } : { result };
  }
  return { result: 'neutral' };
}

async function findRecord({ look }: SpfRun, domain: string): Promise<Spf | null> {
  const observation = await look(domain, 'TXT');
  if (observation.outcome === 'unknown') throw new SpfError('temperror', `${domain}: ${observation.why}`);
  const [record, second] = spfRecordsOf(observation);
  if (second) throw new SpfError('permerror', `${domain} has several SPF records`);
  const spf = record === undefined ? null : parseSpf(record.text);
  return spf !== null && 'terms' in spf ? spf : null;
}

async function redirect(run: SpfRun, domain: string, term: Modifier): Promise<HostCheck> {
  if (term.name !== 'redirect') return { result: 'neutral' };
  spend(run, term);
  const target = await expand(run, domain, term.domain);
  const check = await checkDomain(run, target);
  if (check.result === 'none') throw new SpfError('permerror', `${term.text}: ${check.why ?? ''}`);
  return check;
}

function spend({ spent }: SpfRun, { text }: SpfTerm): void {
  spent.lookups += 1;
  if (spent.lookups > lookupLimit)
    throw new SpfError('permerror', `${text} needs more than ${lookupLimit} lookups`);
}

async function matches(run: SpfRun, domain: string, term: Mechanism): Promise<boolean> {
  if (term.name === 'all') return true;
  if ('address' in term) return isWithin(run, term.address, term.prefix, term.prefix);
  spend(run, term);
  const name = term.domain === null ? domain : await expand(run, domain, term.domain);
  if (term.name === 'a') return hasAddress(run, await ask(run, name, familyOf(run)), term);
  if (term.name === 'mx') return hasExchange(run, name, term);
  if (term.name === 'exists') return (await ask(run, name, 'A')).outcome === 'found';
  if (term.name === 'include') return includes(run, name, term);
  return (await confirmedNames(run)).some((one) => one === name || one.endsWith(`.${name}`));
}

async function includes(run: SpfRun, name: string, { text }: SpfTerm): Promise<boolean> {
  const { result, why } = await checkDomain(run, name);
  if (result === 'none') throw new SpfError('permerror', `${text}: ${why ?? ''}`);
  return result === 'pass';
}

async function hasExchange(run: SpfRun, name: string, term: AddressTerm): Promise<boolean> {
  const exchanges = exchangesOf(await ask(run, name, 'MX'));
  if (exchanges.length > nameLimit)
    throw new SpfError('permerror', `${term.text} leads to more than ${nameLimit} hosts`);
  for (const { exchange } of exchanges) {
    if (exchange === '') continue;
    const observation = await run.look(exchange, familyOf(run));
    if (observation.outcome === 'unknown') throw new SpfError('temperror', `${exchange}: ${observation.why}`);
    if (hasAddress(run, observation, term)) return true;
  }
  return false;
}

type AddressTerm = Extract<Mechanism, { readonly name: 'a' | 'mx' }>;

function hasAddress(run: SpfRun, observation: Observation, { prefix4, prefix6 }: AddressTerm): boolean {
  return valuesOf(observation).some((address) => isWithin(run, address, prefix4, prefix6));
}

function isWithin({ message: { ip } }: SpfRun, address: string, prefix4: number, prefix6: number): boolean {
  const network = ipaddr.parse(address);
  if (ip.kind() !== network.kind()) return false;
  return ip.match(network, ip.kind() === 'ipv4' ? prefix4 : prefix6);
}

function familyOf({ message: { ip } }: SpfRun): 'A' | 'AAAA' {
  return ip.kind() === 'ipv4' ? 'A' : 'AAAA';
}

// A lookup of a term: what fails ends the evaluation, what finds nothing counts.
async function ask({ look, spent }: SpfRun, name: string, type: string): Promise<Observation> {
  const observation = await look(name, type);
  if (observation.outcome === 'unknown') throw new SpfError('temperror', `${name}: ${observation.why}`);
  if (observation.outcome !== 'found') spent.voids += 1;
  if (spent.voids > voidLimit) throw new SpfError('permerror', `more than ${voidLimit} lookups find nothing`);
  return observation;
}

/** The names of the sender's address that lead back to it (RFC 7208 §5.5); one that cannot be looked up is passed over. */
async function confirmedNames(run: SpfRun): Promise<readonly string[]> {
  const { message, look } = run;
  const reverse = await look(reverseNameOf(message.ip.toString()) ?? '', 'PTR');
  const names = valuesOf(reverse).slice(0, nameLimit);
  const observations = await Promise.all(names.map(async (name) => look(name, familyOf(run))));
  return names
    .filter((_, at) =>
      valuesOf(observations[at] ?? reverse).some((address) => isWithin(run, address, 32, 128)),
    )
    .map((name) => name.toLowerCase());
}

async function valuesFor(run: SpfRun, domain: string, tokens: DomainSpec['tokens']) {
  const values = { ...run.message.values, d: domain };
  const isNamed = tokens.some((token) => token.kind === 'macro' && token.letter.toLowerCase() === 'p');
  return isNamed ? { ...values, p: await nameOfSender(run, domain) } : values;
}

// The domain itself before a name below it before any other (RFC 7208 §7.3).
async function nameOfSender(run: SpfRun, domain: string): Promise<string> {
  const names = await confirmedNames(run);
  const below = names.find((name) => name.endsWith(`.${domain}`));
  return names.find((name) => name === domain) ?? below ?? names[0] ?? 'unknown';
}

async function expand(run: SpfRun, domain: string, spec: DomainSpec): Promise<string> {
  return expandDomain(spec, await valuesFor(run, domain, spec.tokens)) ?? '';
}

// Whatever goes wrong here leaves the result as it is (RFC 7208 §6.2).
async function explain(run: SpfRun, domain: string, { terms }: Spf): Promise<Pick<HostCheck, 'explanation'>> {
  const exp = terms.find((term) => term.kind === 'modifier' && term.name === 'exp');
  if (exp?.kind !== 'modifier' || exp.name !== 'exp') return {};
  const texts = textsOf(await run.look(await expand(run, domain, exp.domain), 'TXT'));
  const [first] = texts;
  if (!first || texts.length > 1 || /[^ -~]/.test(first.text)) return {};
  // Spaces part the words of an explanation, and stand between macro-strings.
  const words = first.text.split(' ').map((word) => parseMacroString(word, 0));
  const tokens = words.map((word) => ('problem' in word ? null : word.tokens));
  if (tokens.includes(null)) return {};
  const values = await valuesFor(
    run,
    domain,
    tokens.flatMap((own) => own ?? []),
  );
  return { explanation: tokens.map((own) => expandText(own ?? [], values) ?? '').join(' ') };
}
