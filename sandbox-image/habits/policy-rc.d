#!/bin/sh
# Packages may start their services when they are installed.
exit 0
