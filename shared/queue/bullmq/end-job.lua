-- Takes a job that has ended out of the lists of its host and its caller, tells of it, and ends it in BullMQ, in one exchange. `release` is release.lua, `theirs` BullMQ's moveToFinished.
-- Returns the answer of release.lua, then that of moveToFinished.
-- KEYS[1..6] and ARGV[1..12] are those of release.lua; KEYS and ARGV of moveToFinished follow them.
return { release(KEYS, ARGV), theirs({ unpack(KEYS, 7) }, { unpack(ARGV, 13) }) }
