#!/bin/sh
# A worker that never reads its request, and never answers.
exec sleep 1000
