-- Steps: `paid` checks have finished of an account that pays by the check.
-- meter: a mark and the price (_bill.lua).
--- takes: ac base meter paid
--- sets: price used
local price = meter:sub(9)
if paid > 1 then
    price = price * paid                -- as text one is passed on faster
end
local used = call('HINCRBY', base .. 'money:' .. ac, 'used', price)
if used > struct.unpack('>d', meter)
    and used - price <= struct.unpack('>d', meter)
then
    call('ZADD', base .. 'billdue', '0', ac)
end
