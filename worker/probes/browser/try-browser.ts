import { execFile } from 'node:child_process';
import {
  type BrowserSettings,
  findBrowser,
  type NoBrowser,
  noBrowser,
  unprivilegedUid,
} from './find-browser.ts';
import { makeProfile, removeProfile } from './profiles.ts';

const startMs = 20_000;

/** Finds the browser and starts it once, so that a machine without a usable one is known before the first page. Undefined when all is well. */
export async function tryBrowser(
  settings: BrowserSettings,
  { noSandbox, signal }: { readonly noSandbox: boolean; readonly signal: AbortSignal },
): Promise<NoBrowser | undefined> {
  const found = await findBrowser(settings);
  if ('kind' in found) return found;
  const uid = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const profile = await makeProfile(uid);
  const told = await new Promise<string>((resolve) => {
    execFile(
      found.executable,
      [
        ...(noSandbox ? ['--no-sandbox'] : []),
        '--headless=new',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-background-networking',
        `--user-data-dir=${profile}`,
        '--dump-dom',
        'about:blank',
      ],
      {
        timeout: startMs,
        killSignal: 'SIGKILL',
        signal,
        ...(uid === undefined ? {} : { uid, gid: uid }),
        cwd: '/',
      },
      (error, stdout, stderr) =>
        resolve(stdout.includes('<html') ? '' : `${stderr}\n${error?.message ?? ''}`),
    );
  });
  await removeProfile(profile);
  return told === '' ? undefined : readStartFailure(told);
}

/** What a browser that never came up says of the machine. @param words of its stderr */
export function readStartFailure(words: string): NoBrowser {
  if (/No usable sandbox|namespace|setuid sandbox|without --no-sandbox/i.test(words))
    return noBrowser(
      'Chromium cannot open its sandbox on this machine',
      'Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0, or a seccomp profile that permits them), or set BROWSER_NO_SANDBOX=1 where a container guards enough.',
    );
  const last = words.split('\n').findLast((line) => line.trim() !== '');
  return noBrowser(
    `the browser did not start (${last?.slice(0, 200) ?? 'no word'})`,
    'Start it by hand to see what it lacks, or set BROWSER_PATH to another Chrome or Chromium.',
  );
}
