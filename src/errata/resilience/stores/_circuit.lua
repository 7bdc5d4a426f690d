-- One turn of one replica: it tells what it saw, asks whether it may try the upstream, and hears how things stand.
-- Whatever is told twice, because an answer was lost, counts once; successes are never told twice.
-- It is void after a moment of this server's clock: what a hung server finds waiting when it goes on was given up long
-- ago, and may have been overtaken. Every answer begins with the time, so that the next turn can name such a moment.

local circuit, failures = KEYS[1], KEYS[2]
local void_after = tonumber(ARGV[1])
local replica, code = ARGV[2], ARGV[3]
local most, window, pause, needed, lease, expiry =
  tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local its_wait, its_age = tonumber(ARGV[10]), tonumber(ARGV[11]) -- How the replica sees it, where nobody else does.
local probed, verdict = tonumber(ARGV[12]), ARGV[13]
local asks = ARGV[14] == '1'
local rate, weighed = tonumber(ARGV[15]), tonumber(ARGV[16])
local successes = tonumber(ARGV[17]) -- Of this replica, since its turn before.
-- The generation from which this replica has seen the upstream recover while nobody could be asked, or -1.
local recovered = tonumber(ARGV[18])
-- Then four for each failure: its generation, its age, its number at the replica, and the successes there since then.
local FIRST_FAILURE = 19
local LONGEST_CODE = 64

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > void_after then
  return {now}
end

-- What is kept here may have been written by anybody, or before the clock was set: it counts as far as a turn could have
-- written it, and all else is as if it were not there.
local LARGEST = 2 ^ 52
local function bounded(text, least, most, otherwise)
  local number = tonumber(text)
  if not number or number ~= number or number < least or number > most then
    return otherwise
  end
  return math.floor(number)
end

local kept = redis.call('HMGET', circuit, 'state', 'generation', 'since', 'until', 'wins', 'holder', 'code', 'born',
  'succeeded')
local state, generation, holder = kept[1], bounded(kept[2], 1, LARGEST, nil), kept[6] or ''
local born = bounded(kept[8], 0, LARGEST, generation)
local since, wins = bounded(kept[3], 0, now, now), bounded(kept[5], 0, needed - 1, 0)
-- An `until` that no turn could have written begins anew, now: nobody is left alone for longer than a pause, or a lease.
local longest = now + (state == 'half_open' and lease or pause)
local till = bounded(kept[4], 0, longest, longest)

if not generation or (state ~= 'closed' and state ~= 'open' and state ~= 'half_open') then
  -- Generations begin at the time of day: none comes back when everything was lost.
  state, generation, born, since, till, wins, holder = 'closed', now, now, 0, 0, 0, ''
  if its_wait > 0 then
    state, since, till = 'open', now - its_age, now + its_wait
  end
end
local succeeded = bounded(kept[9], 0, LARGEST, 0) + successes

local function change(to)
  state, generation = to, generation + 1
end

local function open(moment)
  change('open')
  till, wins = moment + pause, 0
  redis.call('DEL', failures)
end

-- A failure counts for its own generation. One from before everything was lost counts as long as nothing has changed
-- since then; and zero is from a replica that could not ask which one it is.
local function counts(of)
  return of == generation or of == 0 or (generation == born and of < born)
end

-- Where there is a rate, a failure's name ends with the successes there had been, of all replicas. They may be others
-- when it is told again, so it is known by what comes before them.
local known = {}
if #ARGV >= FIRST_FAILURE then
  redis.call('ZREMRANGEBYSCORE', failures, string.format('(%.0f', now), '+inf')
  redis.call('ZREMRANGEBYRANK', failures, 0, -math.max(most, weighed) - 1)
end
if rate > 0 and #ARGV >= FIRST_FAILURE then
  for _, name in ipairs(redis.call('ZRANGE', failures, 0, -1)) do
    known[string.match(name, '^(.*):') or ''] = true
  end
end

local function is_share_reached(succeeded_before)
  redis.call('ZREMRANGEBYRANK', failures, 0, -weighed - 1)
  local failed, first = 0, succeeded_before
  for _, name in ipairs(redis.call('ZRANGE', failures, 0, -1)) do -- Those of the same moment are in no order.
    local before = bounded(string.match(name, ':(%-?%d+)$'), -LARGEST, succeeded, nil)
    if before then
      failed, first = failed + 1, math.min(first, before)
    end
  end
  return failed / (failed + succeeded_before - first) >= rate
end

local function fail(of, age, number, succeeded_since)
  local name, succeeded_before = replica .. ':' .. number, succeeded - succeeded_since
  if state ~= 'closed' or not counts(of) or age >= window or known[name] then
    return
  end
  if rate > 0 then
    name = string.format('%s:%.0f', name, succeeded_before)
  end
  redis.call('ZADD', failures, 'NX', now - age, name)
  redis.call('ZREMRANGEBYSCORE', failures, '-inf', string.format('%.0f', now - window))
  if redis.call('ZCARD', failures) >= most and (rate == 0 or is_share_reached(succeeded_before)) then
    since = now - age
    open(since)
  end
end

local function settle()
  if verdict == 'ill' then
    open(now)
  else
    wins = wins + (verdict == 'well' and 1 or 0)
    till = now
    change(wins >= needed and 'closed' or 'half_open')
    wins = state == 'closed' and 0 or wins
  end
end

-- Nothing speaks against the recovery if nothing has happened here since, or if somebody has only begun to try.
if state ~= 'closed' and (recovered == generation or (state == 'half_open' and recovered == generation - 1)) then
  change('closed')
  wins = 0
end
for i = FIRST_FAILURE, #ARGV, 4 do
  fail(tonumber(ARGV[i]), tonumber(ARGV[i + 1]), ARGV[i + 2], tonumber(ARGV[i + 3]))
end
if probed == generation and state == 'half_open' then
  settle()
end

-- Who asks again while holding the lease has never heard that it was given.
local granted = 0
if asks and state ~= 'closed' and (till <= now or (state == 'half_open' and holder == replica)) then
  change('half_open')
  till, holder, granted = now + lease, replica, 1
end

if code == '' and kept[7] and #kept[7] <= LONGEST_CODE then
  code = kept[7]
end
redis.call('HSET', circuit, 'state', state, 'generation', generation, 'since', since, 'until', till,
  'wins', wins, 'holder', holder, 'code', code, 'born', born, 'succeeded', succeeded)
redis.call('PEXPIRE', circuit, expiry)
redis.call('PEXPIRE', failures, expiry)
return {now, state, generation, since, math.max(till - now, 0), granted, code}
