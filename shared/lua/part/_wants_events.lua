-- Has the account a webhook receiver?
local function wants_events()
    return call('EXISTS', key('hooks', ac)) == 1
end
