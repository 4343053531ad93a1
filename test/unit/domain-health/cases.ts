import { dnsCheck } from '#shared/catalogue/dns-check/spec';
import type { CategoryState } from '#shared/catalogue/domain-health/report';
import type { HealthCode } from '#shared/catalogue/domain-health/rules';
import type { CategoryName } from '#shared/catalogue/domain-health/weights';
import { pagespeedCheck } from '#shared/catalogue/pagespeed-check/spec';
import { sslCheck } from '#shared/catalogue/ssl-check/spec';
import type { Assessment } from '#shared/model/report';
import type { Grade } from '#shared/model/score';
import type { HealthEvidence, Source } from '../../../worker/checks/domain-health/evidence.ts';
import type { FailureCode } from '../../../worker/probes/http/port.ts';
import { chain, failed, late, sends, stopped } from '../redirect-check/chain.ts';
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
  { name: 'a domain without a flaw is A+', evidence: evidence(), broken: [], score: 100, grade: 'A+' },
  {
    name: 'the score is the mean by weight: speed of 50 is 15 × 50 of 100 × 100 less',
    evidence: evidence({ performance: performance({ score: 60 }) }),
    broken: ['category-poor'],
    score: 94,
    grade: 'B',
  },
  {
    name: 'a flaw that any part finds forbids A+, though the score is 100',
    evidence: evidence({ ssl: ssl({ broken: ['hsts-short'], score: 100 }) }),
    broken: [],
    score: 100,
    grade: 'A',
  },
  {
    name: 'a domain that does not exist has no score, and nothing else is said of it',
    evidence: evidence({ ...noWeb, dns: notThere() }),
    broken: ['domain-not-found'],
    score: null,
    grade: null,
    state: 'unreachable',
    coverage: 0,
    states: { ...webNotApplicable, dns: 'not-applicable', mail: 'not-applicable' },
  },
  {
    name: 'that it does not exist is taken from the field too, where the finding is missing',
    evidence: evidence({ ...noWeb, dns: dns({}, { exists: false, dnsScore: null, mailScore: null }) }),
    broken: ['domain-not-found'],
    score: null,
    grade: null,
    state: 'unreachable',
    coverage: 0,
    states: { ...webNotApplicable, dns: 'not-applicable', mail: 'not-applicable' },
  },
  {
    name: 'mail only: without an address the web does not apply, and lowers nothing',
    evidence: evidence({ ...noWeb, dns: dns({}, noAddress) }),
    broken: [],
    score: 100,
    grade: 'A+',
    states: webNotApplicable,
  },
  {
    name: 'mail only, with the entry points left out',
    evidence: evidence({ ...noWeb, dns: dns({}, noAddress), redirects: [] }),
    broken: [],
    score: 100,
    grade: 'A+',
    states: webNotApplicable,
  },
  {
    name: 'no address by every part but the DNS, which was not seen',
    evidence: evidence({ ...noWeb, dns: away }),
    broken: ['coverage-incomplete'],
    score: null,
    grade: null,
    state: 'unreachable',
    coverage: 0,
    states: { ...webNotApplicable, dns: 'unavailable', mail: 'unavailable' },
  },
  {
    name: 'parked: no web and a null MX; mail is judged by how well the door is shut',
    evidence: evidence({
      ...noWeb,
      dns: dns({ broken: ['spf-missing-parked'] }, { ...noAddress, ...noMail }),
    }),
    broken: [],
    score: 97,
    grade: 'A',
    states: webNotApplicable,
  },
  {
    name: 'parked, without DMARC: no limit, for nobody writes to it',
    evidence: evidence({ ...noWeb, dns: dns({ broken: ['dmarc-missing'] }, { ...noAddress, ...noMail }) }),
    broken: [],
    score: 90,
    grade: 'A',
    states: webNotApplicable,
  },
  {
    name: 'no web server: there is an address, and every connection is refused',
    evidence: evidence({
      ssl: sslAway('connection-refused'),
      headers: headersAway(),
      performance: performanceAway(),
      ...everyWay('connection-refused'),
    }),
    broken: ['web-server-missing'],
    score: 100,
    grade: 'C',
    states: webNotApplicable,
  },
  {
    name: 'no web server at the domain, and www has no address',
    evidence: evidence({
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
    broken: ['web-server-missing'],
    score: 100,
    grade: 'C',
    states: webNotApplicable,
  },
  {
    name: 'a web that drops every connection is not seen, and costs no points',
    evidence: evidence({
      ssl: sslAway('connection-timeout'),
      headers: headersAway(),
      performance: performanceAway(),
      ...everyWay('connection-timeout'),
    }),
    broken: ['coverage-incomplete'],
    score: null,
    grade: null,
    state: 'partial',
    coverage: 0.4,
    states: { ssl: 'unavailable', headers: 'unavailable', performance: 'unavailable' },
  },
  {
    name: 'only http: TLS is refused while http answers, so ssl is 0, and the domain no better than D',
    evidence: evidence({
      ssl: sslAway('connection-refused'),
      redirects: [
        redirect(chain('http://a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'http://a.test/')),
        redirect(failed('connection-refused', 'https://www.a.test/')),
      ],
    }),
    broken: ['https-missing'],
    score: 75,
    grade: 'D',
  },
  ...['connection-reset', 'connection-closed', 'tls-alert', 'parameters-not-common'].map(
    (code): Case => ({
      name: `only http: ${code} is as definite as a closed port`,
      evidence: evidence({
        ssl: sslAway(code),
        ...apexOnly(redirect(chain('http://a.test/')), redirect(failed('tls-failed', 'https://a.test/'))),
      }),
      broken: ['https-missing'],
      score: 75,
      grade: 'D',
    }),
  ),
  {
    name: 'port 443 in plain HTTP keeps the score that ssl-check gives it',
    evidence: evidence({
      ssl: ssl({ broken: ['port-speaks-http'] }),
      ...apexOnly(redirect(chain('http://a.test/')), redirect(failed('not-tls', 'https://a.test/'))),
    }),
    broken: ['https-missing'],
    score: 80,
    grade: 'D',
  },
  {
    name: 'port 443 in plain HTTP is no HTTPS, though port 80 was not seen',
    evidence: evidence({
      ssl: ssl({ broken: ['port-speaks-http'] }),
      ...apexOnly({ url: 'http://a.test/', part: away }, redirect(failed('not-tls', 'https://a.test/'))),
    }),
    broken: ['https-missing', 'coverage-incomplete'],
    score: 80,
    grade: 'D',
    state: 'partial',
  },
  {
    name: 'TLS that is silent may be our own path: unavailable, not 0',
    evidence: evidence({
      ssl: sslAway('tls-silent'),
      ...apexOnly(redirect(chain('http://a.test/')), redirect(failed('tls-timeout', 'https://a.test/'))),
    }),
    broken: ['http-not-upgraded', 'coverage-incomplete'],
    score: 100,
    grade: 'C',
    state: 'partial',
    coverage: 0.75,
    states: { ssl: 'unavailable' },
  },
  {
    name: 'a reset that another check did not meet is no refusal of TLS',
    evidence: evidence({ ssl: sslAway('connection-reset') }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.75,
    states: { ssl: 'unavailable' },
  },
  {
    name: 'https at www alone: the domain’s own port 443 is 0, and yet there is HTTPS',
    evidence: evidence({
      ssl: sslAway('connection-refused'),
      redirects: [
        redirect(chain('http://a.test/', 'https://www.a.test/')),
        redirect(failed('connection-refused', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
        redirect(chain('https://www.a.test/')),
      ],
    }),
    broken: ['category-failed', 'entry-point-broken'],
    score: 75,
    grade: 'C',
  },
];

const late500 = (url: string) => redirect(chain([url, { status: 500 }]));

const unavailable: readonly Case[] = [
  {
    name: 'one part that failed is left out of the mean, and the grade stays below A+',
    evidence: evidence({ ssl: failedRun(sslCheck, 'a.test') }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.75,
    states: { ssl: 'unavailable' },
  },
  {
    name: 'one part that did not end in time',
    evidence: evidence({ headers: away }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.8,
    states: { headers: 'unavailable' },
  },
  {
    name: 'no browser is running',
    evidence: evidence({ performance: noBrowser }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.85,
    states: { performance: 'unavailable' },
  },
  {
    name: 'the browser was there, and failed',
    evidence: evidence({ performance: failedRun(pagespeedCheck, 'https://a.test/') }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.85,
    states: { performance: 'unavailable' },
  },
  {
    name: 'a page that is kept from our browser is a gap, not a slow page',
    evidence: evidence({
      performance: performance({ broken: ['target-blocks-checks'], state: 'partial', score: null }),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.85,
    states: { performance: 'unavailable' },
  },
  ...[0, 30, 100].map(
    (points): Case => ({
      name: `headers of a page that blocks us count neither as F nor as A, though they had ${points}`,
      evidence: evidence({ headers: blocked(headers({ score: points })) }),
      broken: ['coverage-incomplete'],
      score: 100,
      grade: 'A',
      state: 'partial',
      coverage: 0.8,
      states: { headers: 'unavailable' },
    }),
  ),
  {
    name: 'a site that blocks us at every entry and page leaves DNS, mail and TLS to be scored',
    evidence: evidence({
      headers: blocked(headers({ score: 20 })),
      performance: blocked(performance({ score: null })),
      redirects: goodRedirects().map(({ url }) => {
        const { part } = redirect(chain([url, { status: 403 }]));
        return { url, part: blocked(part) };
      }),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.65,
    states: { headers: 'unavailable', performance: 'unavailable' },
  },
  {
    name: 'a page that cannot be measured has no speed, and not speed 0',
    evidence: evidence({
      performance: performance({ broken: ['target-error-status'], state: 'partial', score: null }),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.85,
    states: { performance: 'unavailable' },
  },
  {
    name: 'dns-check gives two categories, so both are away with it',
    evidence: evidence({ dns: failedRun(dnsCheck, 'a.test') }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.6,
    states: { dns: 'unavailable', mail: 'unavailable' },
  },
  {
    name: 'a dns-check report of an unknown shape is not guessed at',
    evidence: evidence({ dns: dns({}, { ns: undefined as never }) }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.6,
    states: { dns: 'unavailable', mail: 'unavailable' },
  },
  {
    name: 'less than half of the weight gives no score',
    evidence: evidence({ dns: away, performance: noBrowser, headers: away }),
    broken: ['coverage-incomplete'],
    score: null,
    grade: null,
    state: 'partial',
    coverage: 0.25,
    states: { dns: 'unavailable', mail: 'unavailable', performance: 'unavailable', headers: 'unavailable' },
  },
  {
    name: 'nothing at all came in time: that is ours, so the domain is not called unreachable',
    evidence: evidence({ dns: away, ssl: away, headers: away, performance: away, ...unseenWays }),
    broken: ['coverage-incomplete'],
    score: null,
    grade: null,
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
  {
    name: 'exactly half of what applies is enough',
    evidence: evidence({
      ...noWeb,
      dns: dns(
        { state: 'partial', broken: [] },
        { ...noAddress, mailScore: null, spf: { ...dnsFields.spf, state: 'unknown' } },
      ),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    coverage: 0.5,
    states: { ...webNotApplicable, mail: 'unavailable' },
  },
  {
    name: 'a part that was seen in part counts, and keeps the grade below A+',
    evidence: evidence({ headers: headers({ state: 'partial', unseen: ['csp-missing'] }) }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    states: { headers: 'partial' },
  },
  {
    name: 'a dns-check whose mail was not seen whole is partial in mail alone',
    evidence: evidence({
      dns: dns(
        { state: 'partial', unseen: ['spf-missing'] },
        { spf: { ...dnsFields.spf, state: 'unknown' } },
      ),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    states: { mail: 'partial' },
  },
  {
    name: 'a dns-check with a record unknown is partial in DNS alone',
    evidence: evidence({
      dns: dns({ state: 'partial' }, { recordsUnknown: [{ type: 'CAA', reason: 'timeout' }] }),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    states: { dns: 'partial' },
  },
  {
    name: 'a partial dns-check that does not say in what is partial in both',
    evidence: evidence({ dns: dns({ state: 'partial' }) }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
    states: { dns: 'partial', mail: 'partial' },
  },
  {
    name: 'entry points that were not seen keep the grade below A+',
    evidence: evidence(unseenWays),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
  },
];

const nameServers = (...answers: readonly (boolean | null)[]) => ({
  ns: {
    ...dnsFields.ns,
    servers: answers.map((answer, index) => server(`ns${index + 1}.a.test`, `192.0.2.${index + 50}`, answer)),
  },
});
const tokenOf = (status: string) => ({ dnssec: { ...dnsFields.dnssec, status } });

const limited: readonly Case[] = [
  {
    name: 'an expired certificate is F, whatever the rest',
    evidence: evidence({ ssl: ssl({ broken: ['certificate-expired'] }) }),
    broken: ['ssl-failed'],
    score: 80,
    grade: 'F',
  },
  {
    name: 'TLS graded F by nothing grave, with a certificate that is trusted, turns nobody away',
    evidence: evidence({ ssl: ssl({ broken: ['caa-missing'], score: 30 }) }),
    broken: ['category-failed'],
    score: 82,
    grade: 'C',
  },
  {
    name: 'TLS graded F by nothing grave alone is F too',
    evidence: evidence({ ssl: ssl({ broken: ['caa-missing'], score: 30 }, { trusted: false }) }),
    broken: ['ssl-failed'],
    score: 82,
    grade: 'F',
  },
  {
    name: 'TLS graded D is no better than B',
    evidence: evidence({ ssl: ssl({ score: 65 }) }),
    broken: ['category-poor'],
    score: 91,
    grade: 'B',
  },
  {
    name: 'a bogus zone is F',
    evidence: evidence({ dns: dns({ broken: ['dnssec-bogus'] }, tokenOf('bogus')) }),
    broken: ['dnssec-bogus', 'category-failed'],
    score: 90,
    grade: 'F',
  },
  {
    name: 'a zone that we find bogus, where the resolver does not look, is F too',
    evidence: evidence({ dns: dns({ broken: ['dnssec-ds-without-key'] }, tokenOf('bogus')) }),
    broken: ['dnssec-bogus', 'category-failed'],
    score: 90,
    grade: 'F',
  },
  {
    name: 'a zone called bogus without a finding is F for the reason of its status',
    evidence: evidence({ dns: dns({}, tokenOf('bogus')) }),
    broken: ['dnssec-bogus'],
    score: 100,
    grade: 'F',
  },
  {
    name: 'a zone that is not signed is not limited',
    evidence: evidence({ dns: dns({ broken: ['dnssec-unsigned'] }, tokenOf('insecure')) }),
    broken: [],
    score: 99,
    grade: 'A',
  },
  {
    name: 'name servers that parent and zone do not agree on at all break the delegation',
    evidence: evidence({ dns: dns({ broken: ['ns-parent-child-disjoint'] }) }),
    broken: ['delegation-broken'],
    score: 94,
    grade: 'C',
  },
  {
    name: 'dead name servers: no score but what the DNS itself is worth, and the domain is unreachable',
    evidence: evidence({
      dns: dns(
        { broken: ['ns-none-answers'], state: 'partial' },
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
    broken: ['delegation-broken', 'category-failed', 'coverage-incomplete'],
    score: null,
    grade: null,
    state: 'unreachable',
    coverage: 0.2,
    states: {
      dns: 'partial',
      mail: 'unavailable',
      ssl: 'unavailable',
      headers: 'unavailable',
      performance: 'unavailable',
    },
  },
  {
    name: 'dead name servers behind caches that still answer: the web goes on, the grade does not',
    evidence: evidence({ dns: dns({ broken: ['ns-none-answers'] }, nameServers(null, null)) }),
    broken: ['delegation-broken', 'category-failed'],
    score: 80,
    grade: 'C',
  },
  ...['ns-single', 'ns-same-address'].map(
    (code): Case => ({
      name: `${code} is one name server`,
      evidence: evidence({ dns: dns({ broken: [code] }) }),
      broken: ['name-server-alone'],
      score: 94,
      grade: 'C',
    }),
  ),
  {
    name: 'one name server that answers beside one that does not know the zone is alone',
    evidence: evidence({ dns: dns({ broken: ['ns-lame'] }, nameServers(true, false)) }),
    broken: ['name-server-alone'],
    score: 94,
    grade: 'C',
  },
  {
    name: 'one name server that answers beside silent ones is alone, as far as we see',
    evidence: evidence({ dns: dns({ broken: ['ns-silent'] }, nameServers(null, true, null)) }),
    broken: ['name-server-alone'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'two of three that answer are enough',
    evidence: evidence({ dns: dns({ broken: ['ns-silent'] }, nameServers(true, true, null)) }),
    broken: [],
    score: 100,
    grade: 'A',
  },
  {
    name: 'one that answers by IPv4 is not called alone for others that have IPv6 only: that way may be closed to us',
    evidence: evidence({
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
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'a name inside another zone has no name servers of its own to judge',
    evidence: evidence({ dns: dns({}, { ns: { ...dnsFields.ns, servers: [] } }) }),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'an F in speed holds the domain at C',
    evidence: evidence({ performance: performance({ score: 59 }) }),
    broken: ['category-failed'],
    score: 94,
    grade: 'C',
  },
  {
    name: 'F in one and D in another: the stricter limit holds, both are told',
    evidence: evidence({ performance: performance({ score: 59 }), headers: headers({ score: 60 }) }),
    broken: ['category-failed', 'category-poor'],
    score: 86,
    grade: 'C',
  },
  {
    name: 'a domain whose mail hosts cannot be reached loses its mail, and is no better than C',
    evidence: evidence({ dns: dns({ broken: ['mx-none-reachable'] }) }),
    broken: ['mail-lost'],
    score: 97,
    grade: 'C',
  },
  {
    name: 'a critical finding of mail is no better than C: its own policy shuts a mail host out',
    evidence: evidence({ dns: dns({ broken: ['mta-sts-mx-mismatch'] }) }),
    broken: ['finding-critical'],
    score: 98,
    grade: 'C',
  },
  ...['cors-reflects-origin-credentials', 'csp-nonce-repeated'].map(
    (code): Case => ({
      name: `a critical finding of the headers is no better than C: ${code}`,
      evidence: evidence({ headers: headers({ broken: [code], score: 95 }) }),
      broken: ['finding-critical'],
      score: 99,
      grade: 'C',
    }),
  ),
  {
    name: 'what the headers say of https is told by TLS and the entry points, not twice',
    evidence: evidence({
      ssl: ssl({ broken: ['certificate-expired'] }),
      headers: headers({ broken: ['certificate-not-trusted'], score: 95 }),
    }),
    broken: ['ssl-failed'],
    score: 79,
    grade: 'F',
  },
  {
    name: 'an expired certificate that only clients without ECDSA are shown turns nobody of today away',
    evidence: evidence({ ssl: ssl({ broken: ['certificate-expired'] }, { trusted: true }) }),
    broken: ['finding-critical', 'category-failed'],
    score: 80,
    grade: 'C',
  },
  {
    name: 'such a certificate beside what breaks TLS for everybody fails all the same',
    evidence: evidence({
      ssl: ssl({ broken: ['certificate-expired', 'sslv2-offered'] }, { trusted: true }),
    }),
    broken: ['ssl-failed'],
    score: 75,
    grade: 'F',
  },
  {
    name: 'an ssl report that does not know of trust is as grave as it says',
    evidence: evidence({ ssl: ssl({ broken: ['certificate-expired'] }, { trusted: null }) }),
    broken: ['ssl-failed'],
    score: 80,
    grade: 'F',
  },
  {
    name: 'SPF that allows everybody is no better than C',
    evidence: evidence({ dns: dns({ broken: ['spf-all-pass'] }) }),
    broken: ['spf-all-pass'],
    score: 94,
    grade: 'C',
  },
  {
    name: 'mail without DMARC is no better than B',
    evidence: evidence({ dns: dns({ broken: ['dmarc-missing'] }) }),
    broken: ['dmarc-missing'],
    score: 96,
    grade: 'B',
  },
  {
    name: 'mail with a DMARC record that has no effect is no better than B either',
    evidence: evidence({ dns: dns({ broken: ['dmarc-no-effect'] }) }),
    broken: ['dmarc-missing'],
    score: 96,
    grade: 'B',
  },
  {
    name: 'mail with DMARC records that are void all of them is no better than B either',
    evidence: evidence({ dns: withoutVerdict('dmarc-missing', dns({ broken: ['dmarc-multiple'] })) }),
    broken: ['dmarc-missing'],
    score: 96,
    grade: 'B',
  },
  {
    name: 'a void DMARC record does not limit where another applies',
    evidence: evidence({ dns: dns({ broken: ['dmarc-multiple'] }) }),
    broken: [],
    score: 96,
    grade: 'A',
  },
  {
    name: 'without an MX record of its own, a missing DMARC does not limit',
    evidence: evidence({
      dns: dns({ broken: ['dmarc-missing'] }, { mx: { ...dnsFields.mx, implicit: true } }),
    }),
    broken: [],
    score: 96,
    grade: 'A',
  },
  {
    name: 'where the MX was not seen, neither does it',
    evidence: evidence({
      dns: dns(
        { broken: ['dmarc-missing'], state: 'partial' },
        { mx: { ...dnsFields.mx, state: 'unknown', hosts: [] } },
      ),
    }),
    broken: ['coverage-incomplete'],
    score: 96,
    grade: 'A',
    state: 'partial',
    states: { mail: 'partial' },
  },
];

const entries: readonly Case[] = [
  {
    name: 'http that stays http beside a good https is no better than C',
    evidence: evidence(ways(redirect(chain('http://a.test/')))),
    broken: ['http-not-upgraded'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'http that stays http at www counts as much',
    evidence: evidence(ways(redirect(chain('http://www.a.test/', 'http://a.test/')))),
    broken: ['http-not-upgraded'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'a closed port 80 has nothing to upgrade',
    evidence: evidence(
      ways(
        redirect(failed('connection-refused', 'http://a.test/')),
        redirect(failed('connection-refused', 'http://www.a.test/')),
      ),
    ),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  ...(['http://a.test/', 'http://www.a.test/'] as const).map(
    (shut): Case => ({
      name: `a port 80 that is open at one host alone is as good as none, where https answers (${shut} is closed)`,
      evidence: evidence(ways(redirect(failed('connection-refused', shut)))),
      broken: [],
      score: 100,
      grade: 'A+',
    }),
  ),
  {
    name: 'a www at which neither port answers is broken at both',
    evidence: evidence(
      ways(
        redirect(failed('connection-refused', 'http://www.a.test/')),
        redirect(failed('connection-refused', 'https://www.a.test/')),
      ),
    ),
    broken: ['entry-point-broken'],
    score: 100,
    grade: 'B',
  },
  {
    name: 'www that refuses https while the domain speaks it is broken',
    evidence: evidence(ways(redirect(failed('connection-refused', 'https://www.a.test/')))),
    broken: ['entry-point-broken'],
    score: 100,
    grade: 'B',
  },
  {
    name: 'a www that does not answer in time is not called broken',
    evidence: evidence(ways(redirect(failed('connection-timeout', 'https://www.a.test/')))),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
  },
  {
    name: 'a www without an address is a choice',
    evidence: evidence(
      ways(
        redirect(failed('name-not-found', 'http://www.a.test/')),
        redirect(failed('name-not-found', 'https://www.a.test/')),
      ),
    ),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'a www that is left out is one too',
    evidence: evidence(apexOnly()),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'a domain without an address, whose www works, is broken for those who type it',
    evidence: evidence(
      ways(
        redirect(failed('name-not-found', 'http://a.test/')),
        redirect(failed('name-not-found', 'https://a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
        redirect(chain('https://www.a.test/')),
      ),
    ),
    broken: ['entry-point-broken'],
    score: 100,
    grade: 'B',
  },
  ...[
    stopped({ kind: 'loop', to: 'https://www.a.test/' }, 'https://www.a.test/'),
    stopped({ kind: 'too-many' }, 'https://www.a.test/'),
    stopped({ kind: 'invalid-location' }, ['https://www.a.test/', { status: 302, ...sends('http://[b') }]),
    stopped({ kind: 'foreign-scheme', scheme: 'ftp' }, 'https://www.a.test/'),
    failed('name-not-found', 'https://www.a.test/', 'https://gone.a.test/'),
    failed('connection-refused', 'https://www.a.test/', 'https://gone.a.test/'),
  ].map(
    (broken, index): Case => ({
      name: `an entry point whose redirects lead to no page is broken (${index + 1}: ${broken.stop.kind})`,
      evidence: evidence(ways(redirect(broken))),
      broken: ['entry-point-broken'],
      score: 100,
      grade: 'B',
    }),
  ),
  ...[
    failed('target-not-allowed', 'https://www.a.test/', 'https://www.a.test:25/'),
    stopped({ kind: 'location-too-long', length: 9000 }, 'https://www.a.test/'),
    late('https://www.a.test/'),
    chain(['https://www.a.test/', { status: 429 }]),
  ].map(
    (unseen, index): Case => ({
      name: `an entry point that we did not see to its end is not called broken (${index + 1}: ${unseen.stop.kind})`,
      evidence: evidence(ways(redirect(unseen))),
      broken: ['coverage-incomplete'],
      score: 100,
      grade: 'A',
      state: 'partial',
    }),
  ),
  {
    name: 'a later hop to a private address is told as such too',
    evidence: evidence(
      ways(redirect(failed('target-address-not-allowed', 'https://www.a.test/', 'https://in.a.test/'))),
    ),
    broken: ['target-address-not-allowed', 'entry-point-broken'],
    score: 100,
    grade: 'B',
  },
  {
    name: 'redirects in a circle at every entry are a site that nobody reaches',
    evidence: evidence({
      headers: headersAway(),
      performance: performanceAway('page-interstitial'),
      redirects: goodRedirects().map(({ url }) => redirect(stopped({ kind: 'loop', to: url }, url))),
    }),
    broken: ['entry-points-all-broken', 'coverage-incomplete'],
    score: 100,
    grade: 'C',
    state: 'partial',
    coverage: 0.65,
    states: { headers: 'unavailable', performance: 'unavailable' },
  },
  {
    name: 'a site that shuts us out with 403 everywhere may be there for others',
    evidence: evidence({
      redirects: goodRedirects().map(({ url }) =>
        redirect(chain([url, { status: 301 }], ['https://a.test/in', { status: 403 }])),
      ),
    }),
    broken: ['coverage-incomplete'],
    score: 100,
    grade: 'A',
    state: 'partial',
  },
  {
    name: 'a domain that points at a private address is unreachable, and nothing is scored',
    evidence: evidence({
      ssl: sslAway('target-address-not-allowed'),
      headers: headersAway(),
      performance: performanceAway('target-address-not-allowed'),
      ...everyWay('target-address-not-allowed'),
    }),
    broken: ['target-address-not-allowed', 'entry-points-all-broken', 'coverage-incomplete'],
    score: null,
    grade: null,
    state: 'unreachable',
    coverage: 0.4,
    states: { ssl: 'unavailable', headers: 'unavailable', performance: 'unavailable' },
  },
  {
    name: 'www alone has an address: its parts can be judged in place of the domain’s',
    evidence: evidence({
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
    broken: ['ssl-failed', 'entry-point-broken'],
    score: 80,
    grade: 'F',
  },
  {
    name: 'a gate of cookies arrives in the end',
    evidence: evidence(ways(redirect(chain('https://a.test/', 'https://a.test/in', 'https://a.test/')))),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  ...[404, 500].map(
    (status): Case => ({
      name: `an entry point that ends with ${status} is an error page`,
      evidence: evidence(ways(redirect(chain(['https://www.a.test/', { status }])))),
      broken: ['entry-point-error-status'],
      score: 100,
      grade: 'A',
    }),
  ),
  ...[401, 503].map(
    (status): Case => ({
      name: `an entry point that answers us with ${status} may be whole for visitors: it is a gap`,
      evidence: evidence(ways(redirect(chain(['https://www.a.test/', { status }])))),
      broken: ['coverage-incomplete'],
      score: 100,
      grade: 'A',
      state: 'partial',
    }),
  ),
  {
    name: 'a site that answers 500 everywhere is told at each entry',
    evidence: evidence({ redirects: goodRedirects().map(({ url }) => late500(url)) }),
    broken: ['entry-points-all-broken', 'http-not-upgraded', 'entry-point-error-status'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'https that leads to http is no better than C, though it is mended later',
    evidence: evidence(ways(redirect(chain('https://a.test/', 'http://a.test/in', 'https://a.test/in')))),
    broken: ['https-downgrade'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'two hosts that both answer are two sites',
    evidence: evidence(
      ways(
        redirect(chain('https://www.a.test/')),
        redirect(chain('http://www.a.test/', 'https://www.a.test/')),
      ),
    ),
    broken: ['entry-points-differ'],
    score: 100,
    grade: 'A',
  },
  {
    name: 'another page of one host is one site',
    evidence: evidence(ways(redirect(chain('https://www.a.test/', 'https://a.test/en/')))),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'a certificate that is refused at www alone is told',
    evidence: evidence(
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
    broken: ['entry-point-certificate-not-trusted'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'where a wildcard answers for www, its certificate may be nobody’s fault',
    evidence: evidence({ dns: dns({ broken: ['wildcard-present'] }), ...ways(...wwwDistrusted) }),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'a www that the domain itself leads to was chosen, wildcard or not',
    evidence: evidence({
      dns: dns({ broken: ['wildcard-present'] }),
      ...ways(
        ...wwwDistrusted,
        redirect(chain('https://a.test/', ['https://www.a.test/', foreignCertificate], 'https://a.test/in')),
      ),
    }),
    broken: ['entry-point-certificate-not-trusted'],
    score: 100,
    grade: 'C',
  },
  {
    name: 'where a wildcard answers for www, that its https is shut is no fault either',
    evidence: evidence({
      dns: dns({ broken: ['wildcard-present'] }),
      ...ways(redirect(failed('connection-refused', 'https://www.a.test/'))),
    }),
    broken: [],
    score: 100,
    grade: 'A+',
  },
  {
    name: 'a certificate that ssl-check has failed is told once',
    evidence: evidence({
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
    broken: ['ssl-failed'],
    score: 80,
    grade: 'F',
  },
  {
    name: 'http that leads to another site, and there to https, never shows an https address of its own',
    evidence: evidence({
      redirects: [
        redirect(chain('http://a.test/', 'https://b.test/')),
        redirect(chain('https://a.test/', 'https://b.test/')),
      ],
    }),
    broken: ['http-upgraded-elsewhere'],
    score: 100,
    grade: 'A',
  },
  {
    name: 'over https of its own, then to another site, is well',
    evidence: evidence({
      redirects: [
        redirect(chain('http://a.test/', 'https://a.test/', 'https://b.test/')),
        redirect(chain('https://a.test/', 'https://b.test/')),
      ],
    }),
    broken: [],
    score: 100,
    grade: 'A+',
  },
];

/** Every row. */
export const cases: readonly Case[] = [...wholes, ...unavailable, ...limited, ...entries];
