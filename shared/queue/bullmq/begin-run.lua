-- Counts a run that begins in the job's own hash, which ends with the job. Returns how many runs began before, and how many of them alone.
local JOB = KEYS[1] -- BullMQ's hash of the job
local RUNS, ALONE = tonumber(ARGV[1]), tonumber(ARGV[2]) -- 1 as a run begins, -1 to take it back; 0 changes nothing

if redis.call('EXISTS', JOB) == 0 then return { 0, 0 } end
redis.call('HDEL', JOB, '') -- a full Redis refuses a script whose first write needs memory
local before = redis.call('HMGET', JOB, 'runs', 'runsAlone')
redis.call('HINCRBY', JOB, 'runs', RUNS)
if ALONE ~= 0 then redis.call('HINCRBY', JOB, 'runsAlone', ALONE) end
return { tonumber(before[1] or 0), tonumber(before[2] or 0) }
