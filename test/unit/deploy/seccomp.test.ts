import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readComposeFile } from '../../kit/compose.ts';

type Group = {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly object[];
};
type Profile = { readonly defaultAction: string; readonly syscalls: readonly Group[] };

const path = 'deploy/chrome-seccomp.json';
const { defaultAction, syscalls } = JSON.parse(readFileSync(path, 'utf8')) as Profile;
const allowed = syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
const allowedAlways = new Set(allowed.filter(({ args }) => !args).flatMap(({ names }) => names));

test('what is not named is refused, and nothing else is said of a call than that it is allowed', () => {
  expect(defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(syscalls.filter(({ action }) => action !== 'SCMP_ACT_ALLOW')).toEqual([]);
});

test.for(['clone', 'clone3', 'unshare', 'setns', 'chroot'])(
  'Chromium may call %s for its sandbox',
  (name) => {
    expect(allowedAlways).toContain(name);
  },
);

const refused =
  'mount umount2 pivot_root move_mount fsopen open_tree mount_setattr bpf perf_event_open userfaultfd io_uring_setup keyctl add_key request_key' +
  ' init_module finit_module delete_module kexec_load reboot swapon acct syslog open_by_handle_at settimeofday clock_settime sethostname iopl ioperm quotactl';

test.for(refused.split(' '))('%s is refused', (name) => {
  expect(allowed.filter(({ names }) => names.includes(name))).toEqual([]);
});

test('sockets of virtual machines and foreign personalities are refused by their arguments', () => {
  expect(allowedAlways).not.toContain('socket');
  expect(allowedAlways).not.toContain('personality');
});

test('no call is named twice without arguments', () => {
  const names = allowed.filter(({ args }) => !args).flatMap((group) => group.names);
  expect(names).toHaveLength(allowedAlways.size);
});

test('the container that runs pages uses this profile, and the others keep the default of their engine', () => {
  const using = Object.entries(readComposeFile().services).filter(([, { security_opt = [] }]) =>
    security_opt.some((option) => option.startsWith('seccomp')),
  );
  expect(using.map(([name, { security_opt }]) => [name, security_opt])).toEqual([
    ['browser', ['no-new-privileges:true', `seccomp=${path}`]],
  ]);
});
