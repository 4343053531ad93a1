import type { Contact } from '#shared/ports/access-record';
import type { ProbeFactory } from './open.ts';

/** The same factory, and what all probes that it opened have sent so far. */
export function collectContacts(factory: ProbeFactory): {
  readonly probes: ProbeFactory;
  readonly contacts: () => readonly Contact[];
} {
  const opened: (() => readonly Contact[])[] = [];
  return {
    probes: {
      ...factory,
      open(...given) {
        const probes = factory.open(...given);
        if (probes.contacts) opened.push(probes.contacts);
        return probes;
      },
    },
    contacts: () => opened.flatMap((contacts) => contacts()),
  };
}
