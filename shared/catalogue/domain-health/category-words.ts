import type { CategoryName } from './weights.ts';

/** What a reader calls each category. */
export const categoryWords: { readonly [N in CategoryName]: string } = {
  dns: 'DNS',
  ssl: 'TLS',
  headers: 'Headers',
  performance: 'Speed',
  mail: 'Mail',
};

/** Those of Lighthouse beside its performance. */
const lighthouseWords: { readonly [name: string]: string } = {
  accessibility: 'Accessibility',
  'best-practices': 'Best practices',
  seo: 'SEO',
  'agentic-browsing': 'Agentic browsing',
};
const allWords: { readonly [name: string]: string } = { ...categoryWords, ...lighthouseWords };

/** What a reader calls a category of a report; the name itself, where it is none of ours. */
export function categoryNameOf(name: string): string {
  return (Object.hasOwn(allWords, name) ? allWords[name] : undefined) ?? name;
}
