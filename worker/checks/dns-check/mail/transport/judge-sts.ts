import type { TransportCode } from '#shared/catalogue/dns-check/mail/rules/transport';
import {
  brokenBy,
  brokenIf,
  eachOf,
  type Fix,
  isBroken,
  notTested,
  type Verdict,
  type Verdicts,
} from '#shared/model/verdict';
import { isAddress } from '#shared/targets/classify-address';
import { aliasOf } from '../../../../dns/observation.ts';
import { clip, showFault } from '../../../../mail/fault.ts';
import type { PolicyObservation } from '../../../../mail/fetch-policy.ts';
import { allowsMx, parseStsPolicy, type StsPolicy } from '../../../../mail/parse-sts-policy.ts';
import { stsLines } from '../../mail-providers/find.ts';
import { publish } from '../../verdicts.ts';
import type { MxFacts } from '../mx/facts.ts';
import { isUnheardCode } from '../state-of-record.ts';
import type { StsFacts } from './facts.ts';
import type { DaneState } from './judge-dane.ts';

export type StsCode = Extract<TransportCode, `mta-sts-${string}`>;

export type StsContext = {
  readonly sts: StsFacts;
  readonly policy: PolicyObservation | null;
  readonly mx: MxFacts;
  readonly dane: DaneState;
};

/** Judges record and policy of MTA-STS. */
export function judgeSts(context: StsContext): Verdicts<StsCode> {
  const { sts } = context;
  const unseen =
    sts.observation.outcome === 'unknown'
      ? notTested(`${sts.name} could not be read: ${sts.observation.why}`)
      : undefined;
  const served = readServed(context.policy);
  const record = fixPair(context, 'Publish the record, and change its id whenever the policy changes.');
  const fileUnseen = unheard(context);
  const isBare = served !== null && sts.texts.length === 0 && sts.faults.length === 0;
  const hasRecord = sts.texts.length > 0;
  return {
    ...judgeFile(context, hasRecord),
    ...judgePolicy(hasRecord ? served : null, context, hasRecord ? fileUnseen : undefined),
    'mta-sts-lookup-failed': judgeLookup(sts, unseen),
    'mta-sts-missing': unseen ?? judgeMissing(context),
    'mta-sts-alias-dangling': unseen ?? brokenBy(danglingAlias(sts)),
    'mta-sts-multiple':
      unseen ?? brokenIf(sts.texts.length > 1, { name: sts.name, count: sts.texts.length }, record),
    'mta-sts-record-syntax':
      unseen ??
      brokenBy(
        sts.faults.map((fault) => ({ name: sts.name, ...showFault(fault) })),
        record,
      ),
    'mta-sts-record-missing':
      unseen ?? fileUnseen ?? brokenIf(isBare, { url: sts.policyUrl, name: sts.name }, record),
  };
}

function judgeLookup({ behind, name, observation }: StsFacts, unseen: Verdict | undefined): Verdict {
  return behind === 'fails' ? brokenBy([{ name, reason: observation.why }]) : (unseen ?? 'holds');
}

/** The policy, where one is served that can be read; its certificate is judged apart. */
export function readServed(policy: PolicyObservation | null): StsPolicy | null {
  if (policy?.kind !== 'response' || policy.status !== 200 || policy.isCut) return null;
  const parsed = parseStsPolicy(policy.text);
  return 'mode' in parsed ? parsed : null;
}

function danglingAlias({ observation, name }: StsFacts): { name: string; alias: string }[] {
  const alias = aliasOf(observation);
  return alias === null || observation.outcome === 'found' ? [] : [{ name, alias: clip(alias) }];
}

function judgeMissing(context: StsContext): Verdict {
  const { sts, dane, mx } = context;
  if (danglingAlias(sts).length > 0) return 'not-applicable';
  if (sts.texts.length > 0 || sts.faults.length > 0) return 'holds';
  if (dane === 'ok') return 'not-applicable';
  if (dane === 'unknown') return notTested('whether DANE protects the mail hosts is not known');
  // That nobody saw DANE is no excuse for what is seen to be missing.
  return brokenIf(
    true,
    { name: mx.domain, dane: dane === 'unseen' ? 'its TLSA records could not be read' : 'no DANE' },
    fixPair(context, 'Start with mode: testing, and raise mode and max_age when the reports are clean.'),
  );
}

/**
 * Record and policy file of one fix: a record without a good file shuts senders out of nothing, and is a fault of its own. The file is left out
 * where a good one is served; no record is given where the mail hosts are not known.
 */
function fixPair({ sts, mx, policy }: StsContext, text: string, changed?: StsPolicy): Fix {
  const { record } = publish('', sts.name, `v=STSv1; id=${nextId(sts)}`);
  const isServed =
    readServed(policy) !== null && policy?.kind === 'response' && policy.certificateError === null;
  if (isServed && changed === undefined) return { text, record };
  const lines = changed?.mx ?? stsLines(mx.hosts.map(({ host }) => host));
  if (lines.length === 0) return { text };
  const { mode, maxAge } = changed ?? { mode: 'testing', maxAge: 86_400 };
  return {
    text: `First serve the policy file at ${sts.policyUrl}, then publish the record. ${text}`,
    record,
    snippets: { 'mta-sts.txt': printPolicy(mode, lines, maxAge) },
  };
}

function printPolicy(mode: string, lines: readonly string[], maxAge: number): string {
  const patterns = lines.map((line) => `mx: ${line}`);
  return ['version: STSv1', `mode: ${mode}`, ...patterns, `max_age: ${maxAge}`, ''].join('\n');
}

