# SPDX-License-Identifier: Apache-2.0
# fabric_layer(<name> [HOT] [DEPENDS <layers...>] [THIRD_PARTY <targets...>])
#
# Declares the calling folder as one layer of the architecture: a static library `fabric::<name>` of
# all .cpp files below it, and of all scripts in folders `sh`, but for folders below that are layers themselves. DEPENDS is the complete list of layers it may include (with what they may
# include themselves); tests/lint/check_layers.py reads these calls and fails on any #include that is
# not covered by them.
function(fabric_layer name)
  cmake_parse_arguments(ARG "HOT" "" "DEPENDS;THIRD_PARTY;GENERATED" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/*.sh")
  file(GLOB_RECURSE layers_below CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(below IN LISTS layers_below)
    get_filename_component(below "${below}" DIRECTORY)
    foreach(source IN LISTS sources)
      cmake_path(IS_PREFIX below "${source}" is_below)
      if(is_below)
        list(REMOVE_ITEM sources "${source}")
      endif()
    endforeach()
  endforeach()
  set(scripts "${sources}")
  list(FILTER scripts INCLUDE REGEX "/sh/[a-z0-9_]+[.]sh$")
  list(FILTER sources EXCLUDE REGEX "[.]sh$")
  fabric_embed_scripts(embedded ${scripts})
  list(APPEND ARG_GENERATED ${embedded})
  if(NOT sources AND NOT ARG_GENERATED)
    # A layer that so far has only headers.
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/empty.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "")
  endif()
  add_library(fabric_${name} STATIC ${sources} ${ARG_GENERATED})
  add_library(fabric::${name} ALIAS fabric_${name})
  target_include_directories(fabric_${name} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/scripts")
  list(TRANSFORM ARG_DEPENDS PREPEND "fabric::")
  # Layers are PUBLIC (headers expose them); third-party code is PRIVATE (headers never do).
  target_link_libraries(fabric_${name} PUBLIC fabric_options ${ARG_DEPENDS} PRIVATE ${ARG_THIRD_PARTY})
  fabric_headers_of("${ARG_DEPENDS}" headers)
  set(precompiled fabric_precompiled_${headers})
  if(ARG_HOT)
    target_compile_options(fabric_${name} PRIVATE ${FABRIC_HOT_OPTIONS})
    set(precompiled ${precompiled}_hot)
  endif()
  if(FABRIC_PRECOMPILE)
    target_precompile_headers(fabric_${name} REUSE_FROM ${precompiled})
  endif()
  fabric_unity(fabric_${name})
endfunction()

# Which set of headers in FabricOptions.cmake is precompiled for a layer or a test: `provider`, `model` or `standard`, by the
# layers that it depends on. No layer gets the headers of a layer that it may not include. That each file includes what it
# names is for tests/lint/check_includes.py to say.
function(fabric_headers_of depends result)
  set(above_provider provider discovery providers plans verify execute workflow rehearse report cli)
  set(above_model model platform)
  set(headers standard)
  foreach(layer IN LISTS depends)
    string(REPLACE "fabric::" "" layer "${layer}")
    if(layer IN_LIST above_provider)
      set(headers provider)
      break()
    elseif(layer IN_LIST above_model)
      set(headers model)
    endif()
  endforeach()
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

# fabric_test(<layer> [DEPENDS <targets...>]): one executable of all *_test.cpp below tests/unit/<layer>,
# linked to that layer only, so that a test can't hide an upward dependency.
function(fabric_test layer)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/unit/${layer}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${layer} ${sources})
  target_link_libraries(test_${layer} PRIVATE fabric::${layer} ${ARG_DEPENDS} fabric_test_support)
  fabric_join_tests(test_${layer} ${sources})
  fabric_test_options(test_${layer})
  target_compile_definitions(test_${layer} PRIVATE
    FABRIC_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/unit/${layer}"
    FABRIC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME unit.${layer} COMMAND test_${layer})
  # Sanitizers and a busy machine make minutes of seconds; what hangs is to end all the same.
  set_tests_properties(unit.${layer} PROPERTIES LABELS "unit;fast" TIMEOUT 900)
endfunction()

# What is under test is instrumented and optimised; the test's own code is neither, because Catch2's
# macros take three times as long to compile that way and there is nothing to find in them.
function(fabric_test_options target)
  set_target_properties(${target} PROPERTIES FABRIC_PLAIN ON)
  target_compile_options(${target} PRIVATE -O0)
  if(FABRIC_PRECOMPILE)
    set(precompiled fabric_test_support)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    fabric_headers_of("${libraries}" headers)
    if(headers STREQUAL provider)
      set(precompiled fabric_test_precompiled)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()

# fabric_fuzzer(<name> DEPENDS <layers...>): tests/fuzz/fuzz_<name>.cpp. With clang and FABRIC_FUZZ=ON
# a libFuzzer program; otherwise one of those whose corpus `corpus_replay` runs once (label fast).
function(fabric_fuzzer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  set(source "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_${name}.cpp")
  set(corpus "${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name}")
  list(TRANSFORM ARG_DEPENDS PREPEND "fabric::")
  if(NOT FABRIC_FUZZ)
    target_sources(corpus_replay PRIVATE ${source})
    target_link_libraries(corpus_replay PRIVATE ${ARG_DEPENDS})
    # Each target has libFuzzer's name for its function; here they stand side by side.
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=fuzz_${name})
    set_property(TARGET corpus_replay APPEND PROPERTY FABRIC_FUZZERS ${name})
    add_test(NAME corpus.${name} COMMAND corpus_replay ${name} ${corpus})
    set_tests_properties(corpus.${name} PROPERTIES LABELS "corpus;fast")
    return()
  endif()
  # fuzz_main: memory and time for each byte of input; see tests/fuzz.
  add_executable(fuzz_${name} ${source} $<TARGET_OBJECTS:fuzz_main>)
  target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer -Wl,--wrap=LLVMFuzzerTestOneInput)
  target_link_libraries(fuzz_${name} PRIVATE ${ARG_DEPENDS} fabric_options)
  target_include_directories(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(fuzz_${name} PRIVATE FABRIC_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(FABRIC_PRECOMPILE)
    target_precompile_headers(fuzz_${name} REUSE_FROM fabric_precompiled_standard)
  endif()
  add_test(NAME fuzz.${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/fuzz/run.sh $<TARGET_FILE:fuzz_${name}> ${corpus})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS "fuzz" TIMEOUT 1200)
endfunction()
