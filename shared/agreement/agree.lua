-- KEYS: one for each setting. ARGV: how long a value is held, ms, then the value that this process has of each.
-- Gives the value that holds of each: the first that was told, for as long as a process that has it tells it again.
local held = {}
for at, key in ipairs(KEYS) do
  local own = ARGV[at + 1]
  local value = redis.call('GET', key)
  if not value then
    -- A Redis without memory takes no new key; what is there is still compared, so that a worker can start and drain it.
    redis.pcall('SET', key, own, 'PX', ARGV[1])
  elseif value == own then
    redis.call('PEXPIRE', key, ARGV[1])
  end
  held[at] = value or own
end
return held
