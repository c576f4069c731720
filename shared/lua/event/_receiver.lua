-- Receivers of events: webhook receivers, applications and contacts.
--- include: account
-- The refusal for a receiver that the account does not have; nil: it has it.
local function receiver_missing(sid)
    local kinds = {WH = {'hooks', 'HOOK'}, AP = {'apps', 'APP'},
        CO = {'contacts', 'CONTACT'}}
    local kind = kinds[sid:sub(1, 2)]
    if not owns(kind[1], sid) then
        return kind[2]
    end
end
