import type { SharedAnswers } from '../../halves.ts';
import type { ApexAnswers } from '../evidence.ts';

/** What was asked already when the names of an SOA are looked up. */
export type SoaInputs = { readonly shared: SharedAnswers; readonly unchecked: Promise<Partial<ApexAnswers>> };
