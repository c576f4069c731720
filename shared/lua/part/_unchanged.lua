-- Records of hosts are about to change, or to end.  nginx may cache what they
-- show: it finds that the version stamp of their account is gone
-- (ngx_rbl_pages.c).  Scripts delete the stamp first, so that it is gone even
-- if the rest fails.
local function hosts_change()
    call('DEL', base .. 'unchanged:' .. ac)
end
