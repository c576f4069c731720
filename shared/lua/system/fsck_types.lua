-- Looks whether keys are of the type that every program takes them for.
-- KEYS[1] a key of the partition; of an account's keys: acct:<AC>
-- ARGV    1 "1": mend  2... pairs of name and type
-- Result  OK | BAD (one is not, and was not mended), faults
--- include: fsck
for i = 2, #ARGV, 2 do
    local k = base .. ARGV[i]
    local t = type_of(k)
    if t ~= 'none' and t ~= ARGV[i + 1] then
        fault('type', ARGV[i], 'is a ' .. t .. ', not a ' .. ARGV[i + 1],
            function() call('DEL', k) end)
        out[1] = mend and out[1] or 'BAD'
    end
end
return out
