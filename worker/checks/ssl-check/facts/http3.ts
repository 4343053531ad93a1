import type {
  HstsObservation,
  Http3Place,
  Http3Observation,
  NamesObservation,
  RecordsObservation,
  SslEvidence,
} from '../evidence.ts';
import { hasBrowserVersion, versionName } from '../grammar/quic.ts';

/** Where a site offers HTTP/3, as browsers read it: "none", or null where that could not be read. */
export type Http3Offer = Http3Place | 'none' | null;

/** Whether what is offered is there. */
export type Http3Facts = {
  readonly state: 'answers' | 'no-answer' | 'not-offered' | 'unknown';
  /** null where nothing is offered. */
  readonly place: Http3Place | null;
  /** Names of the versions of QUIC that the server listed. */
  readonly versions: readonly string[];
  /** Why there is no answer, or why that is not known: a clause. */
  readonly reason: string | null;
};

/** One alternative of an Alt-Svc field: the protocol, then in quotes the host (empty for the same) and the port (RFC 7838 §3). */
const http3Alternative = /^\s*h3\s*=\s*"([^":]*):(\d{1,5})"/i;

/** Reads where HTTP/3 is offered: in Alt-Svc of the page, else in the HTTPS record. Browsers no longer try drafts such as h3-29. */
export function readHttp3Offer(hsts: HstsObservation, names: NamesObservation): Http3Offer {
  const values = (hsts.kind === 'fields' ? hsts.altSvc : undefined) ?? [];
  const [alternative] = values.flatMap((value) => value.split(',')).flatMap(readAlternative);
  const records = placesInDns(names);
  const [place] = records.kind === 'answer' ? records.found : [];
  const offer = alternative ?? place;
  if (offer !== undefined) return offer;
  const isRead = records.kind === 'answer' && hsts.kind === 'fields';
  return isRead ? 'none' : null;
}

/** Older evidence has only the protocols of the records. */
function placesInDns({ http3, httpsAlpn }: NamesObservation): RecordsObservation<Http3Place> {
  if (http3 !== undefined) return http3;
  if (httpsAlpn.kind === 'unknown') return httpsAlpn;
  const usual = { source: 'HTTPS record', host: '', port: 443 } as const;
  return { ...httpsAlpn, found: httpsAlpn.found.filter((protocol) => protocol === 'h3').map(() => usual) };
}

function readAlternative(text: string): readonly Http3Place[] {
  const [, host = '', port = ''] = http3Alternative.exec(text) ?? [];
  return port === '' ? [] : [{ source: 'Alt-Svc', host: host.toLowerCase(), port: Number(port) }];
}

/** Reads what came of the trial of HTTP/3 at one address. */
export function readHttp3({ hsts, names, http3 = null }: SslEvidence): Http3Facts {
  const offer = readHttp3Offer(hsts, names);
  const nothing = { place: null, versions: [], reason: null } as const;
  if (offer === 'none') return { ...nothing, state: 'not-offered' };
  if (offer === null)
    return { ...nothing, state: 'unknown', reason: 'the page or the HTTPS record could not be read' };
  const found = http3 ?? { kind: 'unknown', reason: 'it was not tried' };
  return { place: offer, versions: versionsOf(found), ...stateOf(found) };
}

function versionsOf(seen: Http3Observation): readonly string[] {
  return seen.kind === 'answered' ? seen.versions.flatMap((version) => versionName(version) ?? []) : [];
}

function stateOf(seen: Http3Observation): Pick<Http3Facts, 'state' | 'reason'> {
  switch (seen.kind) {
    case 'answered':
      if (hasBrowserVersion(seen.versions)) return { state: 'answers', reason: null };
      return { state: 'no-answer', reason: 'the server speaks no version of QUIC that browsers speak' };
    case 'refused':
      return { state: 'no-answer', reason: 'the port is closed' };
    case 'not-quic':
      return { state: 'no-answer', reason: 'the answer is not QUIC' };
    case 'silent':
      return seen.isUdpSeen
        ? { state: 'no-answer', reason: 'no answer came' }
        : { state: 'unknown', reason: 'no answer over UDP has reached us from any host yet' };
    case 'unknown':
      return { state: 'unknown', reason: seen.reason };
  }
}
