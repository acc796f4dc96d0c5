#!/usr/bin/env bash
# A PostgreSQL of its own for the tests, on loopback, in DIR, and never as root.
#
#   .ci/postgres.sh start DIR    installs the server if there is none, starts it, prints the address of a database
#   .ci/postgres.sh stop DIR     stops it and removes DIR
set -euo pipefail

verb=$1
dir=$2

as_owner() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

programs() {
    local found
    found=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
    if [ -n "$found" ] && [ -x "$found/initdb" ]; then echo "$found"; fi
}

start() {
    if [ -z "$(programs)" ]; then
        apt-get update -qq >&2
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >&2
    fi
    local bin port password
    bin=$(programs)
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    mkdir -p "$dir"
    printf '%s\n' "$password" > "$dir/password"
    if [ "$(id -u)" = 0 ]; then chown -R postgres: "$dir"; fi
    (
        cd "$dir"
        as_owner "$bin/initdb" --pgdata "$dir/data" --username interlock --pwfile "$dir/password" \
            --auth scram-sha-256 --encoding UTF8 --locale C >&2
        as_owner "$bin/pg_ctl" --pgdata "$dir/data" --log "$dir/log" --wait --options \
            "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$dir -c fsync=off" start >&2
    )
    echo "postgresql://interlock:$password@127.0.0.1:$port/postgres"
}

stop() {
    if [ -d "$dir/data" ]; then
        (cd "$dir" && as_owner "$(programs)/pg_ctl" --pgdata "$dir/data" --mode immediate stop >&2)
    fi
    rm -rf "$dir"
}

case $verb in
    start) start ;;
    stop) stop ;;
    *) echo "usage: .ci/postgres.sh start|stop DIR" >&2; exit 2 ;;
esac
