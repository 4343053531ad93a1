import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { brokenBy, brokenIf, notTested, type Verdict, type Verdicts } from '#shared/model/verdict';
import { clip } from '../../../../mail/fault.ts';
import { reportService } from '../../mail-providers/find.ts';
import { brokenBySeen, publish } from '../../verdicts.ts';
import type { Applied, DmarcFacts, ReportUriFacts } from './facts.ts';
import { policiesOf } from './parse-dmarc.ts';
import { correctedNames, fixRecord, reportAddressOf } from './rewrite-dmarc.ts';

/** The rules of the reports that a record asks for. */
export const reportCodes = [
  'dmarc-rua-missing',
  'dmarc-rua-invalid',
  'dmarc-ruf-invalid',
  'dmarc-rua-unauthorised',
  'dmarc-rua-no-mail',
  'dmarc-rua-many',
] as const;

/** Judges whether somebody gets the reports that the record asks for. */
export function judgeReports(
  facts: DmarcFacts,
  applied: Applied,
  mode: MailMode,
): Verdicts<(typeof reportCodes)[number]> {
  const { uris, domain, orgDomain } = facts;
  const { domain: location, dmarc } = applied;
  const name = `_dmarc.${location}`;
  const named = correctedNames(dmarc)['rua'];
  const fix = fixRecord(
    facts,
    applied,
    'Publish the record with an address for reports, one that exists and is read.',
    typeof named === 'string' ? correctedNames(dmarc) : { rua: reportAddressOf(location) },
  );
  const bad = uris.filter(({ problem }) => problem !== null);
  const dead = uris.filter(({ mailbox }) => mailbox?.takes === false);
  const isOpen = uris.some(({ mailbox }) => mailbox?.takes === null);
  return {
    'dmarc-rua-missing':
      mode === 'parked' || policiesOf(dmarc) === null
        ? 'not-applicable'
        : brokenIf(dmarc.rua.length === 0, { name, domain }, fix),
    'dmarc-rua-invalid': brokenBy(bad.filter(({ tag }) => tag === 'rua').map(showBad)),
    'dmarc-ruf-invalid': brokenBy(bad.filter(({ tag }) => tag === 'ruf').map(showBad)),
    'dmarc-rua-unauthorised': judgePermission(uris, orgDomain ?? location),
    'dmarc-rua-no-mail': brokenBySeen(
      dead.map(({ uri, host, mailbox }) => ({
        uri: clip(uri, 80),
        host: host ?? '',
        found: mailbox?.why ?? '',
      })),
      isOpen ? notTested('it is not known whether the report addresses accept mail') : undefined,
    ),
    'dmarc-rua-many': brokenIf(dmarc.rua.length > 2, { count: dmarc.rua.length }),
  };
}

function showBad({ uri, tag, problem }: ReportUriFacts) {
  return { uri: clip(uri, 80) || 'An address', tag, problem };
}

function judgePermission(uris: readonly ReportUriFacts[], orgDomain: string): Verdict {
  const refused = uris.filter(({ isAuthorised }) => isAuthorised === false);
  const open = uris.some(({ mailbox, isAuthorised }) => mailbox !== null && isAuthorised === null);
  const [first] = refused;
  if (!first) return open ? notTested('it is not known whether the report addresses have agreed') : 'holds';
  const evidence = refused.map(({ uri, permission }) => ({ uri: clip(uri, 80), orgDomain, permission }));
  const service = reportService(first.host ?? '');
  if (service)
    return brokenBy(evidence, {
      text: `Add the domain in the settings of ${service.name}, which then publishes the record.`,
    });
  const text = 'The owner of the domain that takes the reports publishes this record.';
  return brokenBy(evidence, publish(text, first.permission ?? '', 'v=DMARC1;'));
}
