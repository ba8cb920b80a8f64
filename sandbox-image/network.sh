#!/bin/bash
# network.sh: the sandboxes' own Docker network and the walls around it.
#
# Containers on it reach the internet and nothing near: not each other, not this host, not the
# private, link-local, carrier and multicast ranges; only the name servers this host uses (port
# 53) and the addresses in BACKTALK_NET_ALLOW. The rules stand in chains of our own, hooked into
# DOCKER-USER (what is forwarded; Docker leaves it alone) and INPUT (what is for the host); where the
# Engine works without iptables, in a table of nftables of our own, ahead of everybody's chains.
set -euo pipefail

usage()
{
    cat <<'EOF'
usage: network.sh create|check|remove [NAME]

create   makes the network and its rules, or puts them right; safe to repeat, needed again after
         a reboot (iptables rules do not survive one) or when the name servers change
check    exit 0 when network and rules are as create would make them, else says what is not
remove   removes both

NAME                  [$BACKTALK_NETWORK, else backtalk]
BACKTALK_NET_SUBNET   IPv4 subnet, e.g. 172.30.0.0/24           [chosen by Docker]
BACKTALK_NET_ALLOW    near addresses sandboxes may reach all the same, such as a package mirror:
                      ADDRESS[/BITS][:TCP-PORT], separated by spaces                       [none]
BACKTALK_FIREWALL     iptables or nftables        [iptables where the Engine has its chains there]
BACKTALK_RESOLV_CONF  where the host's name servers are listed                 [as Docker reads it]
EOF
}

say()
{
    echo "network.sh: $*" >&2
}

die()
{
    say "$*"
    exit 1
}

# Near everywhere: private, carrier, loopback, link-local, benchmark, multicast, reserved.
near=(0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4)

# Near here: subnets this host stands in that are none of the above (a LAN with public addresses).
own_subnets()
{
    ip -4 route show scope link | awk '
        { split($1, part, /[.\/]/); a = part[1] + 0; b = part[2] + 0 }
        $1 == "default" || a == 10 || a == 127 || (a == 100 && b >= 64 && b < 128) { next }
        (a == 169 && b == 254) || (a == 172 && b >= 16 && b < 32) || (a == 192 && b == 168) { next }
        { print index($1, "/") ? $1 : $1 "/32" }' | LC_ALL=C sort -u
}

name_servers()
{
    local file=${BACKTALK_RESOLV_CONF-}
    if [ -z "$file" ]; then
        file=/etc/resolv.conf
        # Docker too looks behind systemd-resolved's stub, which a container cannot reach.
        if [ "$(awk '$1 == "nameserver"' "$file")" = "nameserver 127.0.0.53" ]; then
            file=/run/systemd/resolve/resolv.conf
        fi
    fi
    # Loopback servers need no rule: Docker asks them on the container's behalf.
    awk '$1 == "nameserver" && $2 ~ /^[0-9.]+$/ && $2 !~ /^127\./ { print $2 }' "$file" | sort -u
}

check_settings()
{
    local entry
    [[ $name =~ ^[a-z0-9][a-z0-9._-]{0,40}$ ]] || die "'$name' cannot name a network"
    [[ ${BACKTALK_FIREWALL-} =~ ^(iptables|nftables|)$ ]] ||
        die "BACKTALK_FIREWALL is '$BACKTALK_FIREWALL': iptables or nftables is wanted"
    for entry in ${BACKTALK_NET_ALLOW-}; do
        [[ $entry =~ ^[0-9]+(\.[0-9]+){3}(/[0-9]{1,2})?(:[0-9]{1,5})?$ ]] ||
            die "BACKTALK_NET_ALLOW: '$entry' is not ADDRESS[/BITS][:PORT]"
    done
}

