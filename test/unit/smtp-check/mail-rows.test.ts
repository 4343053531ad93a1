import { expect, test } from 'vitest';
import type { Json } from '#shared/model/verdict';
import { mailRowsOf } from '#shared/render/html/pictures/smtp-check';
import { renderMarkdown } from '#shared/render/markdown';
import type { SmtpEvidence } from '../../../worker/checks/smtp-check/evidence.ts';
import { smtpCheck } from '../../../worker/checks/smtp-check/index.ts';
import { judge } from '../../../worker/run/judge.ts';
import {
  address,
  at,
  connected,
  declined,
  domain,
  host,
  leaf,
  ofOther,
  one,
  ownMade,
  plain,
  silent,
  sts,
  talked,
  tlsa,
} from './mail.ts';

const reportOf = (evidence: SmtpEvidence) =>
  judge(smtpCheck, {
    v: 1,
    check: 'smtp-check',
    target: 'a.test',
    options: {},
    reportId: null,
    checkedAtMs: at,
    durationMs: 1,
    freshForS: null,
    keepForS: null,
    evidence: JSON.parse(JSON.stringify(evidence)) as Json,
  });
const signs = { good: '✓', warned: '!', bad: '✗', unknown: '–' };
const linesOf = (evidence: SmtpEvidence) =>
  mailRowsOf(reportOf(evidence)).map(({ cells }) =>
    cells.map(({ words, marked }) => `${signs[marked.mark]} ${words}`).join(' | '),
  );
const good = talked();
const end = '2026-12-01';

const rows: readonly { name: string; evidence: SmtpEvidence; lines: readonly string[] }[] = [
  {
    name: 'a good host',
    evidence: { ...one(good, null, { records: [tlsa(3, 1, 1, leaf)] }), sts: sts('enforce') },
    lines: [`✓ answers | ✓ works | ✓ TLSv1.3 | ✓ until ${end} | ✓ matches | ✓ enforce: kept`],
  },
  {
    name: 'what only informs has no good mark: a certificate of nobody known',
    evidence: one(talked({ handshake: connected([ownMade]) })),
    lines: ['✓ answers | ✓ works | ✓ TLSv1.3 | – not trusted | – no records | – no policy'],
  },
  {
    name: 'another certificate than DANE and the policy want',
    evidence: {
      ...one(talked({ handshake: connected([ofOther]) }), null, { records: [tlsa(3, 1, 1, leaf)] }),
      sts: sts('testing'),
    },
    lines: [`✓ answers | ✓ works | ✓ TLSv1.3 | – not trusted | ✗ no match | ! testing: not kept`],
  },
  {
    name: 'no encryption',
    evidence: one(plain),
    lines: ['✓ answers | ✗ not offered | – not seen | – not seen | – no records | – no policy'],
  },
  {
    name: 'a host that declines has nothing good and nothing bad',
    evidence: one(declined(421, 'busy')),
    lines: ['– not now | – not known | – not seen | – not seen | – no records | – no policy'],
  },
  {
    name: 'a host that nobody reaches',
    evidence: one(silent()),
    lines: ['! silent | – not known | – not seen | – not seen | – no records | – no policy'],
  },
  {
    name: 'one that a policy leaves out, beside one that keeps it: dns-check tells which it leaves out',
    evidence: {
      ...domain([host([address(good)]), host([address(good, null, '192.0.2.2')], { host: 'mx.c.test' })]),
      sts: sts('enforce'),
    },
    lines: [
      `✓ answers | ✓ works | ✓ TLSv1.3 | ✓ until ${end} | – no records | ✓ enforce: kept`,
      `✓ answers | ✓ works | ✓ TLSv1.3 | – not trusted | – no records | – enforce: not kept`,
    ],
  },
  {
    name: 'a host without an address',
    evidence: domain([host([], { failure: { code: 'name-not-found', reason: 'the name does not exist' } })]),
    lines: ['– the name does not exist'],
  },
];

test.for(rows)('$name', ({ evidence, lines }) => {
  expect(linesOf(evidence)).toEqual(lines);
});

test('a null MX has no table', () => {
  expect(renderMarkdown(reportOf(domain([])))).not.toContain('Mail hosts |');
});

test('a bar in a name does not end its cell', () => {
  const text = renderMarkdown(reportOf(domain([host([address(plain)], { host: 'm|x.test' })])));
  expect(text).toContain('| `m\\|x.test` |');
});
