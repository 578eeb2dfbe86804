@echo off
rem Runs gpusort with the Node of this archive, without what the user set for other programs of Node.
setlocal
for %%v in (NODE_OPTIONS NODE_PATH NODE_DEBUG NODE_ICU_DATA NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_COMPILE_CACHE) do set "%%v="
for %%v in (NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS) do set "%%v="
"%~dp0..\lib\gpusort\node.exe" "%~dp0..\lib\gpusort\bin\gpusort.cjs" %*
