-- Takes a job that its submitter wants no more out of its lines and out of BullMQ, in one exchange, and tells nobody. `release` is release.lua, `theirs` BullMQ's removeJob.
-- Returns the answer of release.lua, then 1 where the job is gone; 0 where it runs, is another's, or somebody joined it: then nothing was done.
-- KEYS[1..6] and ARGV[1..12] are those of release.lua, then one word, then KEYS and ARGV of removeJob.
local REQUEST = ARGV[13] -- on whose behalf the job was submitted
local JOB = KEYS[7] -- BullMQ's hash of the job

local data, isShared = unpack(redis.call('HMGET', JOB, 'data', 'isShared'))
local isRead, job = pcall(cjson.decode, data or '')
if isShared or not isRead or type(job) ~= 'table' or job.requestId ~= REQUEST then return { {}, 0 } end
-- A worker that has taken it holds its lock; what has ended keeps its answer.
if redis.call('EXISTS', JOB .. ':lock') == 1 or redis.call('HEXISTS', JOB, 'finishedOn') == 1 then return { {}, 0 } end
redis.call('HDEL', JOB, '') -- a full Redis refuses a script whose first write needs memory
if theirs({ unpack(KEYS, 7) }, { unpack(ARGV, 14) }) ~= 1 then return { {}, 0 } end
return { release(KEYS, ARGV), 1 }
