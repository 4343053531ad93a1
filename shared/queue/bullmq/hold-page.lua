-- Counts a page load for its caller. Idempotent. Returns 0 when the caller has enough of them already; nothing is counted then.
local HELD = KEYS[1] -- sorted set: job id -> when it cannot run any more, Redis ms
local ID, LIMIT = ARGV[1], tonumber(ARGV[2])
local LAST_MS = tonumber(ARGV[3]) -- from now until it cannot run any more

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', HELD, '-inf', now)
local others = redis.call('ZCARD', HELD) - (redis.call('ZSCORE', HELD, ID) and 1 or 0)
if others >= LIMIT then return 0 end
redis.call('ZADD', HELD, now + LAST_MS, ID)
if redis.call('PTTL', HELD) < LAST_MS then redis.call('PEXPIRE', HELD, LAST_MS) end
return 1
