<#
Installs the agent of LanReach from the folder in which this script lies, or removes it with -Remove. In a PowerShell of an
administrator:

  powershell -ExecutionPolicy Bypass -File install.ps1
  powershell -ExecutionPolicy Bypass -File install.ps1 -Remove

It copies the program to %ProgramFiles%\lanreach-agent, makes %ProgramData%\lanreach-agent for its state, which only administrators,
the system and LOCAL SERVICE may use, and registers the scheduled task "lanreach-agent", which runs it as LOCAL SERVICE. Run again
with a newer version, it replaces the program. -Remove takes the program, the task and the state away.
#>
param([switch] $Remove)

$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 3.0

$name = 'lanreach-agent'
$program = Join-Path $env:ProgramFiles $name
$state = Join-Path $env:ProgramData $name

$me = New-Object Security.Principal.WindowsPrincipal ([Security.Principal.WindowsIdentity]::GetCurrent())
if (-not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
  throw 'This needs the PowerShell of an administrator.'
}

function Invoke-Checked([string] $command, [string[]] $arguments) {
  & $command @arguments
  if ($LASTEXITCODE -ne 0) { throw "$command ended with exit code $LASTEXITCODE." }
}

function Stop-Agent {
  if (-not (Get-ScheduledTask -TaskName $name -ErrorAction SilentlyContinue)) { return }
  Disable-ScheduledTask -TaskName $name | Out-Null
  Stop-ScheduledTask -TaskName $name
  # The task ends its processes; their files are free a moment later.
  for ($i = 0; $i -lt 50; $i++) {
    $left = @(Get-Process -Name node -ErrorAction SilentlyContinue | Where-Object { $_.Path -eq (Join-Path $program 'node.exe') })
    if ($left.Count -eq 0) { return }
    if ($i -eq 25) { $left | Stop-Process -Force }
    Start-Sleep -Milliseconds 200
  }
  throw 'The agent does not end.'
}

Stop-Agent

if ($Remove) {
  if (Get-ScheduledTask -TaskName $name -ErrorAction SilentlyContinue) {
    Unregister-ScheduledTask -TaskName $name -Confirm:$false
  }
  if (Test-Path $program) { Invoke-Checked (Join-Path $program 'lanreach-agent.cmd') @('uninstall') }
  if (Test-Path $program) { Remove-Item -Recurse -Force $program }
  Write-Output 'The agent is removed. The API knows it until you revoke it there.'
  exit 0
}

# Users may make folders in %ProgramData%: one that is somebody else's might hold anything.
$isNew = -not (Test-Path $state)
if (-not $isNew) {
  $owner = (Get-Acl -LiteralPath $state).GetOwner([Security.Principal.SecurityIdentifier]).Value
  if (@('S-1-5-18', 'S-1-5-19', 'S-1-5-32-544') -notcontains $owner) {
    throw "$state belongs to $owner. Look at what is in it and remove it, then run this again."
  }
} else {
  New-Item -ItemType Directory -Path $state | Out-Null
}
# By their ids, because the names of accounts depend on the language.
Invoke-Checked icacls @($state, '/setowner', '*S-1-5-32-544', '/Q')
Invoke-Checked icacls @($state, '/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F', '*S-1-5-19:(OI)(CI)M', '/Q')
# Until then it was open to others, as all of %ProgramData% is.
if ($isNew -and @(Get-ChildItem -Force -LiteralPath $state).Count -gt 0) {
  throw "Somebody has put something into $state while it was made. Look at it and remove the folder, then run this again."
}

# %ProgramFiles% lets users read and start what is in it, and administrators alone change it.
New-Item -ItemType Directory -Force -Path $program | Out-Null
if ($PSScriptRoot -ne $program) {
  Get-ChildItem -LiteralPath $PSScriptRoot -File | Copy-Item -Destination $program -Force
}
# What a browser has marked as coming from the internet would be asked about.
Get-ChildItem -LiteralPath $program -File | Unblock-File

$task = Get-Content -Raw -LiteralPath (Join-Path $program 'task.xml')
Register-ScheduledTask -TaskName $name -Xml $task -Force | Out-Null
Start-ScheduledTask -TaskName $name

if (Test-Path (Join-Path $state 'identity.json')) {
  Write-Output 'The agent is installed and starts.'
} else {
  $enrol = Join-Path $program 'lanreach-agent.cmd'
  Write-Output "The agent is installed. Next: & '$enrol' enrol <code> --url <URL of the API>"
  Write-Output 'It starts within a minute after that.'
}
