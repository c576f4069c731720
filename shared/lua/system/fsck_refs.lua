-- Reports counters of an account, how many hosts and contacts use each profile
-- and group, that differ from the number that the caller counted.  A counter
-- that has changed since the caller read it is left alone: it changes together
-- with what is counted.
-- KEYS[1] acct:<AC>
-- ARGV    1 "1": mend  2... triples: field, the counter ("": there is none),
--         the number
-- Result  OK, faults
--- include: fsck
local refs = key('refs', ac)
for i = 2, #ARGV, 3 do
    local field, has, is = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    if (call('HGET', refs, field) or '') == has then
        fault('refs', field, 'is said to be used ' .. (has == '' and 0 or has)
            .. ' times, it is ' .. is, function()
                if is == '0' then
                    call('HDEL', refs, field)
                else
                    call('HSET', refs, field, is)
                end
            end)
    end
end
return out
