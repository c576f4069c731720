-- Claims deliveries that are due.  Each is leased: if the daemon dies, it
-- becomes due again.
--
-- Deliveries to a receiver that is gone or disabled become dead letters, and so
-- do the oldest ones of a receiver that has too many (_pending.lua).
-- Deliveries wait while the circuit of their receiver is open, or while all
-- attempts of their account fail; those to callbacks and contacts wait a day at
-- most.
--
-- These end without a dead letter: a confirmation whose contact is gone or
-- confirmed, or has a newer code; a link that was used, or would expire within
-- the lease; a message to a contact that is gone or paused.  A message waits
-- until the store has noted what the contact knows by it (_known.lua).
--- key: retry
--- arg: most  how many at most
--- arg: lease  ms
--- reply: OK wait#  ms until the next (-1: none), then a row for each
--- row: delivery member type to secret attempt# first# event body contact old
-- to: URL, or value of the contact.  secret: of the receiver, or of a link.
-- attempt: 0: the first one.  first: its time (ms).  event: SID.  contact: its
-- type, or "".  old: the old secret of the receiver while it is valid, or "".
--- include: ahead
--- include: circuit
--- include: delivery
--- include: confirm
--- include: untold
local now = now_ms()
local due = call('ZRANGEBYSCORE', KEY.retry, '-inf', now, 'LIMIT', 0,
    ARG.most)
local out = {'OK', -1}
-- Is a message that a host is listed outdated?  It is, if no attempt was made
-- and the end of the listing waits in the digest.
local function outdated(ac, co, host)
    local score = host and host ~= ''
        and tonumber(call('ZSCORE', key('digest', ac, co), host))
    return score and score >= digest_delisted and score < digest_clear
end
local function is_noted(ac, co)
    local first = call('ZRANGE', key('batch', ac, co), 0, 0, 'WITHSCORES')[2]
    return not first or tonumber(first) >= -1
end
-- Octets of bodies that were read, or that went into dead letters, which cost
-- more.  A host that a contact does not know counts as some octets.  Above a
-- limit the remaining deliveries stay due.
local moved, moved_most, moved_host = 0, 500000, 1000
-- When the circuit of a receiver closes (ms); 0: this delivery may be tried.
-- After that time one delivery is sent as a probe, and the others wait for its
-- end.
local circuits = {}
local function quiet_until(ac, target)
    local k = key('hook', ac, target)
    local till = circuits[k]
    if not till then
        local h = call('HMGET', k, 'till', 'probe')
        till = not_ahead(h[1], now, 3600000)
        local probe = math.min(not_ahead(h[2], now, 3600000), now + 5000)
        if h[1] and till <= now and probe <= now then
            call('HSET', k, 'probe', now + ARG.lease)
            circuits[k] = now + 5000
            return 0
        end
        till = math.max(till, probe)
        circuits[k] = till
    end
    return till
end
local accounts = {}
local function waits_until(ac, target, channel, url)
    accounts[ac] = accounts[ac] or account_until(ac, now)
    if accounts[ac] > now then
        return accounts[ac]
    end
    local kind, circuit = target:sub(1, 2), nil
    if kind == 'WH' then
        circuit = target
    elseif kind == 'CB' or contact_has_circuit(channel) then
        circuit = host_circuit(url)
    end
    return circuit and quiet_until(ac, circuit) or 0
