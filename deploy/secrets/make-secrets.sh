#!/bin/sh
# Draws the passwords of Redis and MongoDB, once for a deployment: the next start finds them and changes nothing.
# Each folder is a volume of its own, so that a service reads only what it needs:
#   $1 for the service: redis-url, mongodb-url
#   $2 for Redis: users.acl, which holds hashes only, and admin-password, for the operator
#   $3 for MongoDB: root-password, diag-password
set -eu
app=$1
redis=$2
mongo=$3
# Written last: what an interrupted run left behind is made again, and no server has seen it yet.
if [ -s "$app/mongodb-url" ]; then exit 0; fi

draw() { od -An -v -N 24 -t x1 /dev/urandom | tr -d ' \n'; }
hash() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }

diag=$(draw)
admin=$(draw)
# The default user has no password and can do nothing but ping, for the health check. The service's user reaches its own
# keys and channels alone, and no command that lists, empties or reconfigures the server.
cat > "$redis/users.acl" << EOF
user default on nopass resetkeys resetchannels -@all +ping
user diag on #$(hash "$diag") resetkeys ~diag:* resetchannels &diag:* +@all -@admin -@dangerous +info +config|get
user admin on #$(hash "$admin") ~* &* +@all
EOF
printf %s "$admin" > "$redis/admin-password"
printf %s "redis://diag:$diag@redis:6379" > "$app/redis-url"

mongodb=$(draw)
draw > "$mongo/root-password"
printf %s "$mongodb" > "$mongo/diag-password"
# The volumes' readers run as other users; nobody else mounts them.
chmod 0444 "$redis/users.acl" "$redis/admin-password" "$app/redis-url" "$mongo/root-password" "$mongo/diag-password"
printf %s "mongodb://diag:$mongodb@mongo:27017/diag" > "$app/mongodb-url.new"
chmod 0444 "$app/mongodb-url.new"
mv "$app/mongodb-url.new" "$app/mongodb-url"
