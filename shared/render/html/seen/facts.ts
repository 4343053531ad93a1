import type { z } from 'zod';
import { dnsReportShape } from '../../../catalogue/dns-check/report.ts';
import { domainHealthReportShape } from '../../../catalogue/domain-health/report.ts';
import { pagespeedReportShape } from '../../../catalogue/pagespeed-check/report.ts';
import { redirectReportShape } from '../../../catalogue/redirect-check/report.ts';
import type { CheckName } from '../../../catalogue/registry.ts';
import { headerReportShape } from '../../../catalogue/security-header-check/report.ts';
import { smtpReportShape } from '../../../catalogue/smtp-check/report.ts';
import { sslReportShape } from '../../../catalogue/ssl-check/report.ts';
import type { Report } from '../../../model/report.ts';
import { sizeWords, tookWords } from '../../report-words.ts';
import { letterWords } from './lists.ts';

/** One field of a report in words. */
export type Fact = { readonly name: string; readonly words: string };

type Told = string | number | null | undefined | false;
/** What is said of some fields; nothing for null, undefined, false and an empty text. */
type Tellers<Shape extends z.ZodRawShape> = {
  readonly [Name in keyof Shape]?: (value: NonNullable<z.output<Shape[Name]>>) => Told;
};

/** What was seen in words, in the order of the tellers; a field that is null, or not as its check promises, is left out. */
function tell<Shape extends z.ZodRawShape>(shape: Shape, tellers: Tellers<Shape>) {
  return (report: Report): readonly Fact[] =>
    Object.entries(tellers as { readonly [name: string]: (value: unknown) => Told }).flatMap(
      ([name, words]) => {
        const { data } = (shape[name] as z.ZodType | undefined)?.safeParse(report[name]) ?? {};
        const told = data == null ? undefined : words(data);
        return told == null || told === false || told === '' ? [] : [{ name, words: String(told) }];
      },
    );
}

const yesOrNo = (yes: string, no: string) => (is: boolean) => (is ? yes : no);
const itself = (value: string | number) => value;
const ofHundred = (points: number) => `${Math.round(points)} of 100`;
const plain = (code: string) => code.replaceAll('-', ' ');
const answered = ({ reason }: { readonly reason: string }) => reason;

const ssl = tell(sslReportShape, {
  sslLabsEquivalent: letterWords,
  mozillaProfile: (profile) => (profile === 'none' ? 'fits none of them' : profile),
  negotiated: ({ protocol, suite, group }) => [protocol, suite, group ?? []].flat().join(', '),
  alpn: itself,
  cipherPreference: (whose) => `the ${whose} chooses`,
  suitesComplete: yesOrNo('yes', 'no, not every suite could be asked for'),
  http3Advertised: yesOrNo('advertised', 'not advertised'),
  http3: ({ state, reason }) =>
    ({
      answers: 'answers',
      'no-answer': `does not answer${reason === null ? '' : `: ${reason}`}`,
      'not-offered': null,
      unknown: reason,
    })[state],
  echAdvertised: yesOrNo('advertised', 'not advertised'),
  earlyData: ({ accepted }) => accepted !== null && yesOrNo('accepted', 'not accepted')(accepted),
  sessions: ({ resumed }) => resumed !== null && yesOrNo('works', 'does not work')(resumed),
  certificateCompression: ({ algorithm, bytes, wholeBytes }) =>
    algorithm === null ? 'not used' : `${algorithm}, ${sizeWords(bytes)} of ${sizeWords(wholeBytes)}`,
  fallbackRefused: yesOrNo('refused', 'accepted'),
  renegotiationByClient: yesOrNo('accepted', 'refused'),
  ocspStaple: ({ status }) => status,
  revocation: (state) => ({ good: 'not revoked', revoked: 'revoked', 'not-checked': 'not checked' })[state],
  connections: itself,
});

