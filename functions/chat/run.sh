#!/bin/sh
# What the Lambda Web Adapter starts in place of the managed runtime; its readiness check asks /health.
export PYTHONPATH="${LAMBDA_TASK_ROOT}:${LAMBDA_LAYERS_ROOT:-/opt}/python:${LAMBDA_RUNTIME_DIR:-/var/runtime}"
# The adapter keeps connections for 4 s and a frozen function keeps no time: ours live longer.
exec python -m uvicorn --factory functions.chat.start:create \
    --host 127.0.0.1 --port "${AWS_LWA_PORT:-8080}" --no-access-log --no-server-header --no-proxy-headers \
    --timeout-keep-alive 65 --timeout-graceful-shutdown 1
