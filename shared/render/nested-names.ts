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
`
  .trim()
  .split(/\s+/);
