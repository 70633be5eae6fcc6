#!/bin/sh
# The recipe of docs/how-to.md for Bazel: a library, a program and a test, built and run offline; counts are beside the programs.
# Debian's bazel-bootstrap (with bazel-rules-cc, -java and -proto) is not installed by script/bootstrap.
. "$(dirname "$0")/../common.inc"
if ! command -v bazel >/dev/null || [ ! -d /usr/share/bazel/rules/cc ]; then
  echo "skipped: bazel-bootstrap, bazel-rules-cc, bazel-rules-java and bazel-rules-proto are not installed"
  exit 77
fi
# Debian packages rules that are newer than its Bazel: they load a function that this Bazel does not have.
cp -r /usr/share/bazel/rules rules
grep -rl use_cpp_toolchain rules/cc | xargs sed -i 's/, "use_cpp_toolchain"//; s|use_cpp_toolchain()|["@bazel_tools//tools/cpp:toolchain_type"]|'
mkdir rules/coverage project
touch rules/coverage/WORKSPACE rules/coverage/none.sh project/WORKSPACE
echo 'sh_binary(name = "coverage_report_generator", srcs = ["none.sh"], visibility = ["//visibility:public"])' >rules/coverage/BUILD

cd project
cat >BUILD <<'BUILD'
cc_library(name = "count", srcs = ["count.cc"], hdrs = ["count.h"])
cc_binary(name = "program", srcs = ["main.cc"], deps = [":count"])
cc_test(name = "count_test", srcs = ["test.cc"], size = "small", deps = [":count"])
BUILD
echo 'int count(int n);' >count.h
cat >count.cc <<'SOURCE'
#include "count.h"
int count(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i % 3 == 0;
  return sum;
}
SOURCE
cat >main.cc <<'SOURCE'
#include <cstdio>
#include "count.h"
int main() { std::printf("%d\n", count(100)); }
SOURCE
cat >test.cc <<'SOURCE'
#include "count.h"
int main() { return count(9) == 3 ? 0 : 1; }
SOURCE
"$CHORD" env bazel >.bazelrc
for repository in rules_cc=cc rules_java=java rules_proto=proto remote_coverage_tools=coverage; do
  echo "build --override_repository=${repository%%=*}=$work/rules/${repository#*=}"
done >>.bazelrc
bazel() { command bazel --batch --output_user_root="$work/bazel" "$@" >log 2>&1 || fail "bazel $*: $(cat log)"; }
bazel build -c opt --copt=-g //...
expect_equal "the program's output" 34 "$(bazel-bin/program)"
expect_equal "calls of count" 1 "$(calls bazel-bin/program.chord _Z5counti)"
"$CHORD" annotate bazel-bin/program.chord count >annotated
expect_contains "the loop's line" "100 |     5      sum += i % 3 == 0;" annotated
bazel test -c opt --copt=-g //:count_test
expect_equal "calls of count by program and test" 2 "$(calls bazel-bin _Z5counti)"
