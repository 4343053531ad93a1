import type { MailFields, MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type BimiCode, bimiRules } from '#shared/catalogue/dns-check/mail/rules/bimi';
import { allOf, brokenBy, brokenIf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import {
  type Observation,
  oncePerObservation,
  textsOf,
  unknownObservation,
} from '../../../../dns/observation.ts';
import type { Zone } from '../../../../dns/zone.ts';
import { clip, type SyntaxFault, settle, showFault } from '../../../../mail/fault.ts';
import type { ChosenPolicy } from '../dmarc/choose-policy.ts';
import type { BimiFiles } from '../evidence.ts';
import { stateOfRecord } from '../state-of-record.ts';
import { judgeLogo, type LogoCode, readLogo, sizeOfSvg, titleOf } from './logo.ts';
import { judgeMark, type MarkCode, readMark } from './mark.ts';
import { type Bimi, isBimi, parseBimi } from './parse-bimi.ts';
import type { Xml } from './xml.ts';

/** What is known of the brand indicator of a domain. */
export type BimiFacts = {
  readonly name: string;
  /** Names that a mark certificate may be issued for, the domain's own first (draft-fetch-validation-vmc-wchuang §5.2). */
  readonly domains: readonly string[];
  readonly observation: Observation;
  readonly texts: readonly string[];
  readonly bimi: Bimi | null;
  readonly faults: readonly SyntaxFault[];
};

const selector = 'default._bimi';

/** Sees the record of the selector `default`: at the domain, else at its organizational domain. */
export function readBimi(zone: Zone, domain: string, orgDomain: string | null): BimiFacts {
  const both = orgDomain === null || orgDomain === domain ? [domain] : [domain, orgDomain];
  const domains = both.flatMap((name) => [name, `${selector}.${name}`]);
  const own = readAt(zone, domain);
  if (own.texts.length > 0 || own.observation.outcome === 'unknown' || orgDomain === domain)
    return { ...own, domains };
  if (orgDomain === null) {
    const observation = unknownObservation(own.observation, 'the organizational domain could not be found');
    return { ...own, domains, observation };
  }
  const above = readAt(zone, orgDomain);
  const chosen = above.texts.length > 0 || above.observation.outcome === 'unknown' ? above : own;
  return { ...chosen, domains };
}

function readAt(zone: Zone, domain: string): Omit<BimiFacts, 'domains'> {
  const name = `${selector}.${domain}`;
  const observation = zone.look(name, 'TXT');
  return { name, observation, ...readRecord(observation) };
}

const readRecord = oncePerObservation((observation): Pick<BimiFacts, 'texts' | 'bimi' | 'faults'> => {
  const texts = textsOf(observation)
    .map(({ text }) => text)
    .filter(isBimi);
  const { value, faults } = settle(texts.length === 1 ? parseBimi(texts[0] ?? '') : null);
  return { texts, bimi: value, faults };
});

type BimiContext = {
  readonly bimi: BimiFacts;
  readonly mode: MailMode;
  /** The DMARC policy for the domain; null where none applies, undefined where nobody knows. */
  readonly policy: ChosenPolicy | null | undefined;
  /** Whether its record stands at the organizational domain: elsewhere its subdomain policy has no meaning. null where nobody knows. */
  readonly isOrganizational: boolean | null;
  /** undefined where nothing was fetched. */
  readonly files: BimiFiles | undefined;
};

/** Judges the brand indicator: the record, and what it leads to. */
export function judgeBimi(context: BimiContext): Verdicts<BimiCode> {
  const { bimi: facts, mode, files } = context;
  const { name, observation, texts, bimi, faults } = facts;
  if (mode === 'parked') return allOf(bimiRules, 'not-applicable');
  if (observation.outcome === 'unknown')
    return allOf(bimiRules, notTested(`${name} could not be read: ${observation.why}`));
  const wantsLogo = bimi !== null && bimi.logo !== null;
  return {
    ...judgeFiles(facts, files),
    'bimi-missing': brokenIf(texts.length === 0, { name }),
    'bimi-multiple': brokenIf(texts.length > 1, { name, count: texts.length }),
    'bimi-syntax': brokenBy(faults.map((fault) => ({ name, ...showFault(fault) }))),
    'bimi-without-dmarc': wantsLogo ? judgeEnforcement(context) : 'not-applicable',
    'bimi-no-certificate': wantsLogo ? brokenIf(bimi.authority === null, { name }) : 'not-applicable',
  };
}

function judgeFiles(
  { bimi, domains }: BimiFacts,
  files: BimiFiles | undefined,
): Verdicts<LogoCode | MarkCode> {
  const logo = readLogo(bimi?.logo ? files?.logo : null);
  const mark = readMark(bimi?.authority ? files?.mark : null);
  return {
    ...judgeLogo(logo),
    ...judgeMark({ mark, logo, domains, fetchedAtS: files?.fetchedAtS ?? 0 }),
  };
}

function judgeEnforcement({ bimi: { name }, policy, isOrganizational }: BimiContext): Verdict {
  if (policy === null) return brokenIf(true, { name, policy: 'none at all' });
  if (policy === undefined || policy.effective === null) return notTested('the DMARC policy is not known');
  const { effective, subdomainPolicy } = policy;
  if (effective === 'none') return brokenIf(true, { name, policy: effective });
  if (policy.policy === 'none')
    return brokenIf(true, { name, policy: `${effective}, but none for the domain above` });
  if (subdomainPolicy !== 'none' || isOrganizational === false) return 'holds';
  if (isOrganizational === null) return notTested('the organizational domain could not be found');
  return brokenIf(true, { name, policy: `${effective}, but none for subdomains` });
}

type Shown = MailFields['bimi'];

/** The field `bimi` of the report. */
export function reportBimi(
  { observation, texts, bimi, faults }: BimiFacts,
  mode: MailMode,
  files: BimiFiles | undefined,
): Shown {
  return {
    state: stateOfRecord({ observation, texts, value: bimi, faults }, mode),
    record: texts[0] === undefined ? null : clip(texts[0], 500),
    logo: bimi?.logo ?? null,
    authority: bimi?.authority ?? null,
    logoFile: showLogo(files),
    certificate: showMark(files),
  };
}

function showLogo(files: BimiFiles | undefined): Shown['logoFile'] {
  const logo = readLogo(files?.logo);
  if (logo.kind === 'none' || logo.kind === 'unseen' || logo.kind === 'lost') return null;
  const { url } = logo;
  const unread = { sizeBytes: null, compressed: false, title: null, width: null, height: null };
  if (logo.kind === 'too-long') return { ...unread, url };
  const { sizeBytes, form } = logo;
  const file = { ...unread, url, sizeBytes, compressed: form.startsWith('gzip') };
  return logo.kind === 'svg' ? { ...file, ...showDrawing(logo.xml) } : file;
}

function showDrawing(xml: Xml): Pick<NonNullable<Shown['logoFile']>, 'title' | 'width' | 'height'> {
  const title = titleOf(xml);
  const { width, height } = sizeOfSvg(xml.root) ?? { width: null, height: null };
  return { title: title === null ? null : clip(title), width, height };
}

function showMark(files: BimiFiles | undefined): Shown['certificate'] {
  const mark = readMark(files?.mark);
  if (mark.kind !== 'chain') return null;
  const [certificate] = mark.chain;
  const { kind, subject, issuer, names, validFrom, validUntil } = certificate;
  return {
    url: mark.url,
    kind,
    subject: clip(subject),
    issuer: clip(issuer),
    names: clip(names),
    validFrom,
    validUntil,
    trusted: null,
  };
}
