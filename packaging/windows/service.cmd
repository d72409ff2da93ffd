@echo off
rem What the scheduled task "lanreach-agent" runs. When it ends, the task starts it again within a minute.
setlocal
set "LANREACH_AGENT_DATA=%ProgramData%\lanreach-agent"
set "LANREACH_LOG_FILE=%ProgramData%\lanreach-agent\agent.log"
set "LANREACH_RESTARTED=yes"
rem Before the host is enrolled there is nothing to do.
if not exist "%LANREACH_AGENT_DATA%\identity.json" exit /b 0
"%~dp0node.exe" "%~dp0lanreach-agent.mjs" run
exit /b %ERRORLEVEL%
