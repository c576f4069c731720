-- Shows accounts of a partition, with their numbers of hosts: a page, those of
-- the page with a text in their name, or one.
--- key: accounts
--- arg: id  SID of the only one; "": the page
--- arg: first  rank
--- arg: last  rank
--- arg: name  a text in it, in any case of ASCII letters; "": any
--- reply: OK accounts[]
--- row: account id record hosts# listed# weight# worst# unknown#  record:
--          packed; weight of the heaviest listing (rbl_codes.h), and how many
--          hosts have such a one; 0: none is counted
--- include: state
local accounts, part = {}, string.lower(ARG.name)
local function wanted(raw)
    local sound, r = pcall(cmsgpack.unpack, raw)
    return sound and string.find(string.lower(r[ACCOUNT.name]), part, 1, true)
end
for _, ac in ipairs(ARG.id ~= '' and {ARG.id}
    or call('ZRANGE', KEY.accounts, ARG.first, ARG.last))
do
    local raw = call('GET', key('acct', ac))
    if raw and (part == '' or wanted(raw)) then
        local hosts = call('HMGET', key('refs', ac), 'w4', 'w3', 'w2', 'w1')
        local weight, worst = 0, 0
        for i = 4, 1, -1 do
            local n = tonumber(hosts[i] or nil) or 0
            if n > 0 then
                weight, worst = 5 - i, n
            end
        end
        accounts[#accounts + 1] = {ac, raw, call('ZCARD', key('hosts', ac)),
            call('ZCARD', key('listed', ac)), weight, worst,
            call('ZCOUNT', key('states', ac), state_score(state_unknown, 0),
                '(' .. state_score(state_unknown + 1, 0))}
    end
end
return {'OK', accounts}
