import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findProgram } from '../../kit/programs.ts';

const analyze = findProgram('systemd-analyze');
test.runIf(analyze).for(['diag@.service', 'diag-api@.service'])('systemd reads %s', (name) => {
  // It also tells of a user and a program that this machine does not have.
  const told = execFileSync('sh', ['-c', `${analyze} verify deploy/systemd/${name} 2>&1 || true`], {
    encoding: 'utf8',
  });
  expect(told).not.toMatch(/Unknown|Failed to parse|Invalid/);
});
