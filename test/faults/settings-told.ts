import type { FleetOptions, Member } from './fleet.ts';

/** Where processes with different settings meet. */
export const world: FleetOptions = {
  hosts: 8,
  answer: (_request, response) => void response.writeHead(204).end(),
  settings: { FRESH_SECONDS: '600' },
};

type Readyz = { readonly status: string; readonly checks: Readonly<Record<string, true | string>> };

/** What a process says of itself. */
export async function readyz({ adminUrl }: Member): Promise<Readyz> {
  return (await (await fetch(`${adminUrl}/readyz`)).json()) as Readyz;
}

/** What the log of a process says of its settings. */
export const messagesOf = ({ lines }: Member) =>
  lines.filter((line) => line.includes('settings')).map((line) => (JSON.parse(line) as { msg: string }).msg);
/** The message of a process that takes no work. */
export const refused = 'settings differ from those of other processes: this one takes no work';

/** How many checks a process has run. */
export const checksOf = async (member: Member) => {
  const text = await (await fetch(`${member.adminUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^diag_checks_total\{.*?\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
};
