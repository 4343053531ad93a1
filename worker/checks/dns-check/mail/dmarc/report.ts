import type { MailFields } from '#shared/catalogue/dns-check/mail/report';
import { clip, showFaults } from '../../../../mail/fault.ts';
import { choosePolicy } from './choose-policy.ts';
import type { DmarcFacts, ReportUriFacts } from './facts.ts';
import { type Dmarc, policiesOf } from './parse-dmarc.ts';
import type { Step } from './walk-tree.ts';

/** So many tags are shown. */
const tagLimit = 50;

type DmarcField = MailFields['dmarc'];

/** The field `dmarc` of the report. */
export function reportDmarc(facts: DmarcFacts): DmarcField {
  const { applied, orgDomain, uris, walk } = facts;
  return {
    state: stateOfDmarc(facts),
    location: typeof applied === 'string' ? null : applied.domain,
    orgDomain,
    ...showPolicy(facts),
    ...(typeof applied === 'string' ? noRecord : showRecord(applied.dmarc, isTaken(facts))),
    queries: walk.steps.map((step) => ({ name: step.observation.name, found: describeStep(step) })),
    rua: uris.filter(({ tag }) => tag === 'rua').map(showUri),
    ruf: uris.filter(({ tag }) => tag === 'ruf').map(showUri),
  };
}

type RecordFields = Pick<DmarcField, 'record' | 'valid' | 'testing' | 'tags' | 'faults'>;

const noRecord: RecordFields = { record: null, valid: null, testing: false, tags: [], faults: [] };

function showRecord(dmarc: Dmarc, isGood: boolean): RecordFields {
  return {
    record: clip(dmarc.text, 1000),
    valid: dmarc.faults.length === 0 && isGood,
    testing: dmarc.isTesting,
    tags: dmarc.tags.slice(0, tagLimit).map(({ name, value, at }) => ({
      tag: clip(name, 40),
      value: clip(value, 500),
      position: at + 1,
    })),
    faults: showFaults(dmarc.faults),
  };
}

function showPolicy(facts: DmarcFacts) {
  const chosen = choosePolicy(facts);
  return {
    policy: chosen?.policy ?? null,
    subdomainPolicy: chosen?.subdomainPolicy ?? null,
    nonExistentPolicy: chosen?.nonExistentPolicy ?? null,
    effectivePolicy: chosen?.effective ?? null,
  };
}

/** The state of the part; a record whose policy does not count as published is invalid. */
export function stateOfDmarc(facts: DmarcFacts): DmarcField['state'] {
  if (facts.applied === 'unknown') return 'unknown';
  if (facts.applied === 'none')
    return facts.walk.steps.some(({ texts }) => texts.length > 0) ? 'invalid' : 'missing';
  return isTaken(facts) ? 'ok' : 'invalid';
}

function isTaken({ applied }: DmarcFacts): boolean {
  if (typeof applied === 'string') return false;
  const { p, sp, np } = applied.dmarc;
  return policiesOf(applied.dmarc) !== null && p !== undefined && p !== null && sp !== null && np !== null;
}

function describeStep({ observation, texts, dmarc }: Step): 'record' | 'none' | 'several' | 'unknown' {
  if (observation.outcome === 'unknown') return 'unknown';
  if (texts.length > 1) return 'several';
  return dmarc === null ? 'none' : 'record';
}

function showUri({ uri, isAuthorised, problem, mailbox, permission }: ReportUriFacts) {
  const why = problem ?? (mailbox?.takes === false ? mailbox.why : null);
  return {
    uri: clip(uri),
    authorised: isAuthorised,
    ...(permission === null ? {} : { permission }),
    ...(why === null ? {} : { problem: why }),
  };
}
