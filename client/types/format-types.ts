import { execFileSync } from 'node:child_process';

/** TypeScript in the layout of this project. */
export function formatTypes(text: string): string {
  return execFileSync('node_modules/.bin/oxfmt', ['--stdin-filepath=client/api-types.ts'], {
    input: text,
    encoding: 'utf8',
  });
}
