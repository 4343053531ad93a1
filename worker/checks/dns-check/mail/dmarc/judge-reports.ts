import type { DmarcCode } from '../../../../../shared/catalogue/dns-check/mail/rules/dmarc.ts';
import {
  brokenBy,
  brokenIf,
  notTested,
  type Verdict,
  type Verdicts,
} from '../../../../../shared/model/verdict.ts';
import { clip } from '../fault.ts';
import type { MailMode } from '../mode.ts';
import { publish } from '../verdicts.ts';
import { type Applied, rewriteDmarc } from './judge-policy.ts';
import { policiesOf } from './parse-dmarc.ts';
import type { DmarcFacts, SeenUri } from './see-dmarc.ts';

type ReportCode = Extract<DmarcCode, `dmarc-rua-${string}`>;

/** Judges whether somebody gets the reports that the record asks for. */
export function judgeReports(
  { uris, domain, orgDomain }: DmarcFacts,
  { domain: location, dmarc }: Applied,
  mode: MailMode,
): Verdicts<ReportCode> {
  const name = `_dmarc.${location}`;
  const isAsked = dmarc.rua.some(({ isUri }) => isUri);
  const address = `mailto:dmarc-reports@${location}`;
  const fix = publish(
    'Publish the record with an address for reports.',
    name,
    rewriteDmarc(dmarc, { rua: address }),
  );
  const bad = uris.filter(({ problem }) => problem !== null);
  const dead = uris.filter(({ noMail }) => noMail !== null);
  return {
    'dmarc-rua-missing':
      mode === 'parked' || policiesOf(dmarc) === null
        ? 'not-applicable'
        : brokenIf(!isAsked, { name, domain }, fix),
    'dmarc-rua-invalid': brokenBy(bad.map(({ uri, tag, problem }) => ({ uri: clip(uri, 80), tag, problem }))),
    'dmarc-rua-unauthorised': judgePermission(uris, orgDomain ?? location),
    'dmarc-rua-no-mail': brokenBy(
      dead.map(({ uri, host, noMail }) => ({ uri: clip(uri, 80), host: host ?? '', found: noMail })),
    ),
    'dmarc-rua-many': brokenIf(dmarc.rua.length > 2, { count: dmarc.rua.length }),
  };
}

function judgePermission(uris: readonly SeenUri[], orgDomain: string): Verdict {
  const refused = uris.filter(({ isAuthorised }) => isAuthorised === false);
  const open = uris.some(({ host, isAuthorised }) => host !== null && isAuthorised === null);
  const [first] = refused;
  if (!first) return open ? notTested('whether the report addresses have agreed could not be seen') : 'holds';
  const evidence = refused.map(({ uri, permission }) => ({ uri: clip(uri, 80), orgDomain, permission }));
  const text = 'The owner of the domain that takes the reports publishes this record.';
  return brokenBy(evidence, publish(text, first.permission ?? '', 'v=DMARC1;'));
}
