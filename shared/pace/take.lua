-- Takes units of a key's rate (generic cell rate algorithm) by Redis' own clock.
-- KEYS: the key; holds the time in ms when all that was taken will have been used at the rate
-- ARGV: units, units per second, burst, longest wait in ms
-- Returns the wait in ms before the units may be used, or -1 when it is too long; nothing is taken then.
local usedUpAt = KEYS[1]
local units, perSecond = tonumber(ARGV[1]), tonumber(ARGV[2])
local burst, maxWaitMs = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local next = math.max(tonumber(redis.call('GET', usedUpAt) or 0), now) + units * 1000 / perSecond
local waitMs = math.max(0, math.ceil(next - burst * 1000 / perSecond - now))
if waitMs > maxWaitMs then return -1 end
redis.call('SET', usedUpAt, string.format('%.3f', next), 'PX', math.max(1, math.ceil(next - now)))
return waitMs
