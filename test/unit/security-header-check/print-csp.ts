import type { CspSource } from '../../../worker/checks/security-header-check/grammar/csp-source.ts';
import type { CspPolicy } from '../../../worker/checks/security-header-check/grammar/csp.ts';

/** Writes what counts of a policy, so that parseCsp reads the same. */
export function printCsp({ directives }: Pick<CspPolicy, 'directives'>): string {
  return [...directives.values()]
    .map(({ name, values }) => [name, ...values.map(({ text }) => text)].join(' '))
    .join('; ');
}

/** Writes an expression that parseCspSource reads as the same; `invalid` has no text and gives none. */
export function printCspSource(source: CspSource): string {
  switch (source.kind) {
    case 'keyword':
      return `'${source.keyword}'`;
    case 'nonce':
      return `'nonce-${source.value}'`;
    case 'hash':
      return `'${source.algorithm}-${source.value}'`;
    case 'scheme':
      return `${source.scheme}:`;
    case 'host': {
      const scheme = source.scheme === null ? '' : `${source.scheme}://`;
      return `${scheme}${source.host}${source.port === null ? '' : `:${source.port}`}${source.path ?? ''}`;
    }
    case 'invalid':
      return '';
  }
}
