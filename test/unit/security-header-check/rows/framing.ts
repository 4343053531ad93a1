import { baseline, baselineWith, csp, meta, metaCsp, see } from '../observations.ts';
import type { Row } from './row.ts';

const xfo = 'X-Frame-Options';
const name = 'Content-Security-Policy';
const rest = "default-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";
const framed = (value: string | readonly string[]) => baselineWith({ [name]: rest, [xfo]: value });
const ancestors = (value: string) => baselineWith({ [name]: `${rest}; frame-ancestors ${value}` });
const unframed = [...baseline.filter(([field]) => field !== name), csp(rest)];

export const framingRows: readonly Row[] = [
  {
    name: 'neither header nor directive',
    evidence: see({ headers: unframed }),
    broken: ['framing-open'],
    score: 92.5,
  },
  { name: 'frame-ancestors *', evidence: ancestors('*'), broken: ['framing-allow-all'] },
  { name: 'frame-ancestors https:', evidence: ancestors('https:'), broken: ['framing-allow-all'] },
  {
    name: 'frame-ancestors with a partner',
    evidence: ancestors('https://partner.test'),
    broken: [],
    holds: ['framing-open', 'framing-allow-all'],
  },
  {
    name: 'frame-ancestors without sources is none',
    evidence: ancestors(''),
    broken: [],
    holds: ['framing-allow-all'],
  },
  {
    name: 'frame-ancestors * undoes DENY',
    evidence: baselineWith({ [name]: `${rest}; frame-ancestors *`, [xfo]: 'DENY' }),
    broken: ['framing-allow-all', 'xfo-overridden'],
    score: 92.5,
  },
  {
    name: 'a partner beside DENY is meant for old browsers',
    evidence: baselineWith({ [name]: `${rest}; frame-ancestors https://partner.test`, [xfo]: 'DENY' }),
    broken: [],
    holds: ['xfo-overridden'],
  },
  {
    name: 'frame-ancestors in a meta element does not frame-bust',
    evidence: see({ headers: unframed, elements: [metaCsp("frame-ancestors 'none'")] }),
    broken: ['framing-open', 'csp-meta-ignored-directive'],
  },
  {
    name: 'DENY works',
    evidence: framed('DENY'),
    broken: [],
    info: ['csp-frame-ancestors-missing'],
    holds: ['xfo-duplicate', 'xfo-conflict', 'xfo-invalid'],
  },
  {
    name: 'SAMEORIGIN twice works',
    evidence: framed(['SAMEORIGIN', 'sameorigin']),
    broken: ['xfo-duplicate'],
    score: 99,
  },
  {
    name: 'DENY and SAMEORIGIN block all framing',
    evidence: framed(['DENY', 'SAMEORIGIN']),
    broken: ['xfo-conflict'],
    score: 95,
  },
  { name: 'ALLOWALL', evidence: framed('ALLOWALL'), broken: ['framing-allow-all'] },
  {
    name: 'ALLOW-FROM',
    evidence: framed('ALLOW-FROM https://partner.test'),
    broken: ['xfo-allow-from'],
    notApplicable: ['framing-open'],
  },
  {
    name: 'a word that is none',
    evidence: framed('SAME-ORIGIN'),
    broken: ['xfo-invalid'],
    holds: ['xfo-allow-from'],
  },
  {
    name: 'X-Frame-Options in a meta element',
    evidence: see({
      headers: unframed,
      elements: [meta({ 'http-equiv': 'X-Frame-Options', content: 'DENY' })],
    }),
    broken: ['xfo-in-meta'],
  },
];
