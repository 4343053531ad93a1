import type { Config } from './config.ts';

/** What an operator reads of a setting: its default as it would be written, null where it is unset or depends on the process, and one or two sentences in Markdown. */
export type SettingText = { readonly byDefault: string | null; readonly meaning: string };

/** The one place for the meaning of every setting, in the order of the schema; the table of docs/settings.md and .env.example are made from it. */
export const settingTexts: Readonly<Record<keyof Config, SettingText>> = {
  HOST: { byDefault: '127.0.0.1', meaning: 'Address or name of the public listener.' },
  PORT: { byDefault: '3000', meaning: 'Its port.' },
  ADMIN_HOST: { byDefault: '127.0.0.1', meaning: 'Listener of `/livez`, `/readyz` and `/metrics`.' },
  ADMIN_PORT: {
    byDefault: null,
    meaning:
      'Its port: 3001, for a worker 3002. If the default port is in use, a free one is chosen. If a port that you set is in use, the process exits with 78.',
  },
  DRAIN_SECONDS: {
    byDefault: '0',
    meaning:
      "Seconds to keep accepting requests after SIGTERM while `/readyz` answers 503. Set it longer than your load balancer's check interval. 10 in the image.",
  },
  PUBLIC_URL: {
    byDefault: null,
    meaning: 'The address that callers use, such as https://checks.example/tools. Every link begins with it.',
  },
  CONTACT_URL: {
    byDefault: null,
    meaning: 'http, https or mailto URL in the User-Agent of every probe. Set it on public deployments.',
  },
  CORS_ORIGINS: {
    byDefault: null,
    meaning: 'Origins of web pages that may read answers, comma separated; `*` for public services.',
  },
  REDIS_URL: {
    byDefault: null,
    meaning:
      '`redis://` or `rediss://`: the queue, in one Redis that is no cluster. Set it and MONGODB_URL, or neither. `redis+sentinel://user:password@a,b,c/master?sentinelUsername=…&sentinelPassword=…` a master that sentinels watch; `rediss+…` for TLS. Percent-encode passwords.',
  },
  MONGODB_URL: { byDefault: null, meaning: '`mongodb://` or `mongodb+srv://`: the reports.' },
  DATA_DIR: {
    byDefault: './data',
    meaning: 'Directory of the database files and the unpacked browser. `:memory:` stores nothing.',
  },
  AUTH_MODE: {
    byDefault: 'open',
    meaning: '`token`: everything that starts or shows a check needs a token.',
  },
  ACCOUNT_CACHE: {
    byDefault: 'shared',
    meaning:
      '`own` (with `AUTH_MODE=token`): reports and jobs of an account are never given to other accounts.',
  },
  REPORT_IDS: {
    byDefault: 'on',
    meaning: '`off`: reports have no id and are kept only while they are fresh.',
  },
  REPORT_TTL_DAYS: { byDefault: '30', meaning: 'Days until a report is deleted.' },
  EVIDENCE_HOURS: {
    byDefault: '24',
    meaning: 'How long `diag evidence <reportId>` finds what a report was judged from.',
  },
  ACCESS_DAYS: {
    byDefault: '30',
    meaning:
      'Days to keep the record of who started each run and what it sent where (`diag access`). 0 keeps none.',
  },
  STORE_MAX_MB: {
    byDefault: '20000',
    meaning: 'Largest size of the store in MB. Beyond it, the oldest reports are deleted.',
  },
  RATE_LIMIT: {
    byDefault: 'on',
    meaning: '`off`, for labs: no limits for callers, and no rate limit at the hosts that targets name.',
  },
  LIMIT_ANON_REQUESTS: {
    byDefault: '600/60',
    meaning:
      'Requests of each caller without a token, as points/seconds. Each API process counts for itself.',
  },
  LIMIT_ANON_SCANS: {
    byDefault: '60/60',
    meaning: 'New runs of each caller without a token, counted over all processes.',
  },
  LIMIT_TOKEN_REQUESTS: {
    byDefault: '6000/60',
    meaning: 'Requests of each token. A token can have limits of its own.',
  },
  LIMIT_TOKEN_SCANS: { byDefault: '600/60', meaning: 'New runs of each token.' },
  LIMIT_TOKEN_PAGES: {
    byDefault: '40',
    meaning:
      'Page loads of a token that may wait at once. A token can have its own number. Callers without a token have 4.',
  },
  LIMIT_ACCOUNT_BATCHES: { byDefault: '20', meaning: 'Open batches of an account.' },
  LIMIT_ACCOUNT_TARGETS: { byDefault: '50000', meaning: 'Targets that wait in batches of an account.' },
  LIMIT_ACCOUNT_WATCHES: { byDefault: '10000', meaning: 'Targets that an account may watch.' },
  WATCH_MIN_SECONDS: { byDefault: '3600', meaning: 'Shortest interval of a watch; less for labs.' },
  MAIL_URL: {
    byDefault: null,
    meaning:
      'SMTP server for the mail of watches: `smtp://user:password@host:587` (STARTTLS), or `smtps://` for TLS from the start. Needs MAIL_FROM and an https PUBLIC_URL. Without it, watches use webhooks and feeds only.',
  },
  MAIL_FROM: { byDefault: null, meaning: 'Sender address of that mail.' },
  TRUST_PROXY: {
    byDefault: null,
    meaning: 'Number of proxies in front, or their CIDR blocks; `true` is refused.',
  },
  WAIT_SECONDS: {
    byDefault: null,
    meaning:
      'Seconds that a GET waits before it is answered 202. Default: 25; 50 for domain-health and pagespeed-check.',
  },
  QUEUE_SECONDS: { byDefault: '600', meaning: 'Seconds that a job may wait in the queue.' },
  FRESH_SECONDS: {
    byDefault: null,
    meaning:
      'Seconds that a report stays fresh, the same for all checks; for labs. By default each check has its own.',
  },
  HOST_CONCURRENCY: {
    byDefault: '4',
    meaning: 'Concurrent checks of one registrable domain, over all workers.',
  },
  WORKER_CONCURRENCY: { byDefault: '50', meaning: 'Concurrent network checks in one worker.' },
  WORKER_QUEUES: { byDefault: 'network,browser', meaning: 'Queues that this worker serves.' },
  VANTAGE_ID: {
    byDefault: null,
    meaning: "Name of this worker's network; reports show it as `vantage.id`.",
  },
  CONTROLS: {
    byDefault: 'on',
    meaning:
      '`off`: no root server, registry or other host is asked whether a failure is that of this network: each is then told as the fault of the target. For networks of their own, where none of them can be reached.',
  },
  CONTROL_HOSTS: {
    byDefault: null,
    meaning:
      'Up to five hosts that answer https, of two operators at least. They are asked hourly and when a target fails, before some registries (see PROBE_RDAP), to distinguish faults of this network from faults of targets.',
  },
  DNS_SERVERS: { byDefault: null, meaning: "`host-or-ip[:port]`, comma separated; otherwise the system's." },
  NAMESERVER_PORT: { byDefault: '53', meaning: "For labs: the port of a domain's own name servers." },
  TARGET_PORTS: {
    byDefault: '80,443,8080,8443',
    meaning: 'Ports that a target may name; ranges are allowed.',
  },
  TARGET_PORT_MAP: {
    byDefault: null,
    meaning: 'For labs: ports to connect to instead, such as 80=45080.',
  },
  TARGET_ALLOW_CIDRS: {
    byDefault: null,
    meaning: 'Networks that may be checked even though they are not public.',
  },
  TARGET_DENY_CIDRS: { byDefault: null, meaning: 'Networks that are never checked.' },
  TARGET_DENY_NAMES: {
    byDefault: null,
    meaning: 'Domains that never get a request, with all their subdomains, comma separated.',
  },
  TARGET_DENY_NAMES_FILE: {
    byDefault: null,
    meaning:
      'A file with more of them, one per line, `#` for comments. Changes take effect at once; replace the file by renaming a new one.',
  },
  TARGET_ALLOW_SUFFIXES: {
    byDefault: null,
    meaning: 'For labs: special-use names that may be checked, such as test.',
  },
  NODE_EXTRA_CA_CERTS: {
    byDefault: null,
    meaning: "PEM file of certificate authorities to trust in addition to Node's.",
  },
  BROWSER_PATH: {
    byDefault: null,
    meaning: 'Path of another Chrome or Chromium; the same for API and workers.',
  },
  BROWSER_NO_SANDBOX: {
    byDefault: 'off',
    meaning: '`on`: runs the browser without its sandbox, for containers that isolate it well enough.',
  },
  PROBE_AXFR: {
    byDefault: 'off',
    meaning:
      '`on`: dns-check requests a zone transfer from each name server. Some operators see that as an attack.',
  },
  PROBE_SMTP: {
    byDefault: 'off',
    meaning: '`on`: smtp-check talks to mail hosts on port 25. Needs SMTP_HELO and CONTACT_URL.',
  },
  SMTP_HELO: {
    byDefault: null,
    meaning:
      "Name for EHLO. It should resolve to this machine's address, and the address's PTR back to it (`diag doctor` checks).",
  },
  SMTP_CONTROL_HOST: {
    byDefault: null,
    meaning:
      'A mail host that always answers. If it is silent too, silence on port 25 is blamed on this network, not on targets.',
  },
  PROBE_RDAP: {
    byDefault: 'on',
    meaning:
      '`off`: domain-health does not ask registries when a domain expires, and none of them is asked whether a failure is that of this network.',
  },
  RDAP_BOOTSTRAP_FILE: {
    byDefault: null,
    meaning:
      "A newer copy of IANA's `dns.json`, or a lab's own list of registries; otherwise the project's copy.",
  },
  MCP: {
    byDefault: 'off',
    meaning:
      '`on`: serves the Model Context Protocol at `/mcp`, with the tokens, limits and costs of any caller.',
  },
  ORIGIN_ASN_ZONE: {
    byDefault: null,
    meaning:
      'Zone that maps addresses to networks (ASN), such as origin.asn.cymru.com (its zone for IPv6 is origin6.asn.cymru.com); without it dns-check does not report origins.',
  },
  CRUX_API_KEY: {
    byDefault: null,
    meaning:
      'API key of the Chrome UX Report: adds field data of page and origin with their history. Two to four requests per report.',
  },
  PSI_API_KEY: {
    byDefault: null,
    meaning: 'API key of PageSpeed Insights, used if this machine has no browser.',
  },
  HSTS_PRELOAD_FILE: {
    byDefault: null,
    meaning: "Chromium's `transport_security_state_static.json`; without it, only preloaded TLDs are known.",
  },
  LOG_LEVEL: { byDefault: 'info', meaning: 'fatal, error, warn, info, debug, trace or silent.' },
  TRACE_INCOMING: {
    byDefault: 'off',
    meaning: "`on`: continues the trace of a request's `traceparent`. Only behind a gateway of your own.",
  },
};
