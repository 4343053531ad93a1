import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import type { CategoryState } from '#shared/catalogue/domain-health/report';
import type { HealthCode } from '#shared/catalogue/domain-health/rules';
import type { CategoryName } from '#shared/catalogue/domain-health/weights';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import type { HealthEvidence, Source } from '#shared/health/evidence';
import type { FailureCode } from '#shared/model/failure';
import type { Assessment } from '#shared/model/report';
import type { Grade } from '#shared/model/score';
import { chain, failed, late, nowhere, sends, stopped } from '../redirect-check/chain.ts';
import {
  dns,
  dnsFields,
  evidence,
  failedRun,
  goodRedirects,
  headers,
  headersAway,
  notThere,
  performance,
  performanceAway,
  redirect,
  server,
  ssl,
  sslAway,
  withoutVerdict,
} from './parts.ts';
import { registrationCases } from './registration-cases.ts';

export type Case = {
  readonly name: string;
  readonly evidence: HealthEvidence;
  /** Exactly these rules are broken. */
  readonly broken: readonly HealthCode[];
  readonly score: number | null;
  readonly grade: Grade | null;
  /** Default: complete. */
  readonly state?: Assessment['state'];
  /** Default: 1. */
  readonly coverage?: number;
  /** Of the categories that are not `ok`. */
  readonly states?: { readonly [N in CategoryName]?: CategoryState };
};

type Outcome = readonly [score: number | null, grade: Grade | null, broken: readonly HealthCode[]];

function domain(
  [score, grade, broken]: Outcome,
  name: string,
  of: HealthEvidence,
  more: Pick<Case, 'state' | 'coverage' | 'states'> = {},
): Case {
  return { name, evidence: of, broken, score, grade, ...more };
}

/** A domain that is well as far as it was seen. */
function gap(coverage: number, states: NonNullable<Case['states']>, name: string, of: HealthEvidence): Case {
  return domain([100, 'A', ['coverage-incomplete']], name, of, { state: 'partial', coverage, states });
}

const away = { unavailable: 'it did not end in time' };
const noBrowser = { unavailable: 'no browser worker is running' };

/** The source as a check reports it where a bot wall answered instead of the site. */
function blocked(source: Source): Source {
  if (!('report' in source)) return source;
  const { report } = source;
  const [finding] = judged(performance({ broken: ['target-blocks-checks'], score: null })).findings;
  if (!finding) throw new Error('the rule is gone');
  return { report: { ...report, findings: [finding, ...report.findings] } };
}

function judged(source: Source) {
  if (!('report' in source)) throw new Error('a source without a report');
  return source.report;
}

/** Entry points, of which these take the place of the good ones with the same address. */
const ways = (...changed: HealthEvidence['redirects']): Pick<HealthEvidence, 'redirects'> => ({
  redirects: goodRedirects().map((good) => changed.find(({ url }) => url === good.url) ?? good),
});
const apexOnly = (...changed: HealthEvidence['redirects']): Pick<HealthEvidence, 'redirects'> => ({
  redirects: ways(...changed).redirects.slice(0, 2),
});
const everyWay = (code: FailureCode): Pick<HealthEvidence, 'redirects'> => ({
  redirects: goodRedirects().map(({ url }) => redirect(failed(code, url))),
});
const unseenWays: Pick<HealthEvidence, 'redirects'> = {
  redirects: goodRedirects().map(({ url }) => ({ url, part: away })),
};

const foreignCertificate = {
  tls: { protocol: 'TLSv1.3', trusted: false, error: 'ERR_TLS_CERT_ALTNAME_INVALID' },
};
/** A browser at https://a.test/ was sent on by the page. */
const sentOn = (to: string): Pick<HealthEvidence, 'performance'> => ({
  performance: performance({ score: 100 }, { finalUrl: to, sentOn: { from: 'https://a.test/', to } }),
});

/** At www alone the certificate is for another name. */
const wwwDistrusted = [
  redirect(chain('http://www.a.test/', ['https://www.a.test/', foreignCertificate], 'https://a.test/')),
  redirect(chain(['https://www.a.test/', foreignCertificate], 'https://a.test/')),
];

const noAddress = { records: { ...dnsFields.records, A: [], AAAA: [] } };
const noWeb = {
  ssl: sslAway('name-not-found'),
  headers: headersAway(),
  performance: performanceAway(),
  redirects: [
    redirect(failed('name-not-found', 'http://a.test/')),
    redirect(failed('name-not-found', 'https://a.test/')),
  ],
};
const webNotApplicable = {
  ssl: 'not-applicable',
  headers: 'not-applicable',
  performance: 'not-applicable',
} as const;
const noMail = { mailMode: 'parked', mx: { state: 'ok', nullMx: true, implicit: false, hosts: [] } };

