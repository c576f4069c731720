-- Tells to whom events of the outbox go, and what is needed to try that at
-- once.  Changes nothing: what becomes of it event_done records.
-- KEYS[1] outbox
-- ARGV    pairs of account SID and type of an event; or of account and
--         application SID, for its callbacks
-- Result  OK, then for each pair an array of receivers, each an array: SID, URL
--         ("" of an application), secret, old secret while it is valid or "";
--         the SID alone: its delivery is to wait for a claim; or
--         "": they cannot be told
--- include: base
--- use: hook app
local now = now_ms()
-- What a disabled receiver would have got is claimed as dead letters, for some
-- days.
local function wants(hook, type)
    if not hook or hook[HOOK.status] ~= 'active'
        and now - (hook[HOOK.disabled] or 0) > 5 * 86400000
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
-- nil: it does not want the event.  One that has a circuit that was open is for
-- the claims to judge, for they let one delivery through that tries it.
local function receiver(ac, sid, type)
    local hook = load(key('s', ac, sid))
    if not wants(hook, type) then
        return nil
    end
    if hook[HOOK.status] ~= 'active'
        or call('HGET', key('hook', ac, sid), 'till')
    then
        return {sid}
    end
    return {sid, hook[HOOK.url], hook[HOOK.secret],
        now < (hook[HOOK.old_until] or 0) and hook[HOOK.old] or ''}
end
local function application(ac, sid)
    local app = load(key('s', ac, sid))
    return app and {sid, '', app[APP.secret], ''} or {sid}
end
-- Of one whose record is damaged nobody knows: the delivery waits for it, and
-- no other event for this one.
local function targets(ac, what)
    if what:sub(1, 2) == 'AP' then
        local sound, app = pcall(application, ac, what)
        return {sound and app or {what}}
    end
    local all = {}
    for _, sid in ipairs(call('ZRANGE', key('hooks', ac), 0, -1)) do
        local sound, r = pcall(receiver, ac, sid, what)
        all[#all + 1] = sound and r or not sound and {sid} or nil
    end
    return all
end
local out = {'OK'}
for i = 1, #ARGV, 2 do
    local sound, all = pcall(targets, ARGV[i], ARGV[i + 1])
    out[#out + 1] = sound and all or ''
end
return out
