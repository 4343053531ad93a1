-- Counts the unfinished jobs of a caller in one queue: those that hold a slot, and those that wait for one or for their host.
local BASE = KEYS[1]
local NODE, ABOVE, CALLER = ARGV[1], ARGV[2], ARGV[3] -- as in turns.lua: the caller, what is above it, and its name alone

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local score = tonumber(redis.call('ZSCORE', BASE .. ':spent:' .. ABOVE, NODE) or 0)
local running = math.floor(score / 2199023255552)
local jobs = tonumber(redis.call('HGET', BASE .. ':counts', 'job ' .. NODE) or 0)
local parked = redis.call('ZCOUNT', BASE .. ':parked:' .. CALLER, now, '+inf')
return { running, math.max(0, jobs - running) + parked }