const partWords = {
  ok: 'set up',
  missing: 'not set up',
  invalid: 'not valid',
  unknown: 'not seen',
  'not-applicable': 'nothing to check',
} as const;
const ofPart = ({ state }: { readonly state: keyof typeof partWords }) => partWords[state];

const dns = tell(dnsReportShape, {
  exists: (is) => !is && 'no',
  unicodeDomain: itself,
  alias: (names) => names.join(' → '),
  dnsScore: ofHundred,
  mailScore: ofHundred,
  mailMode: (mode) =>
    ({ mail: 'takes or sends mail', parked: 'neither takes nor sends mail', unknown: 'not known' })[mode],
  spf: ofPart,
  dkim: ofPart,
  dmarc: ({ state, effectivePolicy }) =>
    `${partWords[state]}${effectivePolicy ? `, policy ${effectivePolicy}` : ''}`,
  mtaSts: ({ state, policy }) => `${partWords[state]}${policy ? `, mode ${policy.mode}` : ''}`,
  tlsRpt: ({ state, rua }) => (rua.length === 0 ? partWords[state] : `go to ${rua.join(', ')}`),
  bimi: ofPart,
  caa: ({ state, issue }) =>
    state === 'ok' && issue !== null ? issue.join(', ') || 'no authority may issue' : partWords[state],
  budget: ({ exhausted }) => exhausted && 'reached, so some questions were not asked',
});

const smtp = tell(smtpReportShape, {
  nullMx: (is) => is && 'yes, the domain takes no mail',
  implicit: (is) => is && 'yes, mail goes to the address of the domain itself',
  hostsLeftOut: (count) => count > 0 && count,
  connections: itself,
});

const health = tell(domainHealthReportShape, {
  coverage: (share) => `${Math.round(share * 100)} % of what was asked`,
  registration: ({ registrar, reason, state }) => registrar ?? reason ?? plain(state),
});

const speed = tell(pagespeedReportShape, {
  finalUrl: itself,
  strategy: itself,
  ended: (how) => how !== 'measured' && plain(how),
  rating: plain,
  coreWebVitals: ({ assessment, reason }) => [assessment, reason ?? []].flat().join(': '),
  lcp: ({ element }) => element?.selector,
  runs: ({ count, spread }) => `${count}${spread === null ? '' : `, ${spread} points apart`}`,
  environment: ({ lighthouse, browser }) =>
    [lighthouse === null ? [] : `Lighthouse ${lighthouse}`, browser ?? []].flat().join(', '),
  warnings: (all) => all.join(' '),
  blockedRequests: ({ length }) => length > 0 && length,
});

const redirect = tell(redirectReportShape, {
  finalUrl: itself,
  finalStatus: itself,
  redirects: itself,
  totalMs: tookWords,
  ended: (how) => (how === 'ok' ? 'at a page' : plain(how)),
  laterVisit: ({ url, by }) =>
    `${url}, because of ${by === 'header' ? 'Strict-Transport-Security' : 'the preload list'}`,
  answeredBy: answered,
});

const ofFile = ({ state, reason }: { readonly state: string; readonly reason?: string | undefined }) =>
  [plain(state), reason ?? []].flat().join(': ');

const headers = tell(headerReportShape, {
  judgedUrl: itself,
  answeredBy: answered,
  thirdParties: ({ count }) => (count === 0 ? 'none' : count),
  securityTxt: ofFile,
  robots: ofFile,
});

const tellers: { readonly [check: string]: (report: Report) => readonly Fact[] } = {
  'dns-check': dns,
  'domain-health': health,
  'pagespeed-check': speed,
  'redirect-check': redirect,
  'security-header-check': headers,
  'smtp-check': smtp,
  'ssl-check': ssl,
} satisfies { readonly [check in CheckName]: unknown };

/** What a report's check says of its fields in words; nothing for a check of another release. */
export function factsOf(report: Report): readonly Fact[] {
  return Object.hasOwn(tellers, report.check) ? (tellers[report.check]?.(report) ?? []) : [];
}
