-- The peer in nginx with Lua: the same questions answered with
-- libnginx-mod-http-lua, lua-nginx-redis (lua-resty-redis) and lua-cjson.
-- Written as well as we can: credentials checked by one command, everything of
-- an answer asked in one pipeline where that is possible, kept connections by
-- unix socket, SHA-256 by FFI, bodies put together in C.  README says how the
-- data lies.

local ffi = require "ffi"
local cjson = require "cjson.safe"
local redis = require "nginx.redis"

local C = ffi.C
local byte, find, sub = string.byte, string.find, string.sub
local format, gsub = string.format, string.gsub
local concat, floor, ceil = table.concat, math.floor, math.ceil
local null = ngx.null

ffi.cdef [[
unsigned char *SHA256(const unsigned char *d, size_t n, unsigned char *md);
]]

local digest = ffi.new("unsigned char[32]")
local _M = { socket = nil }


local function refuse(status)
    ngx.status = status
    ngx.header.content_type = "application/json; charset=utf-8"
    ngx.print('{"status_code":', status, ',"status_message":"Refused"}')
    return ngx.exit(status)
end


-- Gives the account's SID and the key that is there if the token is good.
local function credentials()
    local header = ngx.var.http_authorization
    if not header or sub(header, 1, 6) ~= "Basic " then
        return nil
    end
    local text = ngx.decode_base64(sub(header, 7))
    local colon = text and find(text, ":", 1, true)
    if colon ~= 35 or #text ~= 99 then
        return nil
    end
    C.SHA256(sub(text, 36), 64, digest)
    local sid = sub(text, 1, 34)
    return sid, "peer:token:" .. sid .. ":" .. ffi.string(digest, 32)
end


local function connect()
    local red = redis:new()
    red:set_timeout(2000)
    local ok = red:connect(_M.socket)
    if not ok then
        return nil
    end
    return red
end


local function paging()
    local page = tonumber(ngx.var.arg_page) or 1
    local size = tonumber(ngx.var.arg_page_size) or 20
    return page, size, (page - 1) * size
end


local function period(since)
    local s = floor(ngx.time() - since / 1000)
    if s < 0 then
        s = 0
    end
    local days = floor(s / 86400)
    s = s % 86400
    return format("%d day%s %02d:%02d:%02d", days, days == 1 and "" or "s",
        floor(s / 3600), floor(s / 60) % 60, s % 60)
end


-- A ready record; one that is listed lacks how long, and says since when.
local function ready(text)
    if byte(text) == 123 then
        return text
    end
    local bar = find(text, "|", 1, true)
    local gap = find(text, "\1", bar, true)
    return sub(text, bar + 1, gap - 1) .. period(sub(text, 1, bar - 1))
        .. sub(text, gap + 1)
end


local function envelope(page, pages, size, hosts, listed)
    return '{"status_code":200,"status_message":"OK","version":"3.6","page":'
        .. page .. ',"total_pages":' .. pages .. ',"page_size":' .. size
        .. ',"total_hosts":' .. hosts .. ',"total_listed":' .. listed
        .. ',"data":['
end


local function send(body)
    local header = ngx.header
    header.content_type = "application/json; charset=utf-8"
    header.cache_control = "no-store"
    header.content_length = #body
    return ngx.print(body)
end


-- What every answer asks, and `ask` what else: one round trip.  Gives the
-- replies, or refuses.
local function asked(red, sid, token, ask)
    red:init_pipeline(4)
    red:get(token)
    red:zcard("peer:hosts:" .. sid)
    red:zcard("peer:listed:" .. sid)
    ask(red, sid)
    local v = red:commit_pipeline()
    if not v then
        return refuse(503)
    end
    if v[1] ~= "active" then
        red:set_keepalive(60000, 128)
        return refuse(401)
    end
    return v
end


local function begin(ask)
    local sid, token = credentials()
    if not sid then
        return refuse(401)
    end
    local red = connect()
    if not red then
        return refuse(503)
    end
    return asked(red, sid, token, ask), red, sid
end


local function finish(red)
    red:set_keepalive(60000, 128)
end


-- Records of a page in the same round trip: SORT BY nosort reads them in the
-- order of the index.  It is faster here than ZRANGE and then MGET.
local function page_of(kind)
    local page, size, first = paging()
    local v, red = begin(function (red, sid)
        red:sort_ro("peer:hosts:" .. sid, "BY", "nosort", "LIMIT", first,
            size, "GET", kind .. sid .. ":*")
    end)
    finish(red)
    return v, page, size
end


local function host_of(kind)
    local v, red = begin(function (red, sid)
        red:get(kind .. sid .. ":" .. sub(ngx.var.uri, -39, -6))
    end)
    finish(red)
    if v[4] == null then
        return refuse(404)
    end
    return v
end


-- A record from its fields, whether packed or a hash.
local function render(h)
    local since = h.since
    h.listed_period = since ~= "0" and period(since) or ""
    h.since = nil
    return h
end


local function send_table(v, page, pages, size, data)
    local body = cjson.encode({ status_code = 200, status_message = "OK",
        version = "3.6", page = page, total_pages = pages, page_size = size,
        total_hosts = v[2], total_listed = v[3], data = data })
    -- to cjson an empty table is an object
    return send((gsub(body, '"listed_details":{}', '"listed_details":[]')))
end


-- Ready records: texts as they go out.

function _M.page_ready()
    local v, page, size = page_of("peer:ready:")
    local list = v[4]
    for i = 1, #list do
        list[i] = ready(list[i])
    end
    return send(envelope(page, ceil(v[2] / size), size, v[2], v[3])
        .. concat(list, ",") .. "]}")
end


function _M.host_ready()
    local v = host_of("peer:ready:")
    return send(envelope(1, 1, 20, v[2], v[3]) .. ready(v[4]) .. "]}")
end


-- Packed records: decoded, completed, encoded.

function _M.page_packed()
    local v, page, size = page_of("peer:packed:")
    local data = cjson.decode("[" .. concat(v[4], ",") .. "]")
    for i = 1, #data do
        render(data[i])
    end
    return send_table(v, page, ceil(v[2] / size), size, data)
end


function _M.host_packed()
    local v = host_of("peer:packed:")
    return send_table(v, 1, 1, 20, { render(cjson.decode(v[4])) })
end


-- A page from hashes: the ids, then HGETALL of each.
function _M.page_hashes()
    local page, size, first = paging()
    local v, red, sid = begin(function (red, sid)
        red:zrange("peer:hosts:" .. sid, first, first + size - 1)
    end)
    local ids, prefix = v[4], "peer:hash:" .. sid .. ":"
    red:init_pipeline(#ids)
    for i = 1, #ids do
        red:hgetall(prefix .. ids[i])
    end
    local data = red:commit_pipeline()
    if not data then
        return refuse(503)
    end
    finish(red)
    for i = 1, #data do
        local h = render(red:array_to_hash(data[i]))
        h.listed_details = cjson.decode(h.listed_details)
        data[i] = h
    end
    return send_table(v, page, ceil(v[2] / size), size, data)
end


return _M
