# Read by the boot's scripts: where things are on a card, and how Fieldhand is started on it.

CONFIG=/data/config/config.toml
STATE=/data/state
export FIELDHAND_CONFIG=$CONFIG
export STATE_DIRECTORY=$STATE
export NOTIFY_SOCKET=/run/fieldhand/notify
[ -s /data/etc/TZ ] && TZ=$(cat /data/etc/TZ) && export TZ

mounted() { grep -q " $1 " /proc/mounts; }

board() { # what stands in the settings; without a word there: this board if something is wired to it, else simulated.
    # Settings that cannot be read choose nothing: the program says so.
    cat "$CONFIG" >/dev/null 2>&1 || return
    if grep -q '^[[:space:]]*board[[:space:]]*=' "$CONFIG" 2>/dev/null; then
        return
    fi
    if grep -qE '^[[:space:]]*\[[[:space:]]*(outputs|inputs|sensors)\.' "$CONFIG" 2>/dev/null; then
        echo auto
    else
        echo sim
    fi
}

options() { # of every command that works with the board
    chosen=$(board)
    echo "--config $CONFIG --state $STATE${chosen:+ --board $chosen}"
}

size() { # a serial line knows no size: the cursor is sent to the far corner and asked where it is
    [ "$(stty size 2>/dev/null)" = "0 0" ] || return
    kept=$(stty -g)
    stty raw -echo min 0 time 5
    printf '\0337\033[r\033[999;999H\033[6n\0338'
    answer=$(dd bs=32 count=1 2>/dev/null | tr -cd '0-9;R')
    stty "$kept"
    case $answer in
    [1-9]*\;[1-9]*R) stty rows "${answer%%;*}" cols "$(echo "${answer#*;}" | tr -d R)" ;;
    *) stty rows 24 cols 80 ;;
    esac
}
