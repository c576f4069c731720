-- Makes the deliveries of an entry of the outbox to contacts: a code goes to
-- its contact, if that still waits for it; a link goes to its user while it is
-- valid; a notice goes to all active contacts, or to the owners if there is
-- none.  The body is stored once, before the first attempt, and never changes.
-- A second run has no effect.
--- key: outbox
--- arg: id  of the stream's entry
--- arg: account  its SID
--- arg: event  its SID
--- arg: type
--- arg: body
--- arg: contact  SID of the contact or the user, or ""
--- arg: digest  of the code, or of the link
--- reply: OK n#  deliveries
--- reply: DEAD why  none could be made, and it is a dead letter
--- include: confirm
--- include: delivery
--- include: digest
local ac, ev, type = ARG.account, ARG.event, ARG.type
if call('XACK', KEY.outbox, 'deliver', ARG.id) == 0 then
    return {'OK', 0}
end
call('XDEL', KEY.outbox, ARG.id)
local now, n = now_ms(), 0
-- If the record of the contact is damaged, the delivery waits for its repair.
local function confirms()
    local sound, yes = pcall(function()
        return ARG.contact:sub(1, 2) == 'US'
            and link_lives(ac, ARG.contact, ARG.digest, 0)
            or awaits(load(key('r', ac, ARG.contact)), ARG.digest)
    end)
    return yes or not sound
end
local function mail(to, ...)
    call('HSET', key('dlv', ac, ev, to), 'attempt', 0, 'first', now, ...)
    call('ZADD', key('retry'), now, table.concat({ac, ev, to}, ':'))
    n = n + 1
end
-- A user with an unconfirmed address may be a stranger.
local function owners()
    for _, us in ipairs(call('ZRANGE', key('users', ac), 0, -1)) do
        local user = load(key('user', ac, us))
        if user and user[USER.role] == 'owner' and user[USER.mail] ~= ''
            and (user[USER.confirmed] or 0) > 0
        then
            mail(us)
        end
    end
end
local turns = {}
local function notice(co)
    call('HSET', key('dlv', ac, ev, co), 'attempt', 0, 'first', now,
        'at', now, 'host', '')
    local line = key('line', ac, co)
    local waiting = call('RPUSH', line, ev)
    if waiting == 1 then
        turns[#turns + 1] = now
        turns[#turns + 1] = table.concat({ac, ev, co}, ':')
    elseif waiting > pending_most then
        pending_excess(ac, call('LINDEX', line, 0), co, now)
    end
    n = n + 1
end
local sound, why = pcall(function()
    if ARG.contact ~= '' and confirms() then
        mail(ARG.contact, 'digest', ARG.digest)
    end
    if type == 'contact.notice' then
        -- Those that are active (_hears.lua).
        local contacts = call('ZRANGE', key('hears', ac), 0, -1)
        for _, co in ipairs(contacts) do
            notice(co)
        end
        if #contacts == 0 then
            owners()
        end
        in_parts('ZADD', key('retry'), turns)
    end
    if n > 0 then
        call('HSET', key('event', ac, ev), 'type', type, 'date', now,
            'body', ARG.body, 'open', n)
    end
end)
if not sound then
    letter(ac, ev, '', type, ARG.body, '', '', 0, failure(why), 0)
    return {'DEAD', failure(why)}
end
return {'OK', n}
