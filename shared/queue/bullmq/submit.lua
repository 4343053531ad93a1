-- Takes a place for a job and adds the job to BullMQ in one exchange. `take` is take.lua, `theirs` BullMQ's addStandardJob and `addDelayed` its addDelayedJob.
-- Returns the answer of take.lua, then what BullMQ gives: the id under which the work is known. Where the job is not kept, it is not added, and the second is "".
-- KEYS[1..6] and ARGV[1..10] are those of take.lua, then one word, then KEYS and ARGV of addStandardJob.
local ID = ARGV[2]
local DELAY = tonumber(ARGV[11]) -- ms, of a job that has to wait: when it is woken at the latest

-- A full Redis refuses a script whose first write needs memory: none of this is done then.
redis.call('INCRBY', KEYS[10], 0) -- BullMQ's own count of jobs
local place = take(KEYS, ARGV)
if place == -1 or place == -2 then return { place, '' } end
local queueKeys = { unpack(KEYS, 7) }
local about, data, options = unpack(ARGV, 12)

-- What several requests want is none's to withdraw. Where equal work was there before, the id is that of its job.
local function known(id)
  local earlier = string.sub(KEYS[10], 1, -3) .. id -- jobs stand beside the count, "<prefix>:id"
  if id == ID or redis.call('EXISTS', earlier) == 0 then return id end
  local isRead, job = pcall(cjson.decode, redis.call('HGET', earlier, 'data') or '')
  local request = cjson.decode(data).requestId
  if not isRead or request == nil or job.requestId ~= request then redis.call('HSET', earlier, 'isShared', 1) end
  return id
end

if place == 0 then return { place, known(theirs(queueKeys, { about, data, options })) } end
local delayed = cmsgpack.unpack(options)
delayed.delay = DELAY
local _, _, meta, id, completed, sleeping, _, events, marker = unpack(queueKeys)
return { place, known(addDelayed({ marker, meta, id, sleeping, completed, events }, { about, data, cmsgpack.pack(delayed) })) }
