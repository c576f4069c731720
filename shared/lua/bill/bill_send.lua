-- What the gateway is to be asked for an account now: for a suspended one, how
-- requests have ended.  What is going to be charged is written down before the
-- request leaves: attempt, amount and card stay as they are until the gateway
-- says for sure that it has not charged.
--- key: acct  acct:<AC>
--- arg: gateway  of the daemon
--- arg: live  1: its key moves real money
--- arg: lease  ms; nobody else asks for so long
--- arg: clock  of the daemon (ms)
--- reply: OK task record customer barred  task: charge, query (how it has
--          ended) a payment; session (make one), look (at it) of a setup; card,
--          detach (forget it) of a source; or "".  barred: a payment whose
--          cards are all of the other mode of the key, for its first time; or
--          ""
--- reply: APART  the clocks differ
--- include: ahead
--- include: apart
--- include: payment
--- include: source
local a = load(KEY.acct)
local held = not a or a[ACCOUNT.status] == 'suspended'
local b, now = load(bill_key), now_ms()
local live, lease = tonumber(ARG.live), tonumber(ARG.lease)
local hour = 3600000
-- So long a gateway knows a key (ms): one of the operator's for ever.
local known = ARG.gateway == 'http' and math.huge or 23 * hour
if clocks_apart(ARG.clock, now) then
    return {'APART'}
end
if not b or b[BILL.gateway] ~= ARG.gateway then
    call('ZREM', key('paydue'), ac)
    return {'OK', '', '', '', ''}
end
local task, soonest = '', nil
local record, barred = nil, ''
-- Whether that time has come; if not, a daemon looks again then.
local function due(at)
    if at <= now and task == '' then
        return true
    end
    soonest = math.min(soonest or at, at)
end
-- There is no card that the key can charge.
local function bar(p)
    local text = live == 1 and 'the gateway moves real money, and all cards are'
        .. ' of its test mode: add a card'
        or 'the gateway is in its test mode, and all cards are real: none is'
        .. ' charged'
    if call('ZCARD', key('sources', ac)) > 0 and p[PAYMENT.text] ~= text then
        p[PAYMENT.text], barred = text, p[PAYMENT.id]
        payment_save(p)
    end
end
local function charge(p)
    local s = ARG.gateway == 'stripe' and source_chosen(live)
    if ARG.gateway == 'stripe' and not s then
        return bar(p)
    elseif not due(p[PAYMENT.next]) then
        return
    end
    p[PAYMENT.text] = ''
    if s then
        p[PAYMENT.source], p[PAYMENT.method] = s[SOURCE.id], s[SOURCE.method]
    end
    p[PAYMENT.customer] = b[BILL.customer] or ''
    p[PAYMENT.gateway] = ARG.gateway
    p[PAYMENT.amount] = math.ceil(p[PAYMENT.amount] / 10000) * 10000
    p[PAYMENT.sent], p[PAYMENT.state], task = now, 'sent', 'charge'
end
-- A payment is "sent" as long as a request to charge may be on its way.
local function again(p)
    if p[PAYMENT.state] == 'failed' or not due(p[PAYMENT.next]) then
        return
    end
    local asks = p[PAYMENT.state] == 'sent' or p[PAYMENT.state] == 'unknown'
    p[PAYMENT.sent] = math.min(p[PAYMENT.sent], now)
    if asks and not held and now - p[PAYMENT.sent] < known then
        p[PAYMENT.state], task = 'sent', 'charge'
    else
        task = 'query'
    end
end
-- A declined renewal is tried again within a week (_bill_failed.lua), all else
-- is looked at within an hour.
local p = payment_load(b[BILL.open])
if p then
    local state = p[PAYMENT.state]
    local longest = state == 'open' and renew_lead or hour
    if not_ahead(p[PAYMENT.next], now, longest) ~= p[PAYMENT.next] then
        p[PAYMENT.next] = now
    end
    if state ~= 'open' then
        again(p)
    elseif not held and (p[PAYMENT.kind] ~= 'renewal'
        or terms[TERMS.renew] == 1)
    then
        charge(p)
    end
    if task ~= '' then
        p[PAYMENT.tried] = p[PAYMENT.tried] + 1
        p[PAYMENT.next] = now + lease
        payment_save(p)
        record = p
    end
end
local s = load(key('setup', ac))
if s and (s[SETUP.state] == 'wanted' or s[SETUP.state] == 'open')
    and due(not_ahead(s[SETUP.next], now, hour))
then
    task = s[SETUP.state] == 'wanted' and 'session' or 'look'
    s[SETUP.next] = now + lease
    save(key('setup', ac), s)
    record = s
end
for _, ps in ipairs(call('ZRANGE', key('sources', ac), 0, -1)) do
    local c = load(source_key(ps))
    local at = c and source_look(c)
    if at and c[SOURCE.live] == live
        and due(math.max(at, not_ahead(c[SOURCE.asked], now, 0) + hour))
    then
        task, record = 'card', c
        c[SOURCE.asked] = now
        save(source_key(ps), c)
    end
end
for _, ps in ipairs(call('ZRANGE', gone, 0, -1)) do
    local at = tonumber(call('ZSCORE', gone, ps))
    local c = load(source_key(ps))
    if not c then
        call('ZREM', gone, ps)
    elseif due(not_ahead(at, now, hour)) then
        task, record = 'detach', c
        call('ZADD', gone, tostring(now + hour), ps)
    end
end
if task ~= '' then
    soonest = now + lease
end
if soonest then
    bill_turn('paydue', soonest)
else
    call('ZREM', key('paydue'), ac)
end
return {'OK', task, record and cmsgpack.pack(record) or '',
    b[BILL.customer] or '', barred}
