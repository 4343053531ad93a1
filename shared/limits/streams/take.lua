-- Takes a place among the streams of an account, or renews it; 1 where it is taken, 0 where the account has enough.
local PLACES = KEYS[1] -- sorted set: a stream's id -> when its lease ends, Redis ms
local ID, MOST, LEASE_MS = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]) -- a most of 0 renews: what Redis has lost is there again

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', PLACES, '-inf', now)
if MOST > 0 and redis.call('ZCARD', PLACES) >= MOST then return 0 end
redis.call('ZADD', PLACES, now + LEASE_MS, ID)
redis.call('PEXPIRE', PLACES, LEASE_MS)
return 1
