-- Payments that a gateway makes.  `paydue` has the accounts for which a daemon
-- is to ask the gateway, by the time.
--- include: bill
-- A daemon asks the gateway at once.
local function payment_wake()
    call('ZADD', key('paydue'), '0', ac)
end
