-- Reports counters of an account, how many hosts and contacts use each profile
-- and group, that differ from the number that the caller counted.  A counter
-- that has changed since the caller read it is left alone: it changes together
-- with what is counted.
--- key: acct  acct:<AC>
--- arg: mend  "1": mend
--- arg: field has is...  has: the counter ("": there is none), is: the number
--- reply: OK  then faults (_fsck.lua)
--- include: fsck
local refs = key('refs', ac)
for i = 1, (#ARGV - ARG.before) / ARG.each do
    local field = ARGV[ARG.field + ARG.each * i]
    local has, is = ARGV[ARG.has + ARG.each * i], ARGV[ARG.is + ARG.each * i]
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
