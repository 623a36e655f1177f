# SPDX-License-Identifier: Apache-2.0
# fabric_commit(<target> HEADER <header> NAMESPACE <namespace> FUNCTION <name>): adds a source to the target that
# knows the commit it is built from. The header declares `std::string_view <name>();` in the namespace. The
# source is looked at in every build and written only when the commit has changed.
set(FABRIC_WRITE_COMMIT "${CMAKE_CURRENT_LIST_DIR}/write_commit.cmake")

function(fabric_commit target)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FUNCTION" "" ${ARGN})
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp")
  add_custom_target(${target}_commit
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${output}
      -DHEADER=${ARG_HEADER} -DNAMESPACE=${ARG_NAMESPACE} -DFUNCTION=${ARG_FUNCTION}
      -P ${FABRIC_WRITE_COMMIT}
    BYPRODUCTS ${output}
    COMMENT "" VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON)
  add_dependencies(${target} ${target}_commit)
endfunction()
