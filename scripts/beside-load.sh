#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -u

usage() {
    cat <<'EOF'
usage: beside-load.sh [-n LOOPS] COMMAND [ARGUMENT...]

Runs a command, such as a test, beside LOOPS threads that compute all the time (one for each processor), and returns its
exit status. Tests must hold there too:

    scripts/beside-load.sh ctest --test-dir build -L runtime
EOF
}

loops=$(nproc)
case ${1-} in
-h | --help)
    usage
    exit 0
    ;;
-n)
    loops=${2-}
    shift 2 || exit 2
    ;;
esac
case $loops in '' | *[!0-9]*) usage >&2 && exit 2 ;; esac
[ $# -gt 0 ] || { usage >&2 && exit 2; }

pids=
stop() {
    # shellcheck disable=SC2086 # one word for each
    [ -z "$pids" ] || kill $pids 2>/dev/null
}
trap stop EXIT
trap 'exit 130' INT TERM
while [ "$loops" -gt 0 ]; do
    loops=$((loops - 1))
    (while :; do :; done) &
    pids="$pids $!"
done
"$@"
