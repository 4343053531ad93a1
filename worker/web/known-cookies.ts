/** What a cookie is for. `bot` and `routing` ones are set by what stands before the site, and open no session. */
export type CookieKind =
  | 'bot'
  | 'routing'
  | 'analytics'
  | 'advertising'
  | 'consent'
  | 'experiment'
  | 'preference';

export type KnownCookie = { readonly kind: CookieKind; readonly owner: string; readonly source: string };

type Row = readonly [name: RegExp, kind: CookieKind, owner: string, source: string];

/** The day when the table was last compared with the pages that it names. */
export const cookiesListedOn = '2026-11-23';

/** Cookies whose maker says what they are for. None of them is a login, though many hold long random values. */
const table: readonly Row[] = [
  [
    /^(?:__cf_bm|__cfruid|_cfuvid|cf_clearance|cf_chl_\w+|__cfwaitingroom|__cflb|__cfseq|cf_ob_info|cf_use_ob)$/,
    'bot',
    'Cloudflare',
    'https://developers.cloudflare.com/fundamentals/reference/policies-compliances/cloudflare-cookies/',
  ],
  [
    /^(?:visid_incap_|incap_ses_|nlbi_|incap_sh_|reese84|___utmv[bmac])/,
    'bot',
    'Imperva',
    'https://docs.imperva.com/bundle/cloud-application-security/page/settings/cookies.htm',
  ],
  [/^datadome$/, 'bot', 'DataDome', 'https://docs.datadome.co/docs/cookie-session-storage'],
  [
    /^_px(?:hd|vid|3|2|de|cts|ff_.*)?$|^pxcts$/,
    'bot',
    'HUMAN',
    'https://docs.humansecurity.com/applications-and-accounts/docs/cookies',
  ],
  [
    /^(?:ak_bmsc|bm_(?:sv|sz|mi|so|s|lso|ss)|_abck|akaas_\w+|akacd_\w+|akavpau_\w+|aka_a2|RT)$/,
    'bot',
    'Akamai',
    'https://techdocs.akamai.com/bot-manager/docs/cookies',
  ],
  [
    /^aws-waf-token$/,
    'bot',
    'AWS WAF',
    'https://docs.aws.amazon.com/waf/latest/developerguide/waf-tokens-details.html',
  ],
  [
    /^(?:_vcrcs|_vercel_jwt)$/,
    'bot',
    'Vercel',
    'https://vercel.com/docs/vercel-firewall/attack-challenge-mode',
  ],
  [/^KP_UIDz?(?:-ssn)?$/, 'bot', 'Kasada', 'https://docs.kasada.io'],
  [
    /^TS[0-9a-f]{6,}(?:_\d+|027|028|077)?$|^TSPD_|^BIGipServer|^f5_cspm$/,
    'routing',
    'F5 BIG-IP',
    'https://my.f5.com/manage/s/article/K6850',
  ],
  [
    /^AWSALB(?:TG)?(?:CORS)?$|^AWSALBAPP-[0-3]$|^AWSELB(?:CORS)?$/,
    'routing',
    'AWS load balancer',
    'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/sticky-sessions.html',
  ],
  [
    /^ARRAffinity(?:SameSite)?$/,
    'routing',
    'Azure App Service',
    'https://learn.microsoft.com/azure/app-service/configure-common',
  ],
  [
    /^(?:heroku-session-affinity|GCLB|GAESA|SERVERID|SRV|srv_id|route|ROUTEID|DYNSRV|__uzm[a-z]\w*|NSC_\w+)$/i,
    'routing',
    'a load balancer',
    'https://docs.haproxy.org/3.0/configuration.html#4-cookie',
  ],
  [
    /^_ga(?:_\w+)?$|^_gid$|^_gat|^__utm[abctvz]$|^_dc_gtm_/,
    'analytics',
    'Google Analytics',
    'https://developers.google.com/analytics/devguides/collection/analyticsjs/cookie-usage',
  ],
  [
    /^(?:NID|AEC|SOCS|OTZ|DV|1P_JAR|__Secure-ENID|GN_PREF|__Host-GAPS)$/,
    'preference',
    'Google',
    'https://policies.google.com/technologies/cookies',
  ],
  [
    /^(?:IDE|DSID|_gcl_\w+|FPLC|FPGC\w*|__gads|__gpi|test_cookie)$/,
    'advertising',
    'Google',
    'https://policies.google.com/technologies/cookies',
  ],
  [/^_fb[pc]$|^fr$/, 'advertising', 'Meta', 'https://www.facebook.com/privacy/policies/cookies/'],
  [
    /^(?:MUID|_uet[sv]id|_clck|_clsk|ANONCHK)$/,
    'analytics',
    'Microsoft',
    'https://learn.microsoft.com/clarity/setup-and-installation/cookie-list',
  ],
  [
    /^ai_(?:session|user)$/,
    'analytics',
    'Azure Application Insights',
    'https://learn.microsoft.com/azure/azure-monitor/app/javascript-sdk-configuration',
  ],
  [
    /^(?:server_session_id|utag_main\w*|_session_tracking\w*|SESSION_TRACKING_COOKIE)$/,
    'analytics',
    'an analytics service',
    'https://docs.tealium.com/platforms/javascript/cookies/',
  ],
  [
    /^CloudFront-(?:Policy|Signature|Key-Pair-Id)$|^(?:hdntl|hdnts|hdnea|edge_auth)$/,
    'routing',
    'a delivery network',
    'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-signed-cookies.html',
  ],
  [/^sbjs_\w+$/, 'analytics', 'Sourcebuster', 'https://github.com/alexfedoseev/sourcebuster-js'],
  [
    /^(?:intercom-(?:session|id|device-id)-\w+|crisp-client(?:%2F|\/).+|__zlcmid)$/,
    'analytics',
    'a chat service',
    'https://www.intercom.com/help/en/articles/2361922-intercom-messenger-cookies',
  ],
  [/^__stripe_[ms]id$/, 'bot', 'Stripe', 'https://stripe.com/cookie-settings'],
  [
    /^(?:AMCV_|AMCVS_|s_(?:cc|sq|vi|fid|ecid|sess|pers|ppvl?)|mbox|demdex)/,
    'analytics',
    'Adobe',
    'https://experienceleague.adobe.com/docs/core-services/interface/data-collection/cookies.html',
  ],
  [
    /^ajs_(?:anonymous|user|group)_id$/,
    'analytics',
    'Segment',
    'https://segment.com/docs/connections/sources/catalog/libraries/website/javascript/',
  ],
  [
    /^(?:mp_\w+_mixpanel|amplitude_\w+|AMP_\w+|_hj\w+|ph_\w+_posthog|tk_(?:ai|qs|tc|lr|or|r3d)\w*|TealeafAka\w*|dtCookie|rxV(?:isitor|t)|_pk_(?:id|ses|ref)\b.*)$/,
    'analytics',
    'an analytics service',
    'https://matomo.org/faq/general/faq_146/',
  ],
  [
    /^(?:optimizelyEndUserId|optimizely\w*|_vwo_\w+|_vis_opt_\w+|ABTasty\w*|ab_(?:testing_id|experiment_sampled)|explat_\w+)$/,
    'experiment',
    'an experiment service',
    'https://support.optimizely.com/hc/en-us/articles/4410283160205',
  ],
  [
    /^(?:OptanonConsent|OptanonAlertBoxClosed|euconsent(?:-v2)?|CookieConsent|didomi_token|cmapi_\w+|consent_token|usprivacy|ccpa|notice_\w+|axeptio_\w+|_iub_cs-.+|addtl_consent)$/,
    'consent',
    'a consent service',
    'https://github.com/InteractiveAdvertisingBureau/GDPR-Transparency-and-Consent-Framework',
  ],
  [
    /^(?:hubspotutk|__hs(?:tc|sc|src|sc)\w*|_mkto_trk|li_(?:gc|fat_id)|bcookie|lidc|UserMatchHistory|_pin_unauth|_tt\w*|personalization_id|guest_id\w*|muc_ads)$/,
    'advertising',
    'an advertising service',
    'https://legal.hubspot.com/cookie-policy',
  ],
  [
    /^(?:GeoIP|WMF-(?:Last-Access(?:-Global)?|Uniq|DP)|NetworkProbeLimit)$/,
    'analytics',
    'Wikimedia',
    'https://foundation.wikimedia.org/wiki/Policy:Cookie_statement',
  ],
];

/** What is known of a cookie by its name; undefined where nobody has said what it is for. */
export function findKnownCookie(name: string): KnownCookie | undefined {
  const row = name.length > 200 ? undefined : table.find(([pattern]) => pattern.test(name));
  return row && { kind: row[1], owner: row[2], source: row[3] };
}
