-- Returns the receivers of events of the outbox, with what a first attempt
-- needs.  Changes nothing; event_done records the outcome.
--- key: outbox
--- arg: account what...  its SID and the type of an event; or its SID, and an
--          application SID with a URL behind it, for a callback
--- reply: OK  then for each an array of rows, one a receiver; or "": they
--          cannot be told
--- row: target sid url secret old  url: "" of an application.  old: secret
--          while it is valid, or "".  The SID alone: its delivery is to wait
--          for a claim
--- include: circuit
local now = now_ms()
-- Events for a disabled receiver become dead letters, for some days.
local function wants(hook, type)
    if not hook or hook[HOOK.status] ~= 'active'
        and now - hook[HOOK.disabled] > 5 * 86400000
    then
        return false
    end
    local types = hook[HOOK.types]
    for _, t in ipairs(types) do
        if t == type then
            return true
        end
    end
    return #types == 0
end
-- Returns the record of a receiver, or nil, and what a first attempt needs.  A
-- receiver whose circuit is open or was open is left to the claims, which send
-- one delivery as a probe.
local function receiver(ac, sid)
    local hook = load(key('s', ac, sid))
    if not hook or hook[HOOK.status] ~= 'active'
        or call('HGET', key('hook', ac, sid), 'till')
    then
        return hook, {sid}
    end
    return hook, {sid, hook[HOOK.url], hook[HOOK.secret],
        now < hook[HOOK.old_until] and hook[HOOK.old] or ''}
end
-- The receivers of an account: {SID, whether it can be read, record, way}.
local of = {}
local function receivers(ac)
    if not of[ac] then
        local all = {}
        for i, sid in ipairs(call('ZRANGE', key('hooks', ac), 0, -1)) do
            all[i] = {sid, pcall(receiver, ac, sid)}
        end
        of[ac] = all
    end
    return of[ac]
end
local waits = {}
local function application(ac, sid, url)
    local app = load(key('s', ac, sid))
    local circuit = host_circuit(url)
    waits[ac] = waits[ac] or account_until(ac, now)
    if not app or waits[ac] > now
        or circuit and call('HGET', key('hook', ac, circuit), 'till')
    then
        return {sid}
    end
    return {sid, '', app[APP.secret], ''}
end
-- If the record of the receiver is damaged, its delivery waits for the repair,
-- and delays no other event.
local function targets(ac, what)
    if what:sub(1, 2) == 'AP' then
        local sid = what:sub(1, 34)
        local sound, app = pcall(application, ac, sid, what:sub(35))
        return {sound and app or {sid}}
    end
    local all = {}
    for _, r in ipairs(receivers(ac)) do
        local sound, yes = r[2], true
        if sound then
            sound, yes = pcall(wants, r[3], what)
        end
        if not sound then
            all[#all + 1] = {r[1]}
        elseif yes then
            all[#all + 1] = r[4]
        end
    end
    return all
end
local out = {'OK'}
for i = 1, (#ARGV - ARG.before) / ARG.each do
    local sound, all = pcall(targets, ARGV[ARG.account + ARG.each * i],
        ARGV[ARG.what + ARG.each * i])
    out[#out + 1] = sound and all or ''
end
return out
