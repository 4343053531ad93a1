import { describe } from 'vitest';
import { openMemoryRateLimiter } from '#shared/limits/rates/memory';
import { rateLimiterContract } from './rate-limiter.contract.ts';

describe('memory rate limiter', () => {
  rateLimiterContract(async () => openMemoryRateLimiter());
});
