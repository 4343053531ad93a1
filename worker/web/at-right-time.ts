/** Evidence with each certificate as it would have been judged by a clock that is right (`atRightTime` of a TlsObservation). */
export function atRightTime<Seen>(evidence: Seen): Seen {
  if (typeof evidence !== 'object' || evidence === null) return evidence;
  if (Array.isArray(evidence)) return evidence.map((one: unknown) => atRightTime(one)) as Seen;
  const own = Object.entries(evidence).map(([key, value]) => [key, atRightTime<unknown>(value)]);
  const right = 'atRightTime' in evidence ? (evidence.atRightTime as object) : {};
  return { ...(Object.fromEntries(own) as Seen), ...right };
}
