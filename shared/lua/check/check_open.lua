-- Starts scheduled checks of claimed hosts that use the system lists and that
-- nobody is notified of, if their last check has finished: it only writes that
-- they are in flight.  Nearly all checks start this way; it is done for several
-- at once.
--- key: flights  flight:due
--- arg: sum  of the system lists that the daemon knows
--- arg: member flight...  of each check: "<AC>:<HT>", its flight: "<PP>:1:<end
--          of the lease>:<the daemon's name>"
--- reply: OK  then for each a row, or "": nothing was done, check_begin has to
--          be asked
--- row: begun value family# htype interval# checked# now# standing troubled
---   pending answers
-- as in the reply of check_begin
--- include: of
--- include: hears
--- include: begun
--- include: lists
--- include: wants_events
local now = now_ms()
local n = (#ARGV - ARG.before) / ARG.each
local members, keys, accounts, subscribers, of = {}, {}, {}, {}, {}
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
        subscribers[#subscribers + 1] = base .. 'hooks:' .. sid
        subscribers[#subscribers + 1] = base .. 'hears:' .. sid
    end
end
local flights = call('HMGET', KEY.flights, unpack(members))
local raws = call('MGET', unpack(keys))
local none = call('EXISTS', unpack(subscribers)) == 0
for i, sid in ipairs(accounts) do
    local a = raws[n + i] and cmsgpack.unpack(raws[n + i])
    ac = sid
    of[sid] = a and a[ACCOUNT.status] == 'active'
        and (a[ACCOUNT.lapsed] or 0) == 0
        and (none or not wants_events() and not hears_any(false))
        and a[ACCOUNT.interval]
end

-- Whether there are system lists for a type and a family; whether a profile
-- uses all of them.
local totals, profiles = {}, {}
local function any_lists(htype, family)
    local field = htype .. '|' .. family
    if totals[field] == nil then
        local sum, n = lists_system(htype, family)
        totals[field] = sum == ARG.sum and (n or 0) > 0
    end
    return totals[field]
end
local function uses_system(k)
    if profiles[k] == nil then
        local p = load(k)
        profiles[k] = p and p[PROFILE.uses_defaults] == 1
            and not p[PROFILE.except]
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
        --- include: host_fields
        if status == 'active' and any_lists(htype, family)
            and uses_system(key('r', ac, profile))
            and lease_holds(member:sub(36), till, now)
        then
            -- Mostly both are missing, or empty arrays.
            local rest, details, troubled, answers = to + 1, {}, nil, nil
            if raw:byte(rest) ~= 144 then
                rest, details = cmsgpack.unpack_one(raw, to)
            end
            if rest > 0 and #raw > rest then
                _, troubled, _, _, answers = cmsgpack.unpack_limit(raw, 4,
                    rest)
            end
            out[i + 1] = {value, family, htype, interval, checked, now,
                begun_listings(details), begun_troubled(troubled, answers)}
            begun[#begun + 1] = member
            begun[#begun + 1] = ARGV[ARG.flight + ARG.each * i]
        end
    end
end
if begun[1] then
    call('HSET', KEY.flights, unpack(begun))
end
return out
