-- Receivers that fail.  After five failed attempts in a row the circuit of a
-- receiver opens: nothing is sent for a while, then one delivery is sent as a
-- probe.  A webhook receiver is disabled when at least ten attempts in a row,
-- over at least five days, have failed; contacts of the account are notified.
--- include: ahead
--- include: circuit
--- include: disable
--- include: events
-- Counts a failed attempt.  True if the receiver must be disabled.  quiet: for
-- how long the receiver has asked for no requests; kept: how long the count is
-- kept (ms).
local function receiver_failed(target, now, quiet, kept)
    local k = key('hook', ac, target)
    local fails = call('HINCRBY', k, 'fails', 1)
    call('HSETNX', k, 'since', now)
    call('PEXPIRE', k, kept)
    account_failed(ac)
    local h = call('HMGET', k, 'since', 'till', 'level')
    local till, level = not_ahead(h[2], now, 3600000), tonumber(h[3]) or 0
    if fails >= 5 and till <= now then
        till = now + math.min(30000 * 2 ^ math.min(level, 9), 300000)
        call('HSET', k, 'level', level + 1)
    end
    till = math.max(till, now + math.min(quiet, 3600000))
    if till > now then
        call('HSET', k, 'till', till)
        call('HDEL', k, 'probe')
    end
    return fails >= 10 and now - (tonumber(h[1]) or now) >= 5 * 86400000
end
local function hook_notice(h, reason, now)
    local a = call('EXISTS', key('contacts', ac)) == 1
        and load(key('acct', ac))
    if a then
        emit(a[ACCOUNT.timezone], nil, 'contact.notice', now,
            h[HOOK.id], '', h[HOOK.name], false, 0, no_results, 0,
            no_callbacks, reason, '', '')
    end
end
-- Receivers whose last attempt succeeded; hooks_well deletes their counts.
local well, wells = {}, {}
local function receiver_well(target, yes)
    local k = key('hook', ac, target)
    if yes and well[k] == nil then
        wells[#wells + 1] = k
    elseif not yes and well[k] then
        call('DEL', k)
    end
    if yes or well[k] then
        well[k] = yes
    end
end
local function hook_attempted(target, outcome, test, now, quiet)
    local reason = nil
    receiver_well(target, outcome == 'ok')
    if outcome == 'ok' then
        return
    end
    if outcome == 'gone' then
        reason = 'it is gone (HTTP status 410)'
    elseif not test
        and receiver_failed(target, now, quiet, 30 * 86400000)
    then
        reason = 'every attempt has failed for five days'
    end
    local sk = key('s', ac, target)
    local h = reason and load(sk)
    if h and h[HOOK.status] == 'active' then
        disable(h, reason)
        save(sk, h)
        hook_notice(h, reason, now)
    end
end
-- The same for a callback, or for a contact that has a circuit.
local function host_attempted(url, outcome, now, quiet)
    local circuit = host_circuit(url)
    if circuit then
        receiver_well(circuit, outcome == 'ok')
        if outcome ~= 'ok' then
            receiver_failed(circuit, now, quiet, 2 * 3600000)
        end
    end
end
local function hooks_well()
    local keys = {}
    for _, k in ipairs(wells) do
        keys[#keys + 1] = well[k] and k or nil
    end
    for from = 1, #keys, 1000 do
        call('DEL', unpack(keys, from, math.min(from + 999, #keys)))
    end
end
