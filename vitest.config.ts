import { defineConfig } from 'vitest/config';

const project = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    passWithNoTests: true,
    testTimeout,
    hookTimeout: 20_000,
  },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', 10_000),
      project('contract', 20_000),
      project('api', 20_000),
      project('lab', 30_000),
    ],
  },
});
