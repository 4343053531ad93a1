import { createHash } from 'node:crypto';

/** What is read of an OpenAPI document. */
type Document = {
  readonly paths?: object | undefined;
  readonly components?: object | undefined;
};

/** Part of an OpenAPI document → hash of its JSON. A path has one, as has each component: a change of a shared schema is a line too. */
export type OpenapiLock = {
  /** Name of any other field, such as `servers` → hash. */
  readonly [field: string]: string | object;
  /** Path → hash. */
  readonly paths: Readonly<Record<string, string>>;
  /** Kind, such as `schemas` → name → hash. */
  readonly components: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** Where the lock is kept, in the project. */
export const openapiLockPath = 'openapi.lock.json';

/** Makes openapi.lock.json, so that a review sees which parts of the document changed. The document itself is made at release. */
export function makeOpenapiLock({ paths = {}, components = {}, ...others }: Document): OpenapiLock {
  const kinds = Object.entries(components).map(([kind, parts]) => [kind, hashEach(parts as object)] as const);
  return { ...hashEach(others), paths: hashEach(paths), components: Object.fromEntries(kinds) };
}

function hashEach(parts: object): Record<string, string> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, hashOf(part)]));
}

function hashOf(part: unknown): string {
  return createHash('sha256').update(JSON.stringify(part)).digest('hex').slice(0, 16);
}
