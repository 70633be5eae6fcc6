# find_package(chord) gives
#   CHORD_EXECUTABLE           the tool
#   chord::api                 interface library: <chord/chord.h>
#   chord_instrument(TARGET…)  build these targets with probes
get_filename_component(_chord_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CHORD_EXECUTABLE "${_chord_root}/bin/chord")
if(NOT EXISTS "${CHORD_EXECUTABLE}")
  set(chord_FOUND FALSE)
  set(chord_NOT_FOUND_MESSAGE "${CHORD_EXECUTABLE} is missing")
  return()
endif()
if(NOT TARGET chord::api)
  add_library(chord::api INTERFACE IMPORTED)
  set_target_properties(chord::api PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_chord_root}/include")
endif()

# The runtime comes with every woven object, so linking needs no change.
function(chord_instrument)
  set_target_properties(${ARGN} PROPERTIES
    C_COMPILER_LAUNCHER "${CHORD_EXECUTABLE}"
    CXX_COMPILER_LAUNCHER "${CHORD_EXECUTABLE}"
    Fortran_COMPILER_LAUNCHER "${CHORD_EXECUTABLE}")
endfunction()
