-- Looks whether keys are of the type that every program takes them for.
--- key: at  accounts of the partition; of an account's keys: acct:<AC>
--- arg: mend  "1": mend
--- arg: name type...
--- reply: OK  then faults (_fsck.lua)
--- reply: BAD  one is not, and was not mended; then faults
--- include: fsck
for i = 1, (#ARGV - ARG.before) / ARG.each do
    local name = ARGV[ARG.name + ARG.each * i]
    local right = ARGV[ARG.type + ARG.each * i]
    local k = base .. name
    local t = type_of(k)
    if t ~= 'none' and t ~= right then
        fault('type', name, 'is a ' .. t .. ', not a ' .. right,
            function() call('DEL', k) end)
        out[1] = mend and out[1] or 'BAD'
    end
end
return out
