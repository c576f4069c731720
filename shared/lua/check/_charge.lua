-- Steps: `paid` checks have finished of an account that pays by the check.
-- meter: 16 digits and the price (_bill.lua).
--- takes: ac base meter paid
--- sets: mark price used
local price = meter:sub(17)
if paid > 1 then
    price = price * paid                -- as text one is passed on faster
end
local used = call('HINCRBY', base .. 'money:' .. ac, 'used', price)
local mark = tonumber(meter:sub(1, 16))
if used > mark and used - price <= mark then
    call('ZADD', base .. 'billdue', '0', ac)
end
