#!/bin/sh
# CMAKE_<LANG>_COMPILER_LAUNCHER=chord: compiler checks pass, the program is woven.
. "$(dirname "$0")/../common.inc"
mkdir project
cd project || exit 1
cat >CMakeLists.txt <<'LISTS'
cmake_minimum_required(VERSION 3.22)
project(sample C CXX)
include(CheckFunctionExists)
check_function_exists(strdup HAVE_STRDUP)
if(NOT HAVE_STRDUP)
  message(FATAL_ERROR "a check went wrong")
endif()
add_library(parts STATIC parts.cc)
add_executable(sample main.c)
target_link_libraries(sample parts)
LISTS
printf '#include <vector>\nextern "C" int total(int n) { std::vector<int> v; for (int i = 0; i < n; i++) v.push_back(i); int s = 0; for (int x : v) s += x; return s; }\n' >parts.cc
printf '#include <stdio.h>\nint total(int);\nint main(void) { printf("%%d\\n", total(10) + total(5)); return 0; }\n' >main.c
cmake -S . -B out -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER_LAUNCHER="$CHORD" -DCMAKE_CXX_COMPILER_LAUNCHER="$CHORD" >log 2>&1 || fail "$(cat log)"
cmake --build out -j2 >log 2>&1 || fail "$(cat log)"
expect_equal output 55 "$(CHORD_OUT=c.chord out/sample)"
expect_equal "calls of total" 2 "$(calls c.chord total)"
expect_equal "calls of main" 1 "$(calls c.chord main)"
