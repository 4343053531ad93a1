import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Makes a token of the store that these settings name, as an operator does. */
export async function drawToken(
  settings: Readonly<Record<string, string>>,
  more: readonly string[] = [],
): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const args = ['cli/diag.js', 'token', 'create', '--name', 'reader', ...more];
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
}
