import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test.for(['action.yml', '.github/workflows/ci.yml'])('%s names what it uses by commit', (path) => {
  const used = [...readFileSync(path, 'utf8').matchAll(/uses: ([^./\s]\S*)/g)].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((name) => !/@[0-9a-f]{40}$/.test(name ?? ''))).toEqual([]);
});

test('the Kubernetes files name the images of this version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const text = readFileSync('deploy/kubernetes/base/kustomization.yaml', 'utf8');
  const tags = [...text.matchAll(/newTag: (\S+?) \}/g)].map(([, tag]) => tag);
  expect(tags).toEqual([version, version]);
});
