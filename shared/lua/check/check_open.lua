-- Begins scheduled checks of hosts that a daemon has taken, whose last check
-- has ended and of which nobody hears, and that ask all system lists: all that
-- is written is that they are in flight.  This is how nearly all checks begin;
-- it is done for several at once.
--- key: flights  flight:due
--- arg: sum  of the system lists that the daemon knows
--- arg: member flight...  of each check: "<AC>:<HT>", its flight: "<PP>:1:<end
--          of the lease>:<the daemon's name>"
--- reply: OK  then for each a row, or "": nothing was done, check_begin has to
--          be asked
--- row: begun value family# htype interval# checked# now# standing troubled
---   pending
-- as in the reply of check_begin
--- include: base
--- include: of
--- include: hears
--- include: begun
--- include: events
--- use: account host profile
local now = now_ms()
local n = (#ARGV - ARG.before) / ARG.each
local members, keys, accounts, ears, of = {}, {}, {}, {}, {}
for i = 1, n do
    members[i] = ARGV[ARG.member + ARG.each * i]
    keys[i] = base .. 'r:' .. members[i]
end
for i = 1, n do
    local sid = members[i]:sub(1, 34)
    if not of[sid] then
        accounts[#accounts + 1] = sid
        of[sid] = true
        keys[#keys + 1] = base .. 'acct:' .. sid
        ears[#ears + 1] = base .. 'hooks:' .. sid
        ears[#ears + 1] = base .. 'hears:' .. sid
    end
end
local flights = call('HMGET', KEY.flights, unpack(members))
local raws = call('MGET', unpack(keys))
local quiet = call('EXISTS', unpack(ears)) == 0
for i, sid in ipairs(accounts) do
    local a = raws[n + i] and cmsgpack.unpack(raws[n + i])
    ac = sid
    of[sid] = a and a[ACCOUNT.status] == 'active'
        and (quiet or not wants_events() and not hears_any(false))
        and a[ACCOUNT.interval]
end

-- How many system lists there are for a type and a family, and which profiles
-- ask them.
local totals, profiles = {}, {}
local function any_lists(htype, family)
    local field = 'n|' .. htype .. '|' .. family
    if totals[field] == nil then
        local known = call('HMGET', key('defaults:for'), 'sum', field)
        totals[field] = known[1] == ARG.sum and (tonumber(known[2]) or 0) > 0
    end
    return totals[field]
end
local function asks_them(k)
    if profiles[k] == nil then
        local p = load(k)
        profiles[k] = p and p[PROFILE.uses_defaults] == 1
    end
    return profiles[k]
end

local out, begun = {'OK'}, {}
for i = 1, n do
    local member, raw = members[i], raws[i]
    ac = member:sub(1, 34)
    local interval = not flights[i] and raw and of[ac]
    local till = ARGV[ARG.flight + ARG.each * i]:sub(70, 82)
    out[i + 1] = ''
    if interval then
        local rest, _, _, value, _, htype, family, _, status, profile, _, _,
            checked, _, _, _, _, details
            = cmsgpack.unpack_limit(raw, HOST.details, 3)
        if status == 'active' and any_lists(htype, family)
            and asks_them(key('r', ac, profile))
            and call('ZSCORE', key('due', ac), member:sub(36)) == till
            and tonumber(till) > now
        then
            local _, troubled
            if rest > 0 and raw:byte(rest + 1) ~= 144 then
                _, troubled = cmsgpack.unpack_one(raw, rest)
            end
            out[i + 1] = {value, family, htype, interval, checked, now,
                begun_standing(details), begun_troubled(troubled)}
            begun[#begun + 1] = member
            begun[#begun + 1] = ARGV[ARG.flight + ARG.each * i]
        end
    end
end
if begun[1] then
    call('HSET', KEY.flights, unpack(begun))
end
return out
