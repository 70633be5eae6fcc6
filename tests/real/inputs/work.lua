-- A day in the life of an interpreter; the argument says how many days.
local days = tonumber(arg[1]) or 1

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function sieve(n)
  local composite, count = {}, 0
  for i = 2, n do
    if not composite[i] then
      count = count + 1
      for j = i * i, n, i do composite[j] = true end
    end
  end
  return count
end

local function words(text)
  local seen, order = {}, {}
  for word in text:gmatch("%a+") do
    if not seen[word] then seen[word] = 0; order[#order + 1] = word end
    seen[word] = seen[word] + 1
  end
  table.sort(order, function(a, b)
    if seen[a] ~= seen[b] then return seen[a] > seen[b] end
    return a < b
  end)
  local out = {}
  for i, word in ipairs(order) do out[i] = word .. "=" .. seen[word] end
  return table.concat(out, " ")
end

local Account = {}
Account.__index = Account
function Account.new(balance) return setmetatable({balance = balance, log = {}}, Account) end
function Account:withdraw(n)
  if n > self.balance then error({code = "short", by = n - self.balance}) end
  self.balance = self.balance - n
  self.log[#self.log + 1] = n
end

local function bank()
  local account, refused = Account.new(1000), 0
  for i = 1, 100 do
    local ok, why = pcall(account.withdraw, account, i)
    if not ok then refused = refused + why.by end
  end
  return account.balance, #account.log, refused
end

local function permutations(n)
  local function permute(a, k)
    if k == 0 then coroutine.yield(table.concat(a)) return end
    for i = 1, k do
      a[k], a[i] = a[i], a[k]
      permute(a, k - 1)
      a[k], a[i] = a[i], a[k]
    end
  end
  local a = {}
  for i = 1, n do a[i] = string.char(96 + i) end
  local count, last = 0, nil
  for p in coroutine.wrap(function() permute(a, n) end) do count = count + 1; last = p end
  return count, last
end

local function numbers()
  local x, sum = 12345, 0.0
  for i = 1, 2000 do
    x = (x * 1103515245 + 12345) & 0x7fffffff
    sum = sum + math.sqrt(x) // 1 + (x % 7) / 3 - (x >> 3 ~ i) * 1e-6
  end
  return string.format("%.6f %x", sum, x)
end

local text = ("the cat and the dog and a bird saw the sun set over the hill "):rep(12)
for day = 1, days do
  print(fib(16), sieve(1500))
  print(words(text))
  print(bank())
  print(permutations(5))
  print(numbers())
  print((text:gsub("(%a+) and (%a+)", "%2 or %1")):sub(1, 60), text:find("hill", 1, true), #text:upper():reverse())
  local parts = {}
  for i = 1, 200 do parts[#parts + 1] = ("%03d:%s"):format(i, tostring(i / 4)) end
  local chunk = assert(load("local s = 0 for i = 1, 300 do s = s + i % 7 end return s"))
  print(#table.concat(parts, ","), chunk(), select("#", table.unpack(parts, 1, 50)))
  print(pcall(load, function() error("reader") end))
  collectgarbage()
end
