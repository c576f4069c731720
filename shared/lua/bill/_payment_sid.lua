-- A payment has its SID from `of`, what it is for.
local function payment_sid(of)
    return 'PY' .. redis.sha1hex(of):sub(1, 32)
end