const wholes: readonly Case[] = [
  domain([100, 'A+', []], 'a domain without a flaw is A+', evidence()),
  domain(
    [94, 'B', ['category-poor']],
    'the score is the mean by weight: speed of 50 is 15 × 50 of 100 × 100 less',
    evidence({ performance: performance({ score: 60 }) }),
  ),
  domain(
    [100, 'A', []],
    'a flaw that any part finds forbids A+, though the score is 100',
    evidence({ ssl: ssl({ broken: ['hsts-short'], score: 100 }) }),
  ),
  domain(
    [null, null, ['domain-not-found']],
    'a domain that does not exist has no score, and nothing else is said of it',
    evidence({ ...noWeb, dns: notThere() }),
    {
      state: 'unreachable',
      coverage: 0,
      states: { ...webNotApplicable, dns: 'not-applicable', mail: 'not-applicable' },
    },
  ),
  domain(
    [null, null, ['domain-not-found']],
    'that it does not exist is taken from the field too, where the finding is missing',
    evidence({ ...noWeb, dns: dns({}, { exists: false, dnsScore: null, mailScore: null }) }),
    {
      state: 'unreachable',
      coverage: 0,
      states: { ...webNotApplicable, dns: 'not-applicable', mail: 'not-applicable' },
    },
  ),
  domain(
    [100, 'A+', []],
    'mail only: without an address the web does not apply, and lowers nothing',
    evidence({ ...noWeb, dns: dns({}, noAddress) }),
    { states: webNotApplicable },
  ),
  domain(
    [100, 'A+', []],
    'mail only, with the entry points left out',
    evidence({ ...noWeb, dns: dns({}, noAddress), redirects: [] }),
    { states: webNotApplicable },
  ),
  domain(
    [null, null, ['coverage-incomplete']],
    'no address by every part but the DNS, which was not seen',
    evidence({ ...noWeb, dns: away }),
    {
      state: 'unreachable',
      coverage: 0,
      states: { ...webNotApplicable, dns: 'unavailable', mail: 'unavailable' },
    },
  ),
  domain(
    [94, 'A', []],
    'parked: no web and a null MX; mail is judged by how well the door is shut',
    evidence({
      ...noWeb,
      dns: dns({ broken: ['spf-missing-parked'] }, { ...noAddress, ...noMail }),
    }),
    { states: webNotApplicable },
  ),
  domain(
    [86, 'B', []],
    'parked, without DMARC: no limit, for nobody writes to it',
    evidence({ ...noWeb, dns: dns({ broken: ['dmarc-missing'] }, { ...noAddress, ...noMail }) }),
    { states: webNotApplicable },
  ),
  domain(
    [100, 'C', ['web-server-missing']],
    'no web server: there is an address, and every connection is refused',
    evidence({
      ssl: sslAway('connection-refused'),
      headers: headersAway(),
      performance: performanceAway(),
      ...everyWay('connection-refused'),
    }),
    { states: webNotApplicable },
  ),
  domain(
    [100, 'C', ['web-server-missing']],
    'no web server at the domain, and www has no address',
    evidence({
      ssl: sslAway('connection-refused'),
      headers: headersAway(),
      performance: performanceAway(),
      redirects: [
        redirect(failed('connection-refused', 'http://a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
        redirect(failed('name-not-found', 'http://www.a.test/')),
        redirect(failed('name-not-found', 'https://www.a.test/')),
      ],
    }),
    { states: webNotApplicable },
  ),
  domain(
    [null, null, ['page-not-seen', 'coverage-incomplete']],
    'a web that drops every connection is not seen, and costs no points',
    evidence({
      ssl: sslAway('connection-timeout'),
      headers: headersAway(),
      performance: performanceAway(),
      ...everyWay('connection-timeout'),
    }),
    {
      state: 'partial',
      coverage: 0.4,
      states: { ssl: 'unavailable', headers: 'unavailable', performance: 'unavailable' },
    },
  ),
  domain(
    [75, 'D', ['https-missing']],
    'only http: TLS is refused while http answers, so ssl is 0, and the domain no better than D',
    evidence({
      ssl: sslAway('connection-refused'),
      redirects: [
        redirect(chain('http://a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'http://a.test/')),
        redirect(failed('connection-refused', 'https://www.a.test/')),
      ],
    }),
  ),
  ...['connection-reset', 'connection-closed', 'tls-alert', 'parameters-not-common'].map((code): Case => ({
    name: `only http: ${code} is as definite as a closed port`,
    evidence: evidence({
      ssl: sslAway(code),
      ...apexOnly(redirect(chain('http://a.test/')), redirect(failed('tls-failed', 'https://a.test/'))),
    }),
    broken: ['https-missing'],
    score: 75,
    grade: 'D',
  })),
  domain(
    [80, 'D', ['https-missing']],
    'port 443 in plain HTTP keeps the score that ssl-check gives it',
    evidence({
      ssl: ssl({ broken: ['port-speaks-http'] }),
      ...apexOnly(redirect(chain('http://a.test/')), redirect(failed('not-tls', 'https://a.test/'))),
    }),
  ),
  domain(
    [80, 'D', ['https-missing', 'coverage-incomplete']],
    'port 443 in plain HTTP is no HTTPS, though port 80 was not seen',
    evidence({
      ssl: ssl({ broken: ['port-speaks-http'] }),
      ...apexOnly({ url: 'http://a.test/', part: away }, redirect(failed('not-tls', 'https://a.test/'))),
    }),
    { state: 'partial' },
  ),
  domain(
    [100, 'C', ['http-not-upgraded', 'coverage-incomplete']],
    'TLS that is silent may be our own path: unavailable, not 0',
    evidence({
      ssl: sslAway('tls-silent'),
      ...apexOnly(redirect(chain('http://a.test/')), redirect(failed('tls-timeout', 'https://a.test/'))),
    }),
    { state: 'partial', coverage: 0.75, states: { ssl: 'unavailable' } },
  ),
  gap(
    0.75,
    { ssl: 'unavailable' },
    'a reset that another check did not meet is no refusal of TLS',
    evidence({ ssl: sslAway('connection-reset') }),
  ),
  domain(
    [75, 'C', ['category-failed', 'entry-point-broken']],
    'https at www alone: the domain’s own port 443 is 0, and yet there is HTTPS',
    evidence({
      ssl: sslAway('connection-refused'),
      redirects: [
        redirect(chain('http://a.test/', 'https://www.a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
        redirect(chain('https://www.a.test/')),
      ],
    }),
  ),
];

const late500 = (url: string) => redirect(chain([url, { status: 500 }]));

const unavailable: readonly Case[] = [
  gap(
    0.75,
    { ssl: 'unavailable' },
    'one part that failed is left out of the mean, and the grade stays below A+',
    evidence({ ssl: failedRun(sslCheck, 'a.test') }),
  ),
  gap(0.8, { headers: 'unavailable' }, 'one part that did not end in time', evidence({ headers: away })),
  gap(0.85, { performance: 'unavailable' }, 'no browser is running', evidence({ performance: noBrowser })),
  gap(
    0.85,
    { performance: 'unavailable' },
    'the browser was there, and failed',
    evidence({ performance: failedRun(pagespeedCheck, 'https://a.test/') }),
  ),
  gap(
    0.85,
    { performance: 'unavailable' },
    'a page that is kept from our browser is a gap, not a slow page',
    evidence({
      performance: performance({ broken: ['target-blocks-checks'], state: 'partial', score: null }),
    }),
  ),
  ...[0, 30, 100].map((points): Case => ({
    name: `headers of a page that blocks us count neither as F nor as A, though they had ${points}`,
    evidence: evidence({ headers: blocked(headers({ score: points })) }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.8,
    states: { headers: 'unavailable' },
  })),
  domain(
    [100, 'D', ['page-not-seen', 'coverage-incomplete']],
    'a site that blocks us at every entry and page leaves DNS, mail and TLS to be scored, which are no site',
    evidence({
      headers: blocked(headers({ score: 20 })),
      performance: blocked(performance({ score: null })),
      redirects: goodRedirects().map(({ url }) => {
        const { part } = redirect(chain([url, { status: 403 }]));
        return { url, part: blocked(part) };
      }),
    }),
    { state: 'partial', coverage: 0.65, states: { headers: 'unavailable', performance: 'unavailable' } },
  ),
  domain(
    [100, 'D', ['page-not-seen', 'coverage-incomplete']],
    'a front page that is no document was reached, and is no page',
    evidence({
      headers: headers({ broken: ['target-no-document'], state: 'partial', score: null }),
      performance: performance({ broken: ['page-not-html'], state: 'partial', score: null }),
    }),
    { state: 'partial', coverage: 0.65, states: { headers: 'unavailable', performance: 'unavailable' } },
  ),
  domain(
    [100, 'D', ['entry-points-all-broken', 'coverage-incomplete']],
    'a site that says 503 at every entry fails, for us or for all',
    evidence({
      headers: blocked(headers({ score: null })),
      performance: performanceAway('target-error-status'),
      redirects: goodRedirects().map(({ url }) => redirect(chain([url, { status: 503 }]))),
    }),
    { state: 'partial', coverage: 0.65, states: { headers: 'unavailable', performance: 'unavailable' } },
  ),
  gap(
    0.85,
    { performance: 'unavailable' },
    'a page that cannot be measured has no speed, and not speed 0',
    evidence({
      performance: performance({ broken: ['target-error-status'], state: 'partial', score: null }),
    }),
  ),
  gap(
    0.6,
    { dns: 'unavailable', mail: 'unavailable' },
    'dns-check gives two categories, so both are away with it',
    evidence({ dns: failedRun(dnsCheck, 'a.test') }),
  ),
  gap(
    0.6,
    { dns: 'unavailable', mail: 'unavailable' },
    'a dns-check report of an unknown shape is not guessed at',
    evidence({ dns: dns({}, { ns: undefined as never }) }),
  ),
  domain(
    [null, null, ['coverage-incomplete']],
    'less than half of the weight gives no score',
    evidence({ dns: away, performance: noBrowser, headers: away }),
    {
      state: 'partial',
      coverage: 0.25,
      states: { dns: 'unavailable', mail: 'unavailable', performance: 'unavailable', headers: 'unavailable' },
    },
  ),
  domain(
    [null, null, ['coverage-incomplete']],
    'nothing at all came in time: that is ours, so the domain is not called unreachable',
    evidence({ dns: away, ssl: away, headers: away, performance: away, ...unseenWays }),
    {
      state: 'partial',
      coverage: 0,
      states: {
        dns: 'unavailable',
        ssl: 'unavailable',
        headers: 'unavailable',
        performance: 'unavailable',
        mail: 'unavailable',
      },
    },
  ),
  gap(
    0.5,
    { ...webNotApplicable, mail: 'unavailable' },
    'exactly half of what applies is enough',
    evidence({
      ...noWeb,
      dns: dns(
        { state: 'partial', broken: [] },
        { ...noAddress, mailScore: null, spf: { ...dnsFields.spf, state: 'unknown' } },
      ),
    }),
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'a part that was seen in part counts, and keeps the grade below A+',
    evidence({ headers: headers({ state: 'partial', unseen: ['csp-missing'] }) }),
    { state: 'partial', states: { headers: 'partial' } },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'a dns-check whose mail was not seen whole is partial in mail alone',
    evidence({
      dns: dns(
        { state: 'partial', unseen: ['spf-missing'] },
        { spf: { ...dnsFields.spf, state: 'unknown' } },
      ),
    }),
    { state: 'partial', states: { mail: 'partial' } },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'a dns-check with a record unknown is partial in DNS alone',
    evidence({
      dns: dns({ state: 'partial' }, { recordsUnknown: [{ type: 'CAA', reason: 'timeout' }] }),
    }),
    { state: 'partial', states: { dns: 'partial' } },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'a partial dns-check that does not say in what is partial in both',
    evidence({ dns: dns({ state: 'partial' }) }),
    { state: 'partial', states: { dns: 'partial', mail: 'partial' } },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'entry points that were not seen keep the grade below A+',
    evidence(unseenWays),
    { state: 'partial' },
  ),
];

const nameServers = (...answers: readonly (boolean | null)[]) => ({
  ns: {
    ...dnsFields.ns,
    servers: answers.map((answer, index) => server(`ns${index + 1}.a.test`, `192.0.2.${index + 50}`, answer)),
  },
});
const tokenOf = (status: string) => ({ dnssec: { ...dnsFields.dnssec, status } });

const limited: readonly Case[] = [
  domain(
    [80, 'F', ['ssl-failed']],
    'an expired certificate is F, whatever the rest',
    evidence({ ssl: ssl({ broken: ['certificate-expired'] }) }),
  ),
  domain(
    [82, 'C', ['category-failed']],
    'TLS graded F by nothing grave, with a certificate that is trusted, turns nobody away',
    evidence({ ssl: ssl({ broken: ['caa-missing'], score: 30 }) }),
  ),
  domain(
    [82, 'F', ['ssl-failed']],
    'TLS graded F by nothing grave alone is F too',
    evidence({ ssl: ssl({ broken: ['caa-missing'], score: 30 }, { trusted: false }) }),
  ),
  domain(
    [91, 'B', ['category-poor']],
    'TLS graded D is no better than B',
    evidence({ ssl: ssl({ score: 65 }) }),
  ),
  domain(
    [90, 'F', ['dnssec-bogus', 'category-failed']],
    'a bogus zone is F',
    evidence({ dns: dns({ broken: ['dnssec-bogus'] }, tokenOf('bogus')) }),
  ),
  domain(
    [90, 'F', ['dnssec-bogus', 'category-failed']],
    'a zone that we find bogus, where the resolver does not look, is F too',
    evidence({ dns: dns({ broken: ['dnssec-ds-without-key'] }, tokenOf('bogus')) }),
  ),
  domain(
    [100, 'F', ['dnssec-bogus']],
    'a zone called bogus without a finding is F for the reason of its status',
    evidence({ dns: dns({}, tokenOf('bogus')) }),
  ),
  domain(
    [99, 'A', []],
    'a zone that is not signed is not limited',
    evidence({ dns: dns({ broken: ['dnssec-unsigned'] }, tokenOf('insecure')) }),
  ),
  domain(
    [94, 'C', ['delegation-broken']],
    'name servers that parent and zone do not agree on at all break the delegation',
    evidence({ dns: dns({ broken: ['ns-parent-child-disjoint'] }) }),
  ),
  domain(
    [0, 'F', ['delegation-broken', 'category-failed', 'page-not-seen', 'coverage-incomplete']],
    'dead name servers: what dns-check says of the domain, complete and F, and nothing behind it applies',
    evidence({
      dns: dns(
        { broken: ['ns-none-answers'] },
        {
          ...nameServers(null, null),
          records: {},
          recordsUnknown: [{ type: 'A', reason: 'SERVFAIL' }],
          spf: { ...dnsFields.spf, state: 'unknown' },
          mailScore: null,
          exists: null,
        },
      ),
      ssl: sslAway('name-unresolved'),
      headers: headersAway(),
      performance: performanceAway(),
      ...everyWay('name-unresolved'),
    }),
    {
      state: 'complete',
      coverage: 1,
      states: {
        mail: 'not-applicable',
        ssl: 'not-applicable',
        headers: 'not-applicable',
        performance: 'not-applicable',
      },
    },
  ),
  domain(
    [80, 'C', ['delegation-broken', 'category-failed']],
    'dead name servers behind caches that still answer: the web goes on, the grade does not',
    evidence({ dns: dns({ broken: ['ns-none-answers'] }, nameServers(null, null)) }),
  ),
  ...['ns-single', 'ns-same-address'].map((code): Case => ({
    name: `${code} is one name server`,
    evidence: evidence({ dns: dns({ broken: [code] }) }),
    broken: ['name-server-alone'],
    score: 94,
    grade: 'C',
  })),
  domain(
    [94, 'C', ['name-server-alone']],
    'one name server that answers beside one that does not know the zone is alone',
    evidence({ dns: dns({ broken: ['ns-lame'] }, nameServers(true, false)) }),
  ),
  domain(
    [94, 'C', ['name-server-alone']],
    'one name server that answers beside silent ones is alone, as far as we see',
    evidence({ dns: dns({ broken: ['ns-silent'] }, nameServers(null, true, null)) }),
  ),
  domain(
    [94, 'A', []],
    'two of three that answer are enough',
    evidence({ dns: dns({ broken: ['ns-silent'] }, nameServers(true, true, null)) }),
  ),
  domain(
    [100, 'A+', []],
    'one that answers by IPv4 is not called alone for others that have IPv6 only: that way may be closed to us',
    evidence({
      dns: dns(
        {},
        {
          ns: {
            ...dnsFields.ns,
            servers: [server('ns1.a.test', '192.0.2.53', true), server('ns2.a.test', '2001:db8::53', null)],
          },
        },
      ),
    }),
  ),
  domain(
    [100, 'A+', []],
    'a name inside another zone has no name servers of its own to judge',
    evidence({ dns: dns({}, { ns: { ...dnsFields.ns, servers: [] } }) }),
  ),
  domain(
    [94, 'C', ['category-failed']],
    'an F in speed holds the domain at C',
    evidence({ performance: performance({ score: 59 }) }),
  ),
  domain(
    [86, 'C', ['category-failed', 'category-poor']],
    'F in one and D in another: the stricter limit holds, both are told',
    evidence({ performance: performance({ score: 59 }), headers: headers({ score: 60 }) }),
  ),
  domain(
    [86, 'C', ['category-failed', 'mail-lost']],
    'a domain whose mail hosts cannot be reached loses its mail, and is no better than C',
    evidence({ dns: dns({ broken: ['mx-none-reachable'] }) }),
  ),
  domain(
    [86, 'C', ['category-failed', 'finding-critical']],
    'a critical finding of mail is no better than C: its own policy shuts a mail host out',
    evidence({ dns: dns({ broken: ['mta-sts-mx-mismatch'] }) }),
  ),
  ...['cors-reflects-origin-credentials', 'csp-nonce-repeated'].map((code): Case => ({
    name: `a critical finding of the headers is no better than C: ${code}`,
    evidence: evidence({ headers: headers({ broken: [code], score: 95 }) }),
    broken: ['finding-critical'],
    score: 99,
    grade: 'C',
  })),
  domain(
    [79, 'F', ['ssl-failed']],
    'what the headers say of https is told by TLS and the entry points, not twice',
    evidence({
      ssl: ssl({ broken: ['certificate-expired'] }),
      headers: headers({ broken: ['certificate-not-trusted'], score: 95 }),
    }),
  ),
  domain(
    [80, 'C', ['finding-critical', 'category-failed']],
    'an expired certificate that only clients without ECDSA are shown turns nobody of today away',
    evidence({ ssl: ssl({ broken: ['certificate-expired'] }, { trusted: true }) }),
  ),
  domain(
    [75, 'F', ['ssl-failed']],
    'such a certificate beside what breaks TLS for everybody fails all the same',
    evidence({
      ssl: ssl({ broken: ['certificate-expired', 'sslv2-offered'] }, { trusted: true }),
    }),
  ),
  domain(
    [80, 'F', ['ssl-failed']],
    'an ssl report that does not know of trust is as grave as it says',
    evidence({ ssl: ssl({ broken: ['certificate-expired'] }, { trusted: null }) }),
  ),
  domain(
    [86, 'C', ['category-failed', 'spf-all-pass']],
    'SPF that allows everybody is no better than C',
    evidence({ dns: dns({ broken: ['spf-all-pass'] }) }),
  ),
  domain(
    [94, 'B', ['dmarc-missing']],
    'mail without DMARC is no better than B',
    evidence({ dns: dns({ broken: ['dmarc-missing'] }) }),
  ),
  domain(
    [94, 'B', ['dmarc-missing']],
    'mail with a DMARC record that has no effect is no better than B either',
    evidence({ dns: dns({ broken: ['dmarc-no-effect'] }) }),
  ),
  domain(
    [94, 'B', ['dmarc-missing']],
    'mail with DMARC records that are void all of them is no better than B either',
    evidence({ dns: withoutVerdict('dmarc-missing', dns({ broken: ['dmarc-multiple'] })) }),
  ),
  domain(
    [94, 'A', []],
    'a void DMARC record does not limit where another applies',
    evidence({ dns: dns({ broken: ['dmarc-multiple'] }) }),
  ),
  domain(
    [94, 'A', []],
    'without an MX record of its own, a missing DMARC does not limit',
    evidence({
      dns: dns({ broken: ['dmarc-missing'] }, { mx: { ...dnsFields.mx, implicit: true } }),
    }),
  ),
  domain(
    [94, 'A', ['coverage-incomplete']],
    'where the MX was not seen, neither does it',
    evidence({
      dns: dns(
        { broken: ['dmarc-missing'], state: 'partial' },
        { mx: { ...dnsFields.mx, state: 'unknown', hosts: [] } },
      ),
    }),
    { state: 'partial', states: { mail: 'partial' } },
  ),
];

const entries: readonly Case[] = [
  domain(
    [100, 'C', ['http-not-upgraded']],
    'http that stays http beside a good https is no better than C',
    evidence(ways(redirect(chain('http://a.test/')))),
  ),
  domain(
    [100, 'C', ['http-not-upgraded']],
    'http that stays http at www counts as much',
    evidence(ways(redirect(chain('http://www.a.test/', 'http://a.test/')))),
  ),
  domain(
    [100, 'A+', []],
    'a closed port 80 has nothing to upgrade',
    evidence(
      ways(
        redirect(failed('connection-refused', 'http://a.test/')),
        redirect(failed('connection-refused', 'http://www.a.test/')),
      ),
    ),
  ),
  ...(['http://a.test/', 'http://www.a.test/'] as const).map((shut): Case => ({
    name: `a port 80 that is open at one host alone is as good as none, where https answers (${shut} is closed)`,
    evidence: evidence(ways(redirect(failed('connection-refused', shut)))),
    broken: [],
    score: 100,
    grade: 'A+',
  })),
  domain(
    [100, 'B', ['entry-point-broken']],
    'a www at which neither port answers is broken at both',
    evidence(
      ways(
        redirect(failed('connection-refused', 'http://www.a.test/')),
        redirect(failed('connection-refused', 'https://www.a.test/')),
      ),
    ),
  ),
  domain(
    [100, 'B', ['entry-point-broken']],
    'www that refuses https while the domain speaks it is broken',
    evidence(ways(redirect(failed('connection-refused', 'https://www.a.test/')))),
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'a www that does not answer in time is not called broken',
    evidence(ways(redirect(failed('connection-timeout', 'https://www.a.test/')))),
    { state: 'partial' },
  ),
  domain(
    [100, 'A+', []],
    'a www without an address is a choice',
    evidence(
      ways(
        redirect(failed('name-not-found', 'http://www.a.test/')),
        redirect(failed('name-not-found', 'https://www.a.test/')),
      ),
    ),
  ),
  domain([100, 'A+', []], 'a www that is left out is one too', evidence(apexOnly())),
  domain(
    [100, 'B', ['entry-point-broken']],
    'a domain without an address, whose www works, is broken for those who type it',
    evidence(
      ways(
        redirect(failed('name-not-found', 'http://a.test/')),
        redirect(failed('name-not-found', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
        redirect(chain('https://www.a.test/')),
      ),
    ),
  ),
  ...[
    stopped({ kind: 'loop', to: 'https://www.a.test/' }, 'https://www.a.test/'),
    stopped({ kind: 'too-many' }, 'https://www.a.test/'),
    stopped({ kind: 'invalid-location' }, ['https://www.a.test/', { status: 302, ...sends('http://[b') }]),
    stopped({ kind: 'foreign-scheme', scheme: 'ftp' }, 'https://www.a.test/'),
    nowhere('its host is "none"', 'https://www.a.test/', 'https://none/'),
    failed('name-not-found', 'https://www.a.test/', 'https://gone.a.test/'),
    failed('connection-refused', 'https://www.a.test/', 'https://gone.a.test/'),
  ].map((broken, index): Case => ({
    name: `an entry point whose redirects lead to no page is broken (${index + 1}: ${broken.stop.kind})`,
    evidence: evidence(ways(redirect(broken))),
    broken: ['entry-point-broken'],
    score: 100,
    grade: 'B',
  })),
  ...[
    failed('target-not-allowed', 'https://www.a.test/', 'https://www.a.test:25/'),
    stopped({ kind: 'location-too-long', length: 9000 }, 'https://www.a.test/'),
    late('https://www.a.test/'),
    chain(['https://www.a.test/', { status: 429 }]),
  ].map((unseen, index): Case => ({
    name: `an entry point that we did not see to its end is not called broken (${index + 1}: ${unseen.stop.kind})`,
    evidence: evidence(ways(redirect(unseen))),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
  })),
  domain(
    [100, 'B', ['target-address-not-allowed', 'entry-point-broken']],
    'a later hop to a private address is told as such too',
    evidence(
      ways(redirect(failed('target-address-not-allowed', 'https://www.a.test/', 'https://in.a.test/'))),
    ),
  ),
  domain(
    [100, 'D', ['entry-points-all-broken', 'coverage-incomplete']],
    'redirects in a circle at every entry are a site that nobody reaches',
    evidence({
      headers: headersAway(),
      performance: performanceAway('page-interstitial'),
      redirects: goodRedirects().map(({ url }) => redirect(stopped({ kind: 'loop', to: url }, url))),
    }),
    { state: 'partial', coverage: 0.65, states: { headers: 'unavailable', performance: 'unavailable' } },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'a site that shuts us out with 403 everywhere may be there for others',
    evidence({
      redirects: goodRedirects().map(({ url }) =>
        redirect(chain([url, { status: 301 }], ['https://a.test/in', { status: 403 }])),
      ),
    }),
    { state: 'partial' },
  ),
  domain(
    [null, null, ['target-address-not-allowed', 'entry-points-all-broken', 'coverage-incomplete']],
    'a domain that points at a private address is unreachable, and nothing is scored',
    evidence({
      ssl: sslAway('target-address-not-allowed'),
      headers: headersAway(),
      performance: performanceAway('target-address-not-allowed'),
      ...everyWay('target-address-not-allowed'),
    }),
    {
      state: 'unreachable',
      coverage: 0.4,
      states: { ssl: 'unavailable', headers: 'unavailable', performance: 'unavailable' },
    },
  ),
  domain(
    [80, 'F', ['ssl-failed', 'entry-point-broken']],
    'www alone has an address: its parts can be judged in place of the domain’s',
    evidence({
      dns: dns({}, noAddress),
      ssl: ssl({ broken: ['certificate-expired'], target: 'www.a.test' }),
      redirects: [
        redirect(failed('name-not-found', 'http://a.test/')),
        redirect(failed('name-not-found', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
        redirect(
          chain([
            'https://www.a.test/',
            { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } },
          ]),
        ),
      ],
    }),
  ),
  domain(
    [100, 'A+', []],
    'a gate of cookies arrives in the end',
    evidence(ways(redirect(chain('https://a.test/', 'https://a.test/in', 'https://a.test/')))),
  ),
  ...[404, 500].map((status): Case => ({
    name: `an entry point that ends with ${status} is an error page`,
    evidence: evidence(ways(redirect(chain(['https://www.a.test/', { status }])))),
    broken: ['entry-point-error-status'],
    score: 100,
    grade: 'A',
  })),
  ...[401, 503].map((status): Case => ({
    name: `an entry point that answers us with ${status} may be whole for visitors: it is a gap`,
    evidence: evidence(ways(redirect(chain(['https://www.a.test/', { status }])))),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
  })),
  domain(
    [100, 'D', ['entry-points-all-broken', 'http-not-upgraded', 'entry-point-error-status']],
    'a site that answers 500 everywhere is told at each entry',
    evidence({ redirects: goodRedirects().map(({ url }) => late500(url)) }),
  ),
  domain(
    [100, 'C', ['https-downgrade']],
    'https that leads to http is no better than C, though it is mended later',
    evidence(ways(redirect(chain('https://a.test/', 'http://a.test/in', 'https://a.test/in')))),
  ),
  domain(
    [100, 'A', ['entry-points-differ']],
    'two hosts that both answer are two sites',
    evidence(
      ways(
        redirect(chain('https://www.a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
      ),
    ),
  ),
  domain(
    [100, 'A+', []],
    'a browser stays at the page where the redirects end',
    evidence({ performance: performance({ score: 100 }, { sentOn: null }) }),
  ),
  domain(
    [100, 'A+', ['entry-point-sends-on']],
    'a browser was sent on by script, to a page of the same host',
    evidence(sentOn('https://a.test/en/')),
  ),
  domain(
    [100, 'A+', ['entry-point-sends-on']],
    'two hosts of which one sends browsers to the other by script are one site',
    evidence({
      ...sentOn('https://www.a.test/'),
      ...ways(
        redirect(chain('https://www.a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
      ),
    }),
  ),
  domain(
    [100, 'C', ['http-not-upgraded', 'https-downgrade', 'entry-point-sends-on']],
    'a script that sends browsers from https to http',
    evidence(sentOn('http://a.test/old')),
  ),
  domain(
    [100, 'A+', []],
    'a browser that came from another page says nothing of this one',
    evidence({
      performance: performance(
        { score: 100 },
        { finalUrl: 'http://b.test/', sentOn: { from: 'https://a.test/?visit=1', to: 'http://b.test/' } },
      ),
    }),
  ),
  domain(
    [100, 'A+', []],
    'another page of one host is one site',
    evidence(ways(redirect(chain('https://www.a.test/', 'https://a.test/en/')))),
  ),
  domain(
    [100, 'C', ['entry-point-certificate-not-trusted']],
    'a certificate that is refused at www alone is told',
    evidence(
      ways(
        redirect(
          chain(
            [
              'https://www.a.test/',
              { tls: { protocol: 'TLSv1.3', trusted: false, error: 'ERR_TLS_CERT_ALTNAME_INVALID' } },
            ],
            'https://a.test/',
          ),
        ),
      ),
    ),
  ),
  domain(
    [100, 'A+', []],
    'where a wildcard answers for www, its certificate may be nobody’s fault',
    evidence({ dns: dns({ broken: ['wildcard-present'] }), ...ways(...wwwDistrusted) }),
  ),
  domain(
    [100, 'C', ['entry-point-certificate-not-trusted']],
    'a www that the domain itself leads to was chosen, wildcard or not',
    evidence({
      dns: dns({ broken: ['wildcard-present'] }),
      ...ways(
        ...wwwDistrusted,
        redirect(chain('https://a.test/', ['https://www.a.test/', foreignCertificate], 'https://a.test/in')),
      ),
    }),
  ),
  domain(
    [100, 'A+', []],
    'where a wildcard answers for www, that its https is shut is no fault either',
    evidence({
      dns: dns({ broken: ['wildcard-present'] }),
      ...ways(redirect(failed('connection-refused', 'https://www.a.test/'))),
    }),
  ),
  domain(
    [80, 'F', ['ssl-failed']],
    'a certificate that ssl-check has failed is told once',
    evidence({
      ssl: ssl({ broken: ['certificate-expired'] }),
      ...ways(
        redirect(
          chain([
            'https://a.test/',
            { tls: { protocol: 'TLSv1.3', trusted: false, error: 'CERT_HAS_EXPIRED' } },
          ]),
        ),
      ),
    }),
  ),
  domain(
    [100, 'A', ['http-upgraded-elsewhere']],
    'http that leads to another site, and there to https, never shows an https address of its own',
    evidence({
      redirects: [
        redirect(chain('http://a.test/', 'https://b.test/')),
        redirect(chain('https://a.test/', 'https://b.test/')),
      ],
    }),
  ),
  domain(
    [100, 'A+', []],
    'over https of its own, then to another site, is well',
    evidence({
      redirects: [
        redirect(chain('http://a.test/', 'https://a.test/', 'https://b.test/')),
        redirect(chain('https://a.test/', 'https://b.test/')),
      ],
    }),
  ),
];

const leftOut = { unavailable: 'it was left out of what was asked for' };
const leftOutStates = (...names: readonly CategoryName[]): NonNullable<Case['states']> =>
  Object.fromEntries(names.map((name) => [name, 'left-out']));

/** Evidence of some parts of a domain; what they do not need was not asked. */
function partsOnly(parts: readonly CategoryName[], change: Partial<HealthEvidence> = {}): HealthEvidence {
  const isAsked = (...names: readonly CategoryName[]) => names.some((name) => parts.includes(name));
  return evidence({
    parts,
    ...(isAsked('dns', 'mail') ? {} : { dns: leftOut }),
    ...(isAsked('ssl') ? {} : { ssl: leftOut }),
    ...(isAsked('headers') ? {} : { headers: leftOut }),
    ...(isAsked('performance') ? {} : { performance: leftOut }),
    ...(isAsked('ssl', 'headers', 'performance') ? {} : { redirects: [] }),
    ...change,
  });
}

const someParts: readonly Case[] = [
  domain(
    [100, 'A', ['coverage-incomplete']],
    'all but performance, and well',
    partsOnly(['dns', 'ssl', 'headers', 'mail']),
    {
      coverage: 0.85,
      states: leftOutStates('performance'),
    },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'dns alone, and well: less than half of the domain, but all that was asked',
    partsOnly(['dns']),
    {
      coverage: 0.2,
      states: leftOutStates('ssl', 'headers', 'performance', 'mail'),
    },
  ),
  domain(
    [null, null, ['coverage-incomplete']],
    'dns and ssl, of which ssl did not end: less than half of what was asked has a score',
    partsOnly(['dns', 'ssl'], { ssl: away }),
    {
      state: 'partial',
      coverage: 0.2,
      states: { ssl: 'unavailable', ...leftOutStates('headers', 'performance', 'mail') },
    },
  ),
  domain(
    [100, 'A', ['coverage-incomplete']],
    'mail alone: what is wrong with the DNS costs nothing and is not told',
    partsOnly(['mail'], { dns: dns({ broken: ['dnssec-bogus'] }) }),
    { coverage: 0.2, states: leftOutStates('dns', 'ssl', 'headers', 'performance') },
  ),
];

/** Every row. */
export const cases: readonly Case[] = [
  ...wholes,
  ...unavailable,
  ...limited,
  ...entries,
  ...someParts,
  ...registrationCases,
];
