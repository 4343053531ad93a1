-- Takes a slot of a host for a job, renews the one it has, or gives it a place in the line. Idempotent.
-- KEYS: slots, parked:network, parked:browser, owner, turns, worker
-- ARGV: queue, jobId, attempt ("" on submit), caller, limit, leaseMs, lineLimit
-- Returns 0 when the job has a slot, n > 0 for its place in the line, -1 when the line is full, -2 when no worker serves the queue.
local queue, id, attempt, caller = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local limit, lease, lineLimit = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local member = queue .. ' ' .. id
local parked = queue == 'browser' and KEYS[3] or KEYS[2]

-- A full Redis refuses a script that begins with a write that needs memory: a submit shall meet that, a worker shall not.
if attempt ~= '' then redis.call('ZREM', KEYS[1], '') end
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], expired)
  redis.call('HDEL', KEYS[4], string.match(expired, ' (.+)$'))
end

if not redis.call('ZSCORE', KEYS[1], member) then
  if attempt == '' and redis.call('EXISTS', KEYS[6]) == 0 then return -2 end
  local held = redis.call('ZRANGE', KEYS[1], 0, -1)
  local free = #held < limit
  if free and queue == 'browser' then
    for _, other in ipairs(held) do
      if string.sub(other, 1, 8) == 'browser ' then free = false end
    end
  end
  local first = redis.call('ZRANGE', parked, 0, 0)[1]
  if free and (not first or first == id) then
    redis.call('ZREM', parked, id)
  else
    if not redis.call('ZSCORE', parked, id) then
      if attempt == '' and redis.call('ZCARD', parked) >= lineLimit then return -1 end
      -- Round-robin by caller: the next turn after the host's and the caller's own; within a turn by arrival.
      local turn = math.max(tonumber(redis.call('HGET', KEYS[5], '') or 0), tonumber(redis.call('HGET', KEYS[5], caller) or 0)) + 1
      local arrival = redis.call('HINCRBY', KEYS[5], '#', 1) % 1048576
      redis.call('HSET', KEYS[5], caller, turn)
      redis.call('ZADD', parked, turn * 1048576 + arrival, id)
    end
    return redis.call('ZRANK', parked, id) + 1
  end
end

redis.call('ZADD', KEYS[1], now + lease, member)
if attempt ~= '' then redis.call('HSET', KEYS[4], id, attempt) end
-- Of a host that nobody asks for again, what a dead process left is gone soon after its last lease.
for _, key in ipairs({ KEYS[1], KEYS[4] }) do
  if redis.call('PTTL', key) < lease + 60000 then redis.call('PEXPIRE', key, lease + 60000) end
end
return 0
