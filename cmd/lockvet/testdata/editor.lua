-- What a user does in Neovim with lockvet lsp: open a file, read the first finding, have
-- it fixed, save, and see that it is gone. Prints what happened; the last line is "done".
-- The environment: LOCKVET is the command, ROOT the module, FILE the file.

local function say(format, ...)
  io.stdout:write(string.format(format, ...) .. "\n")
end

local function fail(format, ...)
  say("FAILED: " .. format, ...)
  for _, client in pairs(vim.lsp.get_active_clients()) do
    client.stop(true)
  end
  vim.cmd("cquit")
end

local function await(what, condition)
  if not vim.wait(180000, condition, 50) then
    fail("waited in vain: %s", what)
  end
end

vim.lsp.handlers["window/logMessage"] = function(_, params)
  say("log: %s", params.message)
end
local answer
vim.lsp.handlers["window/showMessage"] = function(_, params)
  answer = params.message
end

local version = vim.version()
say("Neovim %d.%d.%d", version.major, version.minor, version.patch)
vim.o.hidden = true
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FILE))
local id = vim.lsp.start_client({ name = "lockvet", cmd = { vim.env.LOCKVET, "lsp" }, root_dir = vim.env.ROOT })
vim.lsp.buf_attach_client(0, id)

local function findings()
  return vim.diagnostic.get(0)
end

await("findings", function() return #findings() > 0 end)
local first = findings()[1]
for _, d in ipairs(findings()) do
  if d.lnum < first.lnum then
    first = d
  end
end
say("findings: %d", #findings())
say("first: line %d: %s (%s, %s)", first.lnum + 1, first.message, first.source, first.user_data.lsp.code)
local line = vim.api.nvim_buf_get_lines(0, first.lnum, first.lnum + 1, true)[1]
say("marks: %s", line:sub(first.col + 1, first.end_col))
vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })

local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 60000)
for text in hover[id].result.contents.value:gmatch("[^\n]+") do
  say("hover: %s", text)
end

-- The menu of actions, in which the user chooses.
local function choose(wanted)
  local chosen
  vim.ui.select = function(items, options, on_choice)
    for _, item in ipairs(items) do
      local title = options.format_item and options.format_item(item) or item[2].title
      say("action: %s", title)
      if not chosen and title:find(wanted, 1, true) then
        chosen = item
      end
    end
    on_choice(chosen)
  end
  vim.lsp.buf.code_action()
  await("action " .. wanted, function() return chosen ~= nil end)
end

choose("why is this reported")
await("the answer", function() return answer ~= nil end)
say("why: %s", (answer:match("[^\n]+")))

choose("Hold a lock")
await("the edit", function() return vim.bo.modified end)
vim.cmd("wall")
vim.cmd("write") -- where the server has looked at the file before the others were written
say("written")
await("no finding", function() return #findings() == 0 end)
say("findings: %d", #findings())

vim.lsp.stop_client(id)
await("the end of the server", function() return vim.lsp.client_is_stopped(id) end)
say("done")
vim.cmd("qall!")