// Senders fetch the policy again when the id differs from the one that they know (RFC 8461 §3.1).
function nextId({ value, texts }: StsFacts): string {
  const known = value?.id ?? texts.join(' ');
  return known.includes('1') ? '2' : '1';
}

const bodyCodes = ['mta-sts-content-type', 'mta-sts-policy-invalid'] as const;
const fileCodes = [
  'mta-sts-policy-unreachable',
  'mta-sts-certificate',
  'mta-sts-redirect',
  ...bodyCodes,
] as const;

/** True where the policy host gave no answer, so that nobody knows what is there. */
export function isUnheard(policy: PolicyObservation | null): boolean {
  return policy?.kind === 'failure' && isUnheardCode(policy.code);
}

function unheard({ sts, policy }: StsContext): Verdict | undefined {
  if (policy === null)
    return sts.hasHost === null ? notTested('whether there is a policy host is not known') : undefined;
  return policy.kind === 'failure' && isUnheard(policy)
    ? notTested(`${sts.policyUrl} could not be fetched: ${policy.reason}`)
    : undefined;
}

function judgeFile(context: StsContext, hasRecord: boolean): Verdicts<(typeof fileCodes)[number]> {
  const { sts, policy } = context;
  const url = sts.policyUrl;
  if (!hasRecord || policy === null) return eachOf(fileCodes, 'not-applicable');
  if (policy.kind === 'failure') {
    const unseen = unheard(context);
    if (unseen) return eachOf(fileCodes, unseen);
    return {
      ...eachOf(fileCodes, 'not-applicable'),
      'mta-sts-policy-unreachable': brokenIf(true, { url, reason: policy.reason }),
    };
  }
  const { status, location, certificateError } = policy;
  const isRedirect = status >= 300 && status < 400 && location !== null;
  const isOther = status !== 200 && !isRedirect;
  return {
    ...judgeBody(policy, url),
    'mta-sts-policy-unreachable': brokenIf(isOther, { url, reason: `the server answers ${status}` }),
    'mta-sts-certificate': brokenIf(certificateError !== null, { url, reason: certificateError }),
    'mta-sts-redirect': brokenIf(isRedirect, { url, status, location: clip(location ?? '') }),
  };
}

function judgeBody(
  policy: Extract<PolicyObservation, { kind: 'response' }>,
  url: string,
): Verdicts<(typeof bodyCodes)[number]> {
  if (policy.status !== 200) return eachOf(bodyCodes, 'not-applicable');
  const contentType = policy.contentType ?? '';
  const mediaType = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const parsed = parseStsPolicy(policy.text);
  const long = {
    url,
    line: policy.text.split('\n').length,
    problem: 'the file is longer than 64 KB, or was cut off',
  };
  return {
    'mta-sts-content-type': brokenIf(mediaType !== 'text/plain', {
      url,
      contentType: clip(contentType) || 'none',
    }),
    'mta-sts-policy-invalid': policy.isCut
      ? brokenBy([long])
      : brokenBy('fault' in parsed ? [{ url, ...parsed.fault }] : []),
  };
}

const policyCodes = [
  'mta-sts-mx-mismatch',
  'mta-sts-mx-partly',
  'mta-sts-mx-mismatch-testing',
  'mta-sts-mx-address',
  'mta-sts-testing',
  'mta-sts-mode-none',
  'mta-sts-max-age-short',
] as const;

const dayS = 86_400;

function judgePolicy(
  policy: StsPolicy | null,
  context: StsContext,
  unseen: Verdict = 'not-applicable',
): Verdicts<(typeof policyCodes)[number]> {
  if (policy === null) return eachOf(policyCodes, unseen);
  const { mx } = context;
  const { mode, maxAge } = policy;
  const out = refusedHosts(policy, mx);
  const fix = fixPair(context, 'It has a line for each mail host.', {
    ...policy,
    mx: [...new Set([...policy.mx.filter((line) => !isAddress(line)), ...stsLines(out)])],
  });
  const refused = brokenBy(
    out.map((host) => ({ host: clip(host) })),
    fix,
  );
  // While a host is allowed, mail goes there.
  const isPartly = out.length > 0 && out.length < mx.hosts.length;
  const matched =
    mx.observation.outcome === 'unknown' ? notTested('the MX records could not be read') : refused;
  return {
    'mta-sts-mx-mismatch': mode === 'enforce' ? (isPartly ? 'holds' : matched) : 'not-applicable',
    'mta-sts-mx-partly':
      mode === 'enforce' ? (isPartly || !isBroken(matched) ? matched : 'not-applicable') : 'not-applicable',
    'mta-sts-mx-mismatch-testing': mode === 'testing' ? matched : 'not-applicable',
    'mta-sts-mx-address': brokenBy(
      policy.mx.filter(isAddress).map((pattern) => ({ pattern: clip(pattern) })),
    ),
    'mta-sts-testing': brokenIf(mode === 'testing'),
    'mta-sts-mode-none': brokenIf(mode === 'none'),
    'mta-sts-max-age-short': mode === 'none' ? 'not-applicable' : brokenIf(maxAge < dayS, { maxAge }),
  };
}

/** Mail hosts that the policy does not allow. */
export function refusedHosts(policy: StsPolicy, { hosts }: MxFacts): string[] {
  return hosts.map(({ host }) => host).filter((host) => !allowsMx(policy, host));
}
