#!/usr/bin/env bash
# Backs up the shelves of the harbour library.

set -euo pipefail

source ./volumes.sh
. "${HOME}/.shelfrc"

readonly CAPACITY=40
export SHELF_HOME=${SHELF_HOME:-/srv/shelves}
declare -A places=(
  [left]="größer: 漢字"
  [right]="b"
)
count=0

# Prints what went wrong and ends.
#
# Arguments: the message.
fail() {
  echo "shelves: $*" >&2
  exit 1
}

function usage {
  cat <<TEXT
usage: shelves [-f] LABEL
not_a_function() {
}
TEXT
}

# Puts one volume in its place.
function put_volume() {
  local title=$1
  if [[ -z $title ]]; then
    fail "no title"
  fi
  inner() { echo inner; }
  count=$((count + 1))
}

lamp-on() (
  cd "$SHELF_HOME"
  echo on > lamp
)

if command -v tput > /dev/null; then
  # Writes in bold.
  bold() {
    tput bold
  }
else
  bold() { :; }
fi

while getopts "fh" option; do
  case $option in
    f) force=1 ;;
    h) usage; exit 0 ;;
    *) usage; exit 2 ;;
  esac
done

main() {
  for title in "$@"; do
    put_volume "$title"
  done
}

main "$@"
