-- For scripts whose KEYS[1] is acct:<AC>: the account's SID.
local ac = KEYS[1]:sub(-34)
local function owns(index, sid)
    return call('ZSCORE', key(index, ac), sid)
end
