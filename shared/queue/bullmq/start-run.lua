-- Starts a run in one exchange: looks for pauses, takes the slot, counts the run. `take` and `beginRun` are take.lua and begin-run.lua.
-- Returns the answer of take.lua, then, where that is 0, the two of begin-run.lua, and 1 where a run of the key has ended lately. -3: an operator holds the job back, nothing was done.
-- KEYS[1..6] and ARGV[1..10] are those of take.lua.
local PAUSES = KEYS[7] -- hash: "host <name>" or "check <name>" -> the end of the pause, Unix ms of the shared clock
local JOB = KEYS[8] -- BullMQ's hash of the job
local ENDED = KEYS[9] -- as in release.lua
local HOST, CHECK = ARGV[11], ARGV[12] -- fields of PAUSES
local NOW_MS = tonumber(ARGV[13]) -- by the shared clock
local ALONE = ARGV[14] -- 1 when no other run is in the worker

for _, ends in ipairs(redis.call('HMGET', PAUSES, HOST, CHECK)) do
  if ends and tonumber(ends) > NOW_MS then return { -3 } end
end
local place = take(KEYS, ARGV)
if place ~= 0 then return { place } end
local before = beginRun({ JOB }, { 1, ALONE })
return { 0, before[1], before[2], redis.call('EXISTS', ENDED) }
