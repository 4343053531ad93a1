import { describe } from 'vitest';
import { openMemoryRateLimiter } from '#shared/limits/rates/flexible';
import { rateLimiterContract } from './rate-limiter.contract.ts';

describe('memory rate limiter', () => {
  rateLimiterContract(async () => openMemoryRateLimiter());
});
