-- Shows a page of the mutes of an account, the last to end first.
--- key: acct  acct:<AC>
--- arg: first  rank
--- arg: last  rank
--- reply: OK total# now# mutes[]  packed records
--- reply: ACCOUNT  there is none
--- include: exists
local mutes, found = key('mutes', ac), {}
for _, mu in ipairs(call('ZRANGE', mutes, ARG.first, ARG.last, 'REV')) do
    found[#found + 1] = call('GET', key('r', ac, mu)) or nil
end
return {'OK', call('ZCARD', mutes), now_ms(), found}
