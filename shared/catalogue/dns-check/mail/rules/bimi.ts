import type { Rule } from '../../../../model/verdict.ts';

const bimiDraft = {
  title: 'Brand Indicators for Message Identification (Internet-Draft)',
  url: 'https://datatracker.ietf.org/doc/draft-brand-indicators-for-message-identification/',
};

/** Everything that can be wrong with a brand indicator. BIMI is a choice, and no standard: nothing here costs points. */
export const bimiRules = {
  'bimi-missing': {
    part: 'bimi',
    severity: 'info',
    points: 0,
    title: 'There is no BIMI record',
    detail: '{name} has no record; mail programs show no logo.',
    fix: 'Nothing, unless you want a logo beside your mail. It needs an enforced DMARC policy first.',
    references: [bimiDraft],
  },
  'bimi-multiple': {
    part: 'bimi',
    severity: 'low',
    points: 0,
    title: 'There are several BIMI records',
    detail: '{name} has {count} records that begin with v=BIMI1; mail programs use none.',
    fix: 'Keep one record.',
    references: [bimiDraft],
  },
  'bimi-syntax': {
    part: 'bimi',
    severity: 'low',
    points: 0,
    title: 'The BIMI record breaks the grammar',
    detail: 'The record of {name} is wrong at character {position}: {problem}.',
    fix: 'Publish v=BIMI1 with l and the https address of an SVG.',
    references: [bimiDraft],
  },
  'bimi-without-dmarc': {
    part: 'bimi',
    severity: 'low',
    points: 0,
    title: 'The BIMI record is in vain without an enforced DMARC policy',
    detail:
      'The DMARC policy that applies is {policy}; BIMI wants quarantine or reject, also for the organizational domain.',
    fix: 'Publish p=quarantine or p=reject first.',
    references: [bimiDraft],
  },
  'bimi-no-certificate': {
    part: 'bimi',
    severity: 'info',
    points: 0,
    title: 'The BIMI logo has no certificate',
    detail: 'The record has no address in the tag a; most large mail programs then show no logo.',
    fix: 'Get a mark certificate (VMC or CMC), and name it in the tag a.',
    references: [bimiDraft],
  },
} as const satisfies Record<string, Rule>;

export type BimiCode = keyof typeof bimiRules;
