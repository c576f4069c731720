-- Records of hosts are about to change, or to end: nginx, which may hold what
-- they show, finds their account's mark gone (ngx_rbl_mark.c).  First, so that
-- it is gone whatever becomes of the rest.
local function hosts_change()
    call('DEL', key('unchanged', ac))
end
