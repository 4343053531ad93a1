import type { Config } from '#shared/settings/config';
import type { FailedReportSettings } from '../run/examine.ts';

/** How the reports of a worker are made. @param now Unix ms by the clock that all processes share */
export function reportSettingsOf(config: Config, now: () => number): FailedReportSettings {
  return {
    now,
    freshForS: config.FRESH_SECONDS,
    keepForS: config.REPORT_TTL_DAYS * 86_400,
    publicPath: config.PUBLIC_URL ?? '',
    vantageId: config.VANTAGE_ID,
    reportIds: config.REPORT_IDS,
  };
}
