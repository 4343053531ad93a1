import type { DnsCheckOptions } from '#shared/catalogue/dns-check/options';
import type { ReportFields } from '#shared/model/report';
import type { Verdicts } from '#shared/model/verdict';
import type { Ask } from '../../dns/questions.ts';
import type { DnsAnswer } from '../../probes/dns/port.ts';
import type { Probes } from '../../probes/port.ts';

/** What is asked about the domain's own name, in the first wave, by every run. */
export const apexTypes = [
  'A',
  'AAAA',
  'NS',
  'SOA',
  'MX',
  'TXT',
  'CAA',
  'HTTPS',
  'DS',
  'DNSKEY',
  'CDS',
  'CDNSKEY',
  'NSEC3PARAM',
] as const;
export type ApexType = (typeof apexTypes)[number];

/** What both halves of the check are given to look with. */
export type HalfContext = {
  /** In ASCII, lower case, without the last dot. */
  readonly domain: string;
  readonly options: DnsCheckOptions;
  /** Asks the DNS by the one way there is (`worker/dns/questions.ts`). */
  readonly ask: Ask;
  /** For what is not a question to the DNS. */
  readonly probes: Probes;
};

/** Answers that both halves read, asked once and with DNSSEC; they are on their way when `gather` is called, so that nobody waits for a wave. */
export type SharedAnswers = {
  readonly apex: { readonly [T in ApexType]: Promise<DnsAnswer> };
  /** False when the DNS says NXDOMAIN: then a half asks nothing more, and its evidence is not judged. */
  readonly exists: Promise<boolean>;
};

/** What judging one half gives. */
export type HalfAssessment<Code extends string, Fields extends ReportFields = ReportFields> = {
  readonly verdicts: Verdicts<Code>;
  /** The half's own fields of the report. */
  readonly fields: Fields;
  /** 0–100; null when it could not be computed. */
  readonly score: number | null;
  /** What each broken rule took from that score: code → 0 or below. */
  readonly scoreEffects: { readonly [code: string]: number };
  /** True when something that matters to this half could not be looked at; the report is then `partial`. */
  readonly isPartial: boolean;
};
