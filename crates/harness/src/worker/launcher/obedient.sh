#!/bin/sh
# A worker that does what its request says in the shell's own words.
eval "$CHRONOSCOPE_REQUEST"
