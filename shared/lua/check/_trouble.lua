-- Lists of a host that cannot tell whether it is listed: `troubled` and the
-- last fields of `details` (schema.txt).
--
-- Lists with earlier trouble keep their places.  Lists with a new listing that
-- is not confirmed have places of their own: the next check must know them.
local troubled_most, pending_most = 8, 64
local is_pending = {unconfirmed = true, frozen = true, disagree = true}
-- Earlier answers of a list with one of these errors are not trusted.
local is_distrusted = {unhealthy = true, resolver = true, blocked = true}
-- 1 while a new listing of the list is not confirmed.  A timeout, for example,
-- says nothing about the listing and changes nothing.
local function pending(was, error)
    return is_pending[error] and 1 or not is_distrusted[error] and was or nil
end
-- Since when a list has reported that a listing is over (0: it has not).  The
-- time since the last check counts only if the list has answered in it.
local function over_since(over, error)
    if is_distrusted[error] then
        return 0
    elseif error == 'unconfirmed' then
        return over == 0 and now or over
    end
    return over == 0 and 0 or math.min(now, over + math.max(0, now - checked))
end
