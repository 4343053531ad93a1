-- Takes a job out of its host's books, tells of its end, and hands free slots to those whose turn it is. Idempotent.
-- KEYS: slots, parked:network, parked:browser, owner, turns
-- ARGV: queue, jobId, attempt ("" for whoever it is), limit, leaseMs of the handed slots, channel, message ("" tells nobody)
-- Returns queue, jobId, queue, jobId, … of the jobs that may run now; nothing when an older attempt asks.
local queue, id, attempt = ARGV[1], ARGV[2], ARGV[3]
local limit, lease = tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local owner = redis.call('HGET', KEYS[4], id)
if attempt ~= '' and owner and owner ~= attempt then return {} end

redis.call('ZREM', KEYS[1], queue .. ' ' .. id)
redis.call('HDEL', KEYS[4], id)
redis.call('ZREM', queue == 'browser' and KEYS[3] or KEYS[2], id)
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], expired)
  redis.call('HDEL', KEYS[4], string.match(expired, ' (.+)$'))
end
if ARGV[7] ~= '' then redis.call('PUBLISH', ARGV[6], ARGV[7]) end

local held = redis.call('ZRANGE', KEYS[1], 0, -1)
local count, browsers = #held, 0
for _, other in ipairs(held) do
  if string.sub(other, 1, 8) == 'browser ' then browsers = browsers + 1 end
end
local handed = {}
while count < limit do
  local network = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  local browser = browsers == 0 and redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES') or {}
  local nextQueue, head, parked = 'network', network, KEYS[2]
  if browser[1] and (not network[1] or tonumber(browser[2]) < tonumber(network[2])) then
    nextQueue, head, parked = 'browser', browser, KEYS[3]
  end
  if not head[1] then break end
  redis.call('ZREM', parked, head[1])
  redis.call('ZADD', KEYS[1], now + lease, nextQueue .. ' ' .. head[1])
  local turn = math.floor(tonumber(head[2]) / 1048576)
  if turn > tonumber(redis.call('HGET', KEYS[5], '') or 0) then redis.call('HSET', KEYS[5], '', turn) end
  handed[#handed + 1] = nextQueue
  handed[#handed + 1] = head[1]
  count = count + 1
  if nextQueue == 'browser' then browsers = browsers + 1 end
end
if redis.call('EXISTS', KEYS[2], KEYS[3]) == 0 then redis.call('DEL', KEYS[5]) end
return handed
