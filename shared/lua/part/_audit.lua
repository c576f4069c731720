-- The end of an audited script (lua2c.sh): once the change is made, or accepted
-- as work, it is in the account's audit log.  A script that has set `by` to nil
-- has changed nothing.
--- include: account
local audit_most = '2000'
if by and (said[1] == 'OK' or said[1] == 'WORK') then
    call('XADD', key('audit', ac), 'MAXLEN', '~', audit_most, '*', 'b', by,
        't', about, 'n', type(named) == 'string' and named or '')
end
return said
