-- Payments that are not done, by state (rbl_keys.h).  One that is under way,
-- and late, is the operator's.
local payment_states = {'open', 'sent', 'processing', 'customer', 'unknown',
    'operator', 'failed'}
local function payment_state(p)
    local state = p[PAYMENT.state]
    return (p[PAYMENT.late] or 0) > 0 and state ~= 'succeeded'
        and state ~= 'void' and 'operator' or state
end