allowed()
{
    local entry address
    for entry in ${BACKTALK_NET_ALLOW-}; do
        address=${entry%:*}
        case $address in */*) ;; *) address=$address/32 ;; esac
        case $entry in
            *:*) echo "$address -p tcp -m tcp --dport ${entry##*:}" ;;
            *) echo "$address" ;;
        esac
    done
}

# The rules of one chain, as iptables -S prints them. WHAT: forward or input.
rules()
{
    local what=$1 chain=$2 server rule range
    echo "-N $chain"
    echo "-A $chain -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN"
    while read -r server; do
        [ -z "$server" ] || for rule in udp tcp; do
            echo "-A $chain -d $server/32 -p $rule -m $rule --dport 53 -j RETURN"
        done
    done < <(name_servers)
    while read -r rule; do
        [ -z "$rule" ] || echo "-A $chain -d $rule -j RETURN"
    done < <(allowed)
    if [ "$what" = input ]; then
        echo "-A $chain -j REJECT --reject-with icmp-admin-prohibited"
        return
    fi
    for range in "${near[@]}" $(own_subnets); do
        echo "-A $chain -d $range -j REJECT --reject-with icmp-admin-prohibited"
    done
}

firewall()
{
    if [ -n "${BACKTALK_FIREWALL-}" ]; then
        echo "$BACKTALK_FIREWALL"
    elif iptables -S DOCKER-USER >/dev/null 2>&1; then
        echo iptables
    else
        echo nftables
    fi
}

# ---- nftables ----------------------------------------------------------------------------------

# The table as a text for nft. An accept ends its own chain only: Docker's and the host's follow.
nft_table()
{
    local what server rule range
    echo "table ip $table {"
    for what in forward input; do
        echo "chain $what { type filter hook $what priority -5; policy accept;"
        echo "iifname != \"$bridge\" accept"
        echo "ct state established,related accept"
        while read -r server; do
            [ -z "$server" ] || echo "ip daddr $server meta l4proto { tcp, udp } th dport 53 accept"
        done < <(name_servers)
        while read -r range rule; do
            [ -z "$range" ] || echo "ip daddr $range ${rule:+tcp dport ${rule##* }} accept"
        done < <(allowed)
        if [ "$what" = input ]; then
            echo "reject with icmp type admin-prohibited"
        else
            for range in "${near[@]}" $(own_subnets); do
                echo "ip daddr $range reject with icmp type admin-prohibited"
            done
        fi
        echo "}"
    done
    echo "}"
}

# The table is as nft itself would list it: it is asked in an empty network of its own.
nft_is_right()
{
    local wanted
    wanted=$(nft_table | unshare -n sh -c "nft -f - && nft list table ip $table") ||
        die "nft does not take the rules"
    [ "$(nft list table ip "$table" 2>/dev/null)" = "$wanted" ]
}

set_nft()
{
    nft_is_right && return
    # one transaction: there is never a moment without rules
    { echo "add table ip $table; delete table ip $table" && nft_table; } | nft -f -
}

# ---- iptables ----------------------------------------------------------------------------------

bridge_of()
{
    docker network inspect -f '{{index .Options "com.docker.network.bridge.name"}}' "$name" 2>/dev/null
}

# set_chain WHAT CHAIN HOOK: the chain holds exactly its rules, and HOOK jumps to it before anything
# else, apart from the chains of other networks of ours.
set_chain()
{
    local what=$1 chain=$2 hook=$3
    if [ "$(iptables -S "$chain" 2>/dev/null)" != "$(rules "$what" "$chain")" ]; then
        # one transaction: the chain is never empty in between
        { echo '*filter' && echo ":$chain - [0:0]" && rules "$what" "$chain" | tail -n +2 && echo COMMIT; } |
            iptables-restore -w --noflush
    fi
    hook_is_first "$chain" "$hook" && return
    while iptables -w -D "$hook" -i "$bridge" -j "$chain" 2>/dev/null; do :; done
    iptables -w -I "$hook" 1 -i "$bridge" -j "$chain"
}

hook_is_first()
{
    local rule
    while read -r rule; do
        [ "$rule" != "-A $2 -i $bridge -j $1" ] || return 0
        [[ $rule =~ ^-A\ $2\ -i\ bt-[0-9a-f]{8}\ -j\ BT-[A-Z]+-[0-9a-f]{8}$ ]] || return 1
    done < <(iptables -S "$2" 2>/dev/null | grep '^-A')
    return 1
}

create()
{
    local options=(-o "com.docker.network.bridge.name=$bridge"
        -o com.docker.network.bridge.enable_icc=false
        -o com.docker.network.bridge.enable_ip_masquerade=true
        --label backtalk.network=1)
    if ! docker network inspect "$name" >/dev/null 2>&1; then
        [ -z "${BACKTALK_NET_SUBNET-}" ] || options+=(--subnet "$BACKTALK_NET_SUBNET")
        docker network create --driver bridge "${options[@]}" "$name" >/dev/null
        say "network $name made"
    fi
    [ "$(bridge_of)" = "$bridge" ] || die "a network $name exists that is not ours: choose another name"
    if [ "$(firewall)" = nftables ]; then
        command -v nft >/dev/null || die "the Docker Engine has no chain DOCKER-USER, and nftables is not installed"
        set_nft
    else
        command -v iptables-restore >/dev/null || die "iptables is not installed"
        iptables -S DOCKER-USER >/dev/null 2>&1 || die "no chain DOCKER-USER: the Docker Engine runs without iptables"
        set_chain forward "$forward" DOCKER-USER
        set_chain input "$input" INPUT
    fi
    # The bridge has no IPv6 address and containers get none; this closes what is left of it.
    if [ -e "/proc/sys/net/ipv6/conf/$bridge/disable_ipv6" ]; then
        echo 1 >"/proc/sys/net/ipv6/conf/$bridge/disable_ipv6"
    fi
}

complain()
{
    say "$*"
    bad=1
}

check_iptables()
{
    [ "$(iptables -S "$forward" 2>/dev/null)" = "$(rules forward "$forward")" ] ||
        complain "chain $forward is not as it should be"
    [ "$(iptables -S "$input" 2>/dev/null)" = "$(rules input "$input")" ] ||
        complain "chain $input is not as it should be"
    hook_is_first "$forward" DOCKER-USER || complain "DOCKER-USER does not begin with $forward"
    hook_is_first "$input" INPUT || complain "INPUT does not begin with $input"
}

check()
{
    local bad=0 ipv6
    if [ "$(bridge_of)" != "$bridge" ]; then
        complain "there is no network $name of ours"
    else
        [ "$(docker network inspect -f '{{index .Options "com.docker.network.bridge.enable_icc"}} {{.EnableIPv6}}' "$name")" = "false false" ] ||
            complain "network $name lets containers talk to each other, or has IPv6"
    fi
    if [ "$(firewall)" = iptables ]; then
        check_iptables
    else
        nft_is_right || complain "table $table of nftables is not as it should be"
    fi
    ipv6=$(cat "/proc/sys/net/ipv6/conf/$bridge/disable_ipv6" 2>/dev/null || echo 1)
    [ "$ipv6" = 1 ] || complain "IPv6 is on on $bridge"
    [ $bad = 0 ] && return 0
    say "network.sh create $name puts it right"
    return 1
}

remove()
{
    local pair
    if [ "$(bridge_of)" = "$bridge" ]; then
        docker network rm "$name" >/dev/null || die "network $name is in use"
    fi
    nft delete table ip "$table" 2>/dev/null || true
    for pair in "$forward DOCKER-USER" "$input INPUT"; do
        while iptables -w -D "${pair#* }" -i "$bridge" -j "${pair% *}" 2>/dev/null; do :; done
        iptables -w -F "${pair% *}" 2>/dev/null || true
        iptables -w -X "${pair% *}" 2>/dev/null || true
    done
}

verb=${1-}
name=${2:-${BACKTALK_NETWORK:-backtalk}}
check_settings
# Interface names end at 15 characters, chain names at 28.
id=$(printf %s "$name" | sha256sum | cut -c 1-8)
bridge=bt-$id forward=BT-FORWARD-$id input=BT-INPUT-$id table=backtalk_$id
case $verb in
    create | check | remove) "$verb" ;;
    -h | --help) usage ;;
    *) usage >&2 && exit 2 ;;
esac
