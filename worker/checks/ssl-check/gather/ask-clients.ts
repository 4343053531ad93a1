import type { ClientObservation } from '../evidence.ts';
import { deriveClient, type KnownServer } from '../facts/derive-client.ts';
import { type ClientProfile, clientProfiles } from '../grammar/client-profiles.ts';
import type { VersionName } from '../grammar/tls-names.ts';
import type { ClientAnswer, HelloAsker } from './ask-hello.ts';

/** One profile for each ClientHello. */
const distinct = clientProfiles.filter(
  ({ hello }, index) => clientProfiles.findIndex((one) => one.hello === hello) === index,
);
const isEarly = ({ isCurrentBrowser, matters }: ClientProfile) => isCurrentBrowser && matters;

/** Sends the ClientHellos of today's browsers. That of Firefox offers every form of certificates, so that the form is read there. */
export function askBrowsers(asker: HelloAsker): Promise<readonly ClientAnswer[]> {
  return Promise.all(
    distinct.filter(isEarly).map((profile) => asker.askAs(profile, profile.greases ? 'answer' : 'form')),
  );
}

/** Sends the ClientHellos of all other clients that matter. @param versions those that the server may speak */
export function askMatters(
  asker: HelloAsker,
  versions: readonly VersionName[],
): Promise<readonly ClientAnswer[]> {
  const isSpoken = (profile: ClientProfile) => profile.versions.some((version) => versions.includes(version));
  return askEach(
    asker,
    distinct.filter((profile) => !isEarly(profile) && profile.matters && isSpoken(profile)),
  );
}

/** Sends the ClientHellos of clients whose outcome does not follow from what is known. @param asked those that were sent */
export function askUnknown(
  asker: HelloAsker,
  known: KnownServer,
  asked: readonly ClientObservation[],
): Promise<readonly ClientAnswer[]> {
  return askEach(asker, listUnknown(known, asked));
}

/** Those clients, the ones that matter first: connections may run out. */
export function listUnknown(
  known: KnownServer,
  asked: readonly ClientObservation[],
): readonly ClientProfile[] {
  const isAsked = ({ hello }: ClientProfile) => asked.some((one) => one.hello === hello);
  return distinct
    .filter((profile) => !isAsked(profile) && !isDerived(profile, known))
    .toSorted((one, other) => Number(other.matters) - Number(one.matters));
}

function askEach(asker: HelloAsker, profiles: readonly ClientProfile[]): Promise<readonly ClientAnswer[]> {
  return Promise.all(profiles.map((profile) => asker.askAs(profile, 'answer')));
}

/** Connecting or not, and if so with which suite. */
function isDerived(profile: ClientProfile, known: KnownServer): boolean {
  const { connects, suite } = deriveClient(profile, known);
  return connects === false || (connects === true && suite !== null);
}

/** As it is kept in the evidence. */
export function withoutForm({ hello, version, answer }: ClientObservation): ClientObservation {
  return { hello, version, answer };
}
