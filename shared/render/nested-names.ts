/**
 * Evidence and nested fields that no sentence of a rule names; test/unit/render/labels.test.ts finds those that are missing. A list, because names
 * that a target chose stay as they are, and looking through the schemas takes longer than a turn may.
 */
export const nestedNames: readonly string[] = `
algorithmName anyHost askedAt atMs authorityKeyId benchmarkIndex browserSource byKind byType cacheLifetimeMs
checkedAt cipherScore cpuSlowdownMultiplier crossOriginIsolated daysLeft decodedBytes dhBits dhPrime
digestType disallowsAll domainEffect downloadThroughputKbps durationMs effectiveFor effectivePolicy ehloName
elementRenderDelay endMs fcpMs finalStatus finalUrl fixedFindings formFactor forwardSecrecy freshUntil
fromCache gradeAfter gradeBefore httpOnly httpVersion includeSubDomains inpMs isSigned isThirdParty itemCount
judgedBy keyExchangeScore keyTag lcpMs lifetimeDays logoFile longTasks mailHosts matchingType maxBytes
mimeType mustStaple mxHosts mxMatch namesCount nameServers namesNotAsked newFindings notAfter notAsked
notBefore notTested nullOrigin observedPhasesMs oldVersions overNetwork parentServers parentZone parseMs
peakMemoryBytes policyUrl postQuantum preloadEligible previousAt previousReportId protocolScore receivedBytes
registeredAt reportId requestLatencyMs resolverValidates resourceLoadDelay resourceLoadDuration
revocationListUrls rttMs rulesVersion sameSite schemaVersion scoreAfter scoreDelta scoreEffect scriptingMs
sentBytes sentOnTo serialNumber signatureAlgorithm signaturesUntil sitemapCount sizeBytes spkiSha256 startMs
startTime startTls startTlsReason statusText subtreeExists tbtMs thirdPartyBytes throughputKbps
timeToFirstByte tookMs tls13Tickets totalBytes trustError upgradedTo uploadThroughputKbps validFrom validUntil
valueOctets voidLookups waitedMs wastedBytes wastedMs wastedPercent wholeBytes

accepted access aead allowed applied assessment audit authorised authoritative authority basis blocked
browser by cause certainty certificate chain check child children chosen cls codes comment complete
compressed confidence confirmed connect connects contacts cors critical curve dane data description detail
digest directives disposition disputed distribution dns download edns embedder encryption entries error eval
evaluator evidence exhausted expiration explanation extensions failure faults fcp findings fix flags framing
grade headers helo high history href hsts https id ids inception info initiator inline integrity isolation
issue issuewild items judged kept kinds lab languages letter level lighthouse limits logo look lost low
matches medium mode nosniff note observed of opener origins ours overspent owners p75 parseable part pass
passed path pem performance period periods points policies poor preload presence priority provider queries
receive recursion references referrer registrar report resource result resumed reused revoked role rua ruf
rules sandbox savings scope score scores script scripts secure selector selectors send sender servers
session severity sha256 si sign signatures signed sitemaps sniffing snippet snippets sources spread ssl
state statuses stored stores summary tags tbt tcp terms testing tests text thresholds throttling tickets
timings title tls tlsa total tree trusted ttfb unit usable usage valid vendor void wait weight whole
`
  .trim()
  .split(/\s+/);