end
-- A message that ends by several calls stays due until the last of them.
local unfinished = {}
-- Returns URL, secret, type of the contact and old secret; or nil, and the
-- reason for a dead letter if there shall be one.  host: the host that the
-- message reports as listed, if no attempt has begun; or nil.
local function way(ac, target, url, app_sid, digest, host)
    local kind = target:sub(1, 2)
    if kind == 'WH' then
        local hook = load(key('s', ac, target))
        if hook and hook[HOOK.status] == 'active' then
            return hook[HOOK.url], hook[HOOK.secret], '',
                now < hook[HOOK.old_until] and hook[HOOK.old]
        end
    elseif kind == 'CO' then
        local contact = load(key('r', ac, target))
        if not digest then
            if contact and contact[CONTACT.status] == 'active'
                and not (host and digest_hears_ends(contact)
                    and outdated(ac, target, host))
            then
                return contact[CONTACT.value], '', contact[CONTACT.type]
            end
            if contact and contact[CONTACT.status] == 'paused' then
                local hosts, more = ends_untold(ac, target)
                moved = moved + moved_host * hosts
                return nil, more and unfinished
            end
            return nil
        end
        if not awaits(contact, digest) then
            return nil
        end
        if now < contact[CONTACT.until] then
            return contact[CONTACT.value], '', contact[CONTACT.type]
        end
        return nil, 'the code is too old'
    elseif kind == 'US' then
        local user = load(key('user', ac, target))
        if not digest then
            return user and user[USER.mail], '', 'email'
        end
        local link = user and link_lives(ac, target, digest, ARG.lease)
        if link then
            return user[USER.mail], link, 'email'
        end
        return nil
    else
        local app = load(key('s', ac, app_sid or ''))
        if app and url then
            return url, app[APP.secret], ''
        end
    end
    return nil, 'the receiver is disabled'
end
local function claim(member)
    local ac, ev, target = string.match(member, '^(%w+):(%w+):(%w+)$')
    local dk = key('dlv', ac, ev, target)
    local d = call('HMGET', dk, 'attempt', 'first', 'url', 'app', 'digest',
        'host', 'test', 'excess', 'tried', 'unsure')
    local is_contact = target and target:sub(1, 2) == 'CO'
    if is_contact and not is_noted(ac, target) then
        call('ZADD', KEY.retry, now + 100, member)
        return
    end
    local fresh = d[6] and d[6] ~= '' and d[1] == '0' and not d[9]
    local e = call('HMGET', key('event', ac, ev), 'type', 'body')
    local url, secret, channel, old = nil, nil, nil, nil
    moved = moved + #(e[2] or '')
    if d[1] and e[2] and d[8] then
        secret = 'more than 10,000 deliveries to the receiver were pending'
    elseif d[1] and e[2] then
        url, secret, channel, old = way(ac, target, d[3], d[4], d[5],
            fresh and d[6])
    end
    if secret == unfinished then
        return
    end
    local quiet = url and not d[7] and waits_until(ac, target, channel, url)
        or 0
    if quiet > now and target:sub(1, 2) ~= 'WH'
        and now - tonumber(d[2]) > 86400000
    then
        local h = call('HMGET', dk, 'status', 'error')
        delivery_dead(ac, ev, target, h[1] or 0,
            h[2] or 'the receiver failed all the time', d[1])
        if is_contact and not d[10] then
            moved = moved + moved_host
                * begins_untold(ac, ev, target, d[6])
        end
        delivery_over(ac, ev, target, member, d[2], d[4])
    elseif quiet > now then
        call('ZADD', KEY.retry, quiet + tonumber(ev:sub(-6), 16) % 5000, member)
    elseif url then
        call('ZADD', KEY.retry, now + ARG.lease, member)
        if fresh then
            call('HSET', dk, 'tried', 1)
        end
        out[#out + 1] = {member, e[1], url, secret, tonumber(d[1]),
            tonumber(d[2]), ev, e[2], channel, old or ''}
    else
        if secret and not d[7] then
            moved = moved + 2 * #(e[2] or '')
            delivery_dead(ac, ev, target, 0, secret, d[1])
        end
        if is_contact and not d[10] then
            moved = moved + moved_host
                * begins_untold(ac, ev, target, d[6])
        end
        delivery_over(ac, ev, target, member, d[2], d[4])
    end
end
-- A delivery with a damaged record waits until rblctl fsck repairs the record,
-- and delays no other.
for _, member in ipairs(due) do
    if not pcall(claim, member) then
        call('ZADD', KEY.retry, now + ARG.lease, member)
    end
    if moved > moved_most then
        break
    end
end
local first = call('ZRANGE', KEY.retry, 0, 0, 'WITHSCORES')
if first[2] then
    out[2] = math.max(0, tonumber(first[2]) - now)
end
return out
