#!/bin/sh
# The page in the repository is what its sources build, byte for byte; they have no type errors.
. "$(dirname "$0")/common.inc"
node "$root/page/record.mjs" --check || fail "page/built is older than its sources"
cp -r "$root/page/src" "$root/page/index.html" "$root/page/package.json" "$root/page/tsconfig.json" "$root/page/vite.config.ts" .
ln -s "$modules/node_modules" node_modules
node_modules/.bin/tsc --noEmit || fail "type errors"
node_modules/.bin/vite build >log 2>&1 || fail "$(cat log)"
cmp built/page.html "$root/page/built/page.html" || fail "building again gives another page"
! grep -E '(src|href)="?https?:|@import|url\(http' built/page.html >/dev/null || fail "the page loads something"
