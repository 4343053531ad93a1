-- Notes that a process lives, and counts those that were heard of lately, by Redis' own clock.
-- KEYS: the processes, by when each was heard of last
-- ARGV: the process, how long one that is not heard of counts in ms
-- Returns how many live.
local processes, process, keptMs = KEYS[1], ARGV[1], tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', processes, now, process)
redis.call('ZREMRANGEBYSCORE', processes, '-inf', now - keptMs)
redis.call('PEXPIRE', processes, keptMs)
return redis.call('ZCARD', processes)
