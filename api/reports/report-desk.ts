import type { Desk } from '../desk.ts';

/** What the endpoints of stored reports take. */
export type ReportDesk = Pick<Desk, 'admission' | 'runs' | 'shelf' | 'site' | 'streams' | 'targetPolicy'>;
