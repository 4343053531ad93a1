import type { MailMode } from '#shared/catalogue/dns-check/mail/report';
import { type TransportCode, transportRules } from '#shared/catalogue/dns-check/mail/rules/transport';
import { allOf, brokenBy, brokenIf, notTested, type Verdicts } from '#shared/model/verdict';
import { clip, showFault } from '../../../../mail/fault.ts';
import type { PolicyObservation } from '../../../../mail/fetch-policy.ts';
import { brokenBySeen, publish } from '../../verdicts.ts';
import type { TransportFacts } from './facts.ts';
import { daneState, judgeDane } from './judge-dane.ts';
import { judgeSts } from './judge-sts.ts';

/** Judges what protects mail on its way to the domain. A domain that takes no mail has nothing to protect. */
export function judgeTransport(
  facts: TransportFacts,
  policy: PolicyObservation | null,
  mode: MailMode,
): Verdicts<TransportCode> {
  const { mx, sts, resolverValidates } = facts;
  if (mode === 'parked' || (mode === 'mail' && mx.hosts.length === 0))
    return allOf(transportRules, 'not-applicable');
  if (mx.hosts.length === 0)
    return allOf(transportRules, notTested('it is not known whether the domain accepts mail'));
  return {
    ...judgeSts({ sts, policy, mx, dane: daneState({ mx, resolverValidates }) }),
    ...judgeDane({ mx, resolverValidates }),
    ...judgeTlsRpt(facts),
  };
}

function judgeTlsRpt({
  tlsRpt,
  domain,
}: TransportFacts): Pick<Verdicts<TransportCode>, Extract<TransportCode, `tls-rpt-${string}`>> {
  const { observation, name, texts, faults, mailboxes } = tlsRpt;
  const dead = mailboxes.filter(({ mailbox }) => mailbox.takes === false);
  const isOpen = mailboxes.some(({ mailbox }) => mailbox.takes === null);
  const unseen =
    observation.outcome === 'unknown'
      ? notTested(`${name} could not be read: ${observation.why}`)
      : undefined;
  const fix = publish('Publish one record like this.', name, `v=TLSRPTv1; rua=mailto:tls-reports@${domain}`);
  return {
    'tls-rpt-missing': unseen ?? brokenIf(texts.length === 0 && faults.length === 0, { name }, fix),
    'tls-rpt-multiple': unseen ?? brokenIf(texts.length > 1, { name, count: texts.length }, fix),
    'tls-rpt-rua-no-mail':
      unseen ??
      (mailboxes.length === 0
        ? 'not-applicable'
        : brokenBySeen(
            dead.map(({ uri, host, mailbox }) => ({ uri: clip(uri, 80), host, found: mailbox.why })),
            isOpen ? notTested('it is not known whether the report addresses accept mail') : undefined,
          )),
    'tls-rpt-syntax':
      unseen ??
      brokenBy(
        faults.map((fault) => ({ name, ...showFault(fault) })),
        fix,
      ),
  };
}
