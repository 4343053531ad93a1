import { baseline, baselineWith, see } from '../observations.ts';
import type { Row } from './row.ts';

export const leakageRows: readonly Row[] = [
  {
    name: 'a list of files is judged, and is a finding',
    evidence: see({ headers: baseline, bodySigns: ['directory-listing'] }),
    broken: ['directory-listing'],
    score: 98,
  },
  {
    name: 'Clear-Site-Data without quotes clears nothing',
    evidence: baselineWith({ 'Clear-Site-Data': 'cookies, "storage"' }),
    broken: ['clear-site-data-skipped'],
    score: 100,
  },
  {
    name: 'Clear-Site-Data as browsers read it',
    evidence: baselineWith({ 'Clear-Site-Data': '"cookies", "storage"' }),
    broken: [],
    holds: ['clear-site-data-skipped'],
  },
  {
    name: 'Report-To is of use for NEL, which knows nothing else',
    evidence: baselineWith({
      'Report-To': '{"group":"nel","max_age":1,"endpoints":[{"url":"https://r.test/"}]}',
      NEL: '{"report_to":"nel","max_age":1}',
    }),
    broken: [],
    holds: ['deprecated-useless'],
  },
  {
    name: 'a version',
    evidence: baselineWith({ Server: 'nginx/1.18.0' }),
    broken: ['leak-version'],
    holds: ['leak-product', 'leak-internal-host'],
    score: 99.5,
  },
  {
    name: 'a product',
    evidence: baselineWith({ 'X-Powered-By': 'Express' }),
    broken: [],
    info: ['leak-product'],
    holds: ['leak-version'],
    score: 100,
  },
  {
    name: 'a private address',
    evidence: baselineWith({ Via: '1.1 10.1.2.3:8080' }),
    broken: ['leak-internal-host'],
    score: 97.5,
  },
  {
    name: 'an inner name',
    evidence: baselineWith({ 'X-Backend': 'ip-10-0-3-7.eu-west-1.compute.internal' }),
    broken: ['leak-internal-host'],
  },
  {
    name: 'a version like an address',
    evidence: baselineWith({ Server: 'proxy/10.0.0.1' }),
    broken: ['leak-version'],
  },
  {
    name: 'a source map',
    evidence: baselineWith({ SourceMap: '/a.js.map' }),
    broken: [],
    info: ['leak-sourcemap'],
  },
  {
    name: 'the filter of old browsers',
    evidence: baselineWith({ 'X-XSS-Protection': '1; mode=block' }),
    broken: ['deprecated-harmful'],
    score: 99.5,
  },
  {
    name: 'X-XSS-Protection: 0 is harmless',
    evidence: baselineWith({ 'X-XSS-Protection': '0' }),
    broken: [],
    holds: ['deprecated-harmful', 'deprecated-useless', 'leak-sourcemap'],
  },
  {
    name: 'an obsolete header',
    evidence: baselineWith({ 'Expect-CT': 'max-age=1' }),
    broken: [],
    info: ['deprecated-useless'],
  },
  {
    name: 'a header section of 9 KiB',
    evidence: baselineWith({ 'X-Filler': 'x'.repeat(9000) }),
    broken: ['headers-large'],
    holds: ['headers-too-large'],
    score: 100,
  },
  {
    name: 'a header section of 20 KiB',
    evidence: baselineWith({ 'X-Filler': 'x'.repeat(20_000) }),
    broken: ['headers-too-large'],
    holds: ['headers-large'],
  },
  {
    name: 'a byte beyond ASCII',
    evidence: baselineWith({ 'X-Name': 'M\u00fcller' }),
    broken: ['header-malformed'],
  },
  {
    name: 'names of Object.prototype as headers',
    evidence: baselineWith({ constructor: 'a', toString: 'b', ['__proto__']: 'c' }),
    broken: [],
    holds: ['header-malformed'],
  },
];
