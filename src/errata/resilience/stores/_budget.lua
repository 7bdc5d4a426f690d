-- One turn of one replica: it tells what it has spent and earned, asks for tokens, and hears how many are left.
-- It tells totals, and what was counted of them is kept: whatever is told twice, because an answer was lost, counts once.
-- It is void after a moment of this server's clock, as in `_circuit.lua`.

local budget, counted = KEYS[1], KEYS[2]
local void_after = tonumber(ARGV[1])
local capacity, heard = tonumber(ARGV[2]), tonumber(ARGV[3]) -- What it heard last restores what was lost here.
local spent, credited = tonumber(ARGV[4]), tonumber(ARGV[5])
local spent_before, credited_before = tonumber(ARGV[6]), tonumber(ARGV[7]) -- What it knows to be counted.
local expiry = tonumber(ARGV[8])
-- Then the cost of each repetition that it is about to make.
local FIRST_COST = 9

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > void_after then
  return {now}
end

-- What no turn could have written is as if it were not there.
local function bounded(text, least, most, otherwise)
  local number = tonumber(text)
  if not number or number ~= number or number < least or number > most then
    return otherwise
  end
  return math.floor(number)
end

local seen = redis.call('HMGET', counted, 'spent', 'credited')
local seen_spent = bounded(seen[1], spent_before, spent + capacity, spent_before)
local seen_credited = bounded(seen[2], credited_before, credited, credited_before)

local tokens = bounded(redis.call('HMGET', budget, 'tokens')[1], 0, capacity, heard)
tokens = tokens - math.max(spent - seen_spent, 0) + credited - seen_credited
tokens = math.min(math.max(tokens, 0), capacity)

-- Who asks again for what it was given has never heard that it was.
local given = math.max(seen_spent - spent, 0)
spent = math.max(seen_spent, spent)
local answer = {now, tokens}
for i = FIRST_COST, #ARGV do
  local cost, is_granted = tonumber(ARGV[i]), 1
  if cost <= given then
    given = given - cost
  elseif cost <= tokens then
    tokens, spent = tokens - cost, spent + cost
  else
    is_granted = 0
  end
  answer[#answer + 1] = is_granted
end
answer[2] = tokens

redis.call('HSET', budget, 'tokens', tokens)
redis.call('HSET', counted, 'spent', spent, 'credited', credited)
redis.call('PEXPIRE', budget, expiry)
redis.call('PEXPIRE', counted, expiry)
return answer
