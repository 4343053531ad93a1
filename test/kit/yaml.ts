import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** Every document of a YAML file, with its aliases and merge keys resolved. Throws for a file that is not valid YAML. */
export function readYamlFile(path: string): unknown[] {
  return parseAllDocuments(readFileSync(path, 'utf8'), { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as unknown;
  });
}
