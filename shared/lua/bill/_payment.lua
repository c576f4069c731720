-- Payments that a gateway makes.  `paydue` has the accounts for which a daemon
-- is to ask the gateway, by the time.
--- include: bill
local function payment_load(py)
    local p = py ~= '' and load(payment_key(py)) or nil
    for i = PAYMENT.source, p and PAYMENT.late or 0 do
        p[i] = p[i] or (i < PAYMENT.sent and '' or 0)
    end
    return p
end
-- A daemon asks the gateway at once.
local function payment_wake()
    call('ZADD', key('paydue'), '0', ac)
end
