/** Whether the environment names an HTTP proxy, as curl and others read it. Probes connect directly on purpose: a proxy would be measured instead. */
export function namesProxy(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return proxyNames.some((name) => (environment[name] ?? environment[name.toLowerCase()] ?? '') !== '');
}

const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
