# Read by the boot's scripts: where things are on a card, and how Fieldhand is started on it.

CONFIG=/data/config/config.toml
STATE=/data/state
export FIELDHAND_CONFIG=$CONFIG
export NOTIFY_SOCKET=/run/fieldhand/notify

mounted() { grep -q " $1 " /proc/mounts; }

board() { # what stands in the settings; without a word there: this board if something is wired to it, else simulated
    if grep -q '^[[:space:]]*board[[:space:]]*=' "$CONFIG" 2>/dev/null; then
        return
    fi
    if grep -qE '^[[:space:]]*\[[[:space:]]*(outputs|inputs)\.' "$CONFIG" 2>/dev/null; then
        echo auto
    else
        echo sim
    fi
}

options() { # of every command that works with the board
    chosen=$(board)
    echo "--config $CONFIG --state $STATE${chosen:+ --board $chosen}"
}
