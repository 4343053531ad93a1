import { readFileSync } from 'node:fs';
import type { CheckName } from '#shared/catalogue/registry';
import type { Json } from '#shared/model/verdict';
import type { EvidenceFile } from '../../worker/run/judge.ts';

type Fields = { [key: string]: unknown };

/** What a hostile target can make of a check's evidence: as long as its container holds, and shorter. */
export type HostileEvidence = {
  readonly name: string;
  readonly check: string;
  /** The most that a target can send of it: characters of a header section, of an answer, of an address. */
  readonly most: number;
  readonly make: (size: number) => Json;
};

/** Longest header section, longest address of a redirect, longest answer of a DNS server, longest certificate. */
const most = { header: 60_000, address: 8000, answer: 60_000 } as const;

function fixture(check: string, file: string): Fields {
  return JSON.parse(readFileSync(`test/fixtures/${check}/${file}`, 'utf8')) as Fields;
}

function changed(check: string, file: string, change: (evidence: Fields) => void): Json {
  const evidence = fixture(check, file);
  change(evidence);
  return evidence as Json;
}

const count = (from: number, make: (at: number) => string) =>
  Array.from({ length: Math.floor(from) }, (_, at) => make(at));

/** The same fields in each answer of both chains. */
function withHeaders(lines: readonly (readonly string[])[]): Json {
  return changed('security-header-check', 'poor.json', (evidence) => {
    for (const chain of [evidence['https'], evidence['http']])
      for (const hop of (chain as { hops: { headers: unknown[] }[] }).hops) hop.headers.push(...lines);
  });
}

const hosts = (length: number) => count(length / 30, (at) => `https://host-${at}.example-cdn.test`).join(' ');

/** Each for another part of evidence that a target fills. */
export const hostileEvidence: readonly HostileEvidence[] = [
  {
    name: 'security-header-check, 60 kB of policy in each answer',
    check: 'security-header-check',
    most: most.header,
    make: (size) => withHeaders([['Content-Security-Policy', `script-src ${hosts(size)}`]]),
  },
  {
    name: 'security-header-check, 2,000 policies in each answer',
    check: 'security-header-check',
    most: most.header,
    make: (size) =>
      withHeaders(
        count(size / 30, (at) => `script-src ${at}`).map((value) => ['Content-Security-Policy', value]),
      ),
  },
  {
    name: 'security-header-check, 2,000 cookies in each answer',
    check: 'security-header-check',
    most: most.header,
    make: (size) =>
      withHeaders(count(size / 30, (at) => `c${at}=1; Path=/`).map((value) => ['Set-Cookie', value])),
  },
  {
    name: 'dns-check, 60 kB of TXT',
    check: 'dns-check',
    most: most.answer,
    make: (size) =>
      changed('dns-check', 'lame.test.json', (evidence) => {
        const { TXT } = (evidence['dns'] as { apex: { TXT: { answers: { data: { strings: string[] } }[] } } })
          .apex;
        TXT.answers[0]?.data.strings.push(...count(size / 4, () => 'abc'));
      }),
  },
  {
    name: 'ssl-check, 3,750 addresses',
    check: 'ssl-check',
    most: most.answer,
    make: (size) =>
      changed('ssl-check', 'nginx-careful.json', (evidence) => {
        (evidence['addresses'] as string[]).push(...count(size / 16, (at) => `192.0.${at >> 8}.${at & 255}`));
      }),
  },
  {
    name: 'redirect-check, 20 hops of 8,000 characters',
    check: 'redirect-check',
    most: most.address,
    make: (size) =>
      changed('redirect-check', 'loop.json', (evidence) => {
        const [first] = evidence['hops'] as { url: string }[];
        if (!first) return;
        evidence['hops'] = count(20, (at) => `${first.url}${at}?${'q'.repeat(size)}`).map((url) => ({
          ...first,
          url,
        }));
      }),
  },
];

/** A file of evidence as a run makes it. */
export function fileOfEvidence(check: string, target: string, evidence: Json): EvidenceFile {
  return {
    v: 1,
    check,
    target,
    options: {},
    reportId: '01234567-89ab-7cde-8f01-23456789abcd',
    checkedAtMs: Date.UTC(2026, 10, 21),
    durationMs: 1234,
    freshForS: null,
    keepForS: null,
    evidence,
  };
}

/** A target of each check, for evidence that was recorded or made up. */
export const targetsOfEvidence: { readonly [check: string]: string } = {
  'redirect-check': 'http://a.test/',
  'security-header-check': 'https://site.test/',
  'dns-check': 'a.test',
  'ssl-check': 'a.test',
  'smtp-check': 'a.test',
  'pagespeed-check': 'http://a.test/',
  'domain-health': 'a.test',
} satisfies { readonly [check in CheckName]: string };
