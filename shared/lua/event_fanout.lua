-- Turns one outbox entry into deliveries: one for each active receiver that
-- wants the type, one for each callback, one for the contact that is to be
-- confirmed, if it still waits for that code; a notice goes to each active
-- contact in its turn.  The body is stored once, before
-- the first attempt, and never changes.  Run again it has no second effect.
-- KEYS[1] outbox
-- ARGV    1 stream id  2 account SID  3 event SID  4 type  5 body  6 "1": to
--         the account's receivers  7 contact SID or ""  8 digest of its code
--         9... pairs of callback URL and application
-- Result  OK, number of deliveries
--- include: base
--- include: confirm
--- use: hook
local ac, ev = ARGV[2], ARGV[3]
if call('XACK', KEYS[1], 'deliver', ARGV[1]) == 0 then
    return {'OK', 0}
end
call('XDEL', KEYS[1], ARGV[1])
local now, n = now_ms(), 0
local function deliver(target, ...)
    call('HSET', key('dlv', ac, ev, target), 'attempt', 0, 'first', now, ...)
    call('ZADD', key('retry'), now, table.concat({ac, ev, target}, ':'))
    n = n + 1
end
-- What a disabled receiver would have got is claimed as dead letters, for some
-- days.
local function wants(hook)
    if not hook or hook[HOOK.status] ~= 'active'
        and now - (hook[HOOK.disabled] or 0) > 5 * 86400000
    then
        return false
    end
    local types = hook[HOOK.types]
    for _, t in ipairs(types) do
        if t == ARGV[4] then
            return true
        end
    end
    return #types == 0
end
-- Of one whose record is damaged nobody knows: the delivery waits for it, and no
-- other event for this one.
local function may(judge, sid)
    local sound, yes = pcall(function()
        return judge(load(key(sid:sub(1, 2) == 'WH' and 's' or 'r', ac, sid)))
    end)
    return yes or not sound
end
if ARGV[6] == '1' then
    for _, sid in ipairs(call('ZRANGE', key('hooks', ac), 0, -1)) do
        if may(wants, sid) then
            deliver(sid)
        end
    end
end
local function confirms(contact)
    return awaits(contact, ARGV[8])
end
if ARGV[7] ~= '' and may(confirms, ARGV[7]) then
    deliver(ARGV[7], 'digest', ARGV[8])
end
if ARGV[4] == 'contact.notice' then
    for _, co in ipairs(call('ZRANGE', key('contacts', ac), 0, -1)) do
        local sound, c = pcall(load, key('r', ac, co))
        if sound and c and c[CONTACT.status] == 'active' then
            call('HSET', key('dlv', ac, ev, co), 'attempt', 0, 'first', now,
                'at', now, 'host', '')
            if call('RPUSH', key('line', ac, co), ev) == 1 then
                call('ZADD', key('retry'), now, table.concat({ac, ev, co},
                    ':'))
            end
            n = n + 1
        end
    end
end
for i = 9, #ARGV, 2 do
    deliver('CB' .. (i - 9) / 2, 'url', ARGV[i], 'app', ARGV[i + 1])
end
if n > 0 then
    call('HSET', key('event', ac, ev), 'type', ARGV[4], 'date', now,
        'body', ARGV[5], 'open', n)
end
return {'OK', n}
