# SPDX-License-Identifier: Apache-2.0
# usage: cmake -DSOURCE=DIR -DOUTPUT=FILE -DHEADER=... -DNAMESPACE=... -DFUNCTION=... -P write_commit.cmake
# "unknown" where there is no git, or where SOURCE is not the top of a repository: an unpacked archive may lie
# in a repository of somebody else.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C "${SOURCE}" rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if(status EQUAL 0)
    file(REAL_PATH "${top}" top)
  endif()
  if(status EQUAL 0 AND top STREQUAL source)
    execute_process(COMMAND ${GIT} -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_QUIET)
    if(status EQUAL 0 AND described MATCHES "^[0-9a-f]+(-dirty)?$")
      set(commit "${described}")
    endif()
  endif()
endif()
# Written only when it differs, so that a build without a new commit compiles nothing.
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "// Made by cmake/write_commit.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::string_view ${FUNCTION}() {
  return \"${commit}\";
}

}  // namespace ${NAMESPACE}
" @ONLY)
