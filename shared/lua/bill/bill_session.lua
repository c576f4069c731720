-- What the gateway has said about a page on which a customer adds a payment
-- source.
--- key: acct  acct:<AC>
--- arg: made  of the record
--- arg: state  open, done, failed; "": nothing is known
--- arg: session  id of the gateway
--- arg: url  of its page
--- arg: text  why it has failed
--- arg: customer  id of the gateway, of one that is done, like all others
--- arg: method  id of the gateway
--- arg: live  1: real money
--- arg: type
--- arg: brand
--- arg: last4
--- arg: month  when it expires
--- arg: year
--- reply: OK source  SID, or ""
--- reply: OTHER  another one is wanted meanwhile
--- include: payment
--- include: source
local s, b, now = load(key('setup', ac)), load(bill_key), now_ms()
if not s or not b or s[SETUP.made] ~= tonumber(ARG.made) then
    return {'OTHER'}
end
local page_fresh = 900000               -- so long it is looked at often
-- A payment that waits for another source is tried at once, unless that would
-- be by the one that has failed, because the account has chosen it.
local function retry(ps)
    local p = payment_load(b[BILL.open])
    local s = source_chosen(tonumber(ARG.live))
    if not p or s[SOURCE.id] == ps or s[SOURCE.id] ~= p[PAYMENT.source] then
        terms_save(now)
    end
end
-- The same card added twice is the same source.
local function add()
    local ps = 'PS' .. redis.sha1hex(ac .. ARG.method):sub(1, 32)
    if not owns('sources', ps) then
        save(source_key(ps), {1, ps, ARG.type, ARG.brand, ARG.last4,
            tonumber(ARG.month), tonumber(ARG.year), ARG.method,
            tonumber(ARG.live), 0, now, now})
        call('ZADD', key('sources', ac), tostring(now), ps)
    end
    b[BILL.customer] = ARG.customer
    bill_save(b)
    retry(ps)
    return ps
end
local ps = ARG.state == 'done' and s[SETUP.state] ~= 'done' and add() or ''
s[SETUP.state] = ARG.state ~= '' and ARG.state or s[SETUP.state]
s[SETUP.session], s[SETUP.text] = ARG.session, ARG.text
s[SETUP.url] = s[SETUP.state] == 'open' and ARG.url or ''
s[SETUP.next] = now + (now - s[SETUP.made] < page_fresh and 5000 or 300000)
save(key('setup', ac), s)
return {'OK', ps}
