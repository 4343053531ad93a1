import type { Rule } from '../../model/verdict.ts';
import { accessibilityAudits } from './rules/accessibility.ts';
import { ariaAudits } from './rules/aria.ts';
import { budgetRules } from './rules/budget.ts';
import { rulesOfAudits } from './rules/from-audits.ts';
import { practiceAudits } from './rules/practices.ts';
import { speedRules } from './rules/speed.ts';

/** The rules that an audit of the categories beside performance decides. */
export const categoryAudits = { ...accessibilityAudits, ...ariaAudits, ...practiceAudits };
export type CategoryCode = keyof typeof categoryAudits;

/** Everything that can slow a page down or keep it from being measured, what a budget says, and what the other categories judge. */
export const rules = {
  ...speedRules,
  ...budgetRules,
  ...rulesOfAudits(categoryAudits),
} as const satisfies Record<string, Rule>;

export type PagespeedCode = keyof typeof rules;
