#!/bin/sh
# Draws the passwords of Redis and MongoDB, once for a deployment: the next start finds them and changes nothing.
# Each folder is a volume of its own, so that a service reads only what it needs:
#   $1 for the service: redis-url, mongodb-url. Remove one of them to draw the password of its server anew
#   $2 for Redis: users.acl, which holds hashes only, and admin-password, for the operator
#   $3 for MongoDB: root-password, diag-password
set -eu
app=$1
redis=$2
mongo=$3

draw() { od -An -v -N 24 -t x1 /dev/urandom | tr -d ' \n'; }
hash() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }
# Readable for the users of the containers that mount the folder; put in place when it is whole.
keep() {
  cat > "$1.new"
  chmod 0444 "$1.new"
  mv "$1.new" "$1"
}

# The default user has no password and can do nothing but ping, for the health check. The service's user reaches its own
# keys and channels, and no command that lists, empties or reconfigures the server.
draw_redis() {
  diag=$(draw)
  admin=$(draw)
  keep "$redis/users.acl" << EOF
user default on nopass resetkeys resetchannels -@all +ping
user diag on #$(hash "$diag") resetkeys ~diag:* resetchannels &diag:* +@all -@admin -@dangerous +info +config|get
user admin on #$(hash "$admin") ~* &* +@all
EOF
  printf %s "$admin" | keep "$redis/admin-password"
  printf %s "redis://diag:$diag@redis:6379" | keep "$app/redis-url"
}

# The administrator's stays: MongoDB takes it over only while its database is empty.
draw_mongo() {
  diag=$(draw)
  if [ ! -s "$mongo/root-password" ]; then draw | keep "$mongo/root-password"; fi
  printf %s "$diag" | keep "$mongo/diag-password"
  printf %s "mongodb://diag:$diag@mongo:27017/diag" | keep "$app/mongodb-url"
}

# The service's file is written last: what an interrupted run left behind is made again, and no server has seen it yet.
if [ ! -s "$app/redis-url" ]; then draw_redis; fi
if [ ! -s "$app/mongodb-url" ]; then draw_mongo; fi
