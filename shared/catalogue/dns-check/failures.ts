/**
 * What the failure of a lookup is told as, where it fails for everybody. Their severities say who is hurt: mail to the domain is lost (MX), its
 * senders are taken for forgers (SPF), its policy is not applied (DMARC), senders hold mail back (DANE) or go without protection (MTA-STS), and
 * CAs do not issue (CAA). Where any other type fails nobody is hurt but who asked: `lookup-failed` informs of it.
 */
export const failureCodes = {
  MX: 'mx-lookup-failed',
  SPF: 'spf-record-lookup-failed',
  'SPF include': 'spf-lookup-failed',
  DMARC: 'dmarc-lookup-failed',
  TLSA: 'dane-lookup-failed',
  'MTA-STS': 'mta-sts-lookup-failed',
  CAA: 'caa-lookup-failed',
} as const;
