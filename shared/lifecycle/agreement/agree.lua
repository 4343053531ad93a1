-- KEYS: one for each setting. ARGV: how long a value is held, ms; "yes" where this process may be the first to tell its values; then the
-- value that it has of each.
-- Gives the value that holds of each: the first that was told, for as long as a process that has it tells it again. Nil where none holds:
-- the text "" is the value of a setting that is unset.
local held = {}
for at, key in ipairs(KEYS) do
  local own = ARGV[at + 2]
  local value = redis.call('GET', key)
  if not value and ARGV[2] == 'yes' then
    value = own
    -- A Redis without memory takes no new key; what is there is still compared, so that a worker can start and drain it.
    redis.pcall('SET', key, own, 'PX', ARGV[1])
  elseif value == own then
    redis.call('PEXPIRE', key, ARGV[1])
  end
  held[at] = value
end
return held
