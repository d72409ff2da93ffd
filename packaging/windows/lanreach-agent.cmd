@echo off
rem The agent for people: enrol, doctor, uninstall. The scheduled task starts service.cmd.
setlocal
set "LANREACH_AGENT_DATA=%ProgramData%\lanreach-agent"
rem A folder that the agent makes itself would be readable for all users.
if not exist "%LANREACH_AGENT_DATA%\" (
  echo lanreach-agent is not installed: run install.ps1 first.
  exit /b 2
)
"%~dp0node.exe" "%~dp0lanreach-agent.mjs" %*
exit /b %ERRORLEVEL%
