@echo off
rem Runs gpusort with the Node of this archive, without what the user set for other programs of Node.
setlocal EnableExtensions DisableDelayedExpansion
for %%v in (NODE_CHANNEL_FD NODE_DEBUG_NATIVE NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA OPENSSL_CONF) do set "%%v="
for %%v in (NODE_OPTIONS NODE_PATH NODE_DEBUG NODE_ICU_DATA NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_COMPILE_CACHE) do set "%%v="
for %%v in (NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS) do set "%%v="
call :locate
"%gpusort_bin%..\lib\gpusort\node.exe" "%gpusort_bin%..\lib\gpusort\bin\gpusort.cjs" %*
exit /b %errorlevel%

rem If the user types "gpusort" with quotes, only a subroutine finds the folder of this file.
:locate
set "gpusort_bin=%~dp0"
exit /b
