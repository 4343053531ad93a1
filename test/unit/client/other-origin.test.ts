import { expect, onTestFinished, test, vi } from 'vitest';
import { openDiagnostics } from '../../../client/diagnostics.ts';

// As a browser does where the answer may not be read, or where there is none.
function openFailing(server: string, page: string | undefined) {
  if (page !== undefined) vi.stubGlobal('location', { origin: page });
  onTestFinished(() => void vi.unstubAllGlobals());
  const failing = vi.fn<typeof fetch>(async () => {
    throw new TypeError('Failed to fetch');
  });
  return { failing, client: openDiagnostics({ server, fetch: failing, retryForS: 1 }) };
}

test('a page of another origin is told the setting of the server, after one request', async () => {
  const { client, failing } = openFailing('https://diag.example/tools', 'https://page.example');
  await expect(client.me()).rejects.toMatchObject({
    name: 'ServerUnreachable',
    message:
      'https://diag.example/tools is away, or its setting CORS_ORIGINS does not name https://page.example.',
  });
  expect(failing).toHaveBeenCalledTimes(1);
});

test.for([
  { name: 'a page of the service itself', page: 'https://diag.example' },
  { name: 'a program that is no page', page: undefined },
])('$name asks again', async ({ page }) => {
  const { client, failing } = openFailing('https://diag.example/tools', page);
  await expect(client.me()).rejects.toThrow('cannot be reached, or broke off: Failed to fetch');
  expect(failing.mock.calls.length).toBeGreaterThan(1);
});

test('a server that has answered this page once is asked again', async () => {
  const { client, failing } = openFailing('https://diag.example', 'https://page.example');
  failing.mockResolvedValueOnce(new Response('{"findings":[]}'));
  await client.findings();
  await expect(client.findings()).rejects.toThrow('cannot be reached');
  expect(failing.mock.calls.length).toBeGreaterThan(2);
});
