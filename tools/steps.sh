# Sourced by tools/demo and tools/test: runs steps, and prints the time of each at the end.
# shellcheck shell=bash

step_results=()

# step NAME BUDGET COMMAND...: runs the command; its time is printed at the end, with the budget unless that is 0.
step() {
  local name=$1 budget=$2 start=$SECONDS result=ok took limit=
  shift 2
  echo "== $name" >&2
  "$@" || result=FAILED
  took=$((SECONDS - start))
  if [ "$budget" -gt 0 ]; then
    limit=" of $budget s"
    [ "$took" -le "$budget" ] || result+=", over its budget"
  fi
  step_results+=("$name: $took s$limit, $result")
  [[ $result != FAILED* ]]
}

# Prints the steps and the total; returns 1 if one of them failed.
print_steps() { # [BUDGET]
  printf '%s\n' "" "${step_results[@]}" "total: $SECONDS s${1:+ of $1 s}" >&2
  [[ ${step_results[*]} != *FAILED* ]]
}
