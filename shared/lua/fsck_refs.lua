-- Compares the counters of an account, how many hosts and contacts use each
-- profile and group, with what was counted.  Whoever counted has watched the
-- counters meanwhile: nothing that is counted changes without them.
-- KEYS[1] acct:<AC>
-- ARGV    1 "1": mend  2... pairs of field and number
-- Result  OK, faults
--- include: fsck
local refs = key('refs', ac)
local used = {}
for i = 2, #ARGV, 2 do
    used[ARGV[i]] = tonumber(ARGV[i + 1])
end
local function differ(field, has, is)
    fault('refs', field, 'is said to be used ' .. has .. ' times, it is ' .. is,
        function()
            if is == 0 then
                call('HDEL', refs, field)
            else
                call('HSET', refs, field, is)
            end
        end)
end
local all = call('HGETALL', refs)
for i = 1, #all, 2 do
    local field, is = all[i], used[all[i]] or 0
    if tonumber(all[i + 1]) ~= is or is == 0 then
        differ(field, all[i + 1], is)
    end
    used[field] = nil
end
for field, is in pairs(used) do
    differ(field, 0, is)
end
return out
