import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Generators of TypeScript clients, with a TypeScript of their own: `npm ci --prefix test/generators --ignore-scripts`. */
export const generators = join(process.cwd(), 'test/generators');
export const hasGenerators = existsSync(join(generators, 'node_modules'));
