# SPDX-License-Identifier: Apache-2.0
# The one place where compiler behaviour is decided. Every fabric target links fabric_options.
add_library(fabric_options INTERFACE)
target_compile_features(fabric_options INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)

option(FABRIC_WERROR "Warnings are errors" OFF)
option(FABRIC_FUZZ "Build tests/fuzz as libFuzzer programs (clang)" OFF)
option(FABRIC_PRECOMPILE "Precompile the standard headers (off where each file must prove its own includes)" ON)
option(FABRIC_UNITY "Compile many files at a time (off where each file must prove its own includes)" OFF)
option(FABRIC_CLANG_TIDY "Run clang-tidy while compiling" OFF)
set(FABRIC_HOT_OPTIONS "" CACHE STRING "What layers marked HOT are compiled with besides")
option(FABRIC_PLAIN_LAB "Layers marked SIMULATED are not instrumented: simulated machines run for most of the tests' time" OFF)
set(FABRIC_SANITIZE "" CACHE STRING "Comma-separated sanitizers: address,undefined | thread")
set(FABRIC_NO_SANITIZE "" CACHE STRING "Checks of those that are left out")

target_compile_options(fabric_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wsuggest-override>
  # GCC 12 sees uninitialised members in every moved std::variant and in its own std::function as soon
  # as it optimises, and an overflow in the sum of a short string and a literal; the sanitizers and
  # clang's analyzer watch for the real thing.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-array-bounds>
  $<$<BOOL:${FABRIC_WERROR}>:-Werror>)

# What turns a mistake of memory into the end of the program, as Debian and Fedora build their packages. Checks of the
# standard library hold in every build: they are what the tests and the fuzzers find an empty text's first character by.
option(FABRIC_HARDENING "Stack protector, fortified libc, position independent, relocations read-only" ON)
target_compile_definitions(fabric_options INTERFACE _GLIBCXX_ASSERTIONS)
if(FABRIC_HARDENING)
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
    string(MAKE_C_IDENTIFIER "FABRIC_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    # A sanitizer watches the stack by itself, and each check that is doubled costs time.
    if(${known} AND NOT FABRIC_SANITIZE)
      target_compile_options(fabric_options INTERFACE ${flag})
    endif()
  endforeach()
  # Fortified calls need an optimiser, and hide from AddressSanitizer what they do.
  if(NOT FABRIC_SANITIZE)
    target_compile_options(fabric_options INTERFACE
      $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  endif()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  # The same for libraries and programs: a precompiled header fits only the kind that it was made with.
  set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
  # The tests start an instrumented program some thousand times, and half of each start would be its million relocations.
  set(kind -pie)
  if(FABRIC_SANITIZE MATCHES address AND NOT FABRIC_FUZZ)
    set(kind -no-pie)
  endif()
  target_link_options(fabric_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${kind}> -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

if(FABRIC_SANITIZE)
  # A target with the property FABRIC_PLAIN is not instrumented: see fabric_test_options.
  set(instrumented "$<NOT:$<BOOL:$<TARGET_PROPERTY:FABRIC_PLAIN>>>")
  target_compile_options(fabric_options INTERFACE
    "$<${instrumented}:-fsanitize=${FABRIC_SANITIZE};-fno-sanitize-recover=all>" -fno-omit-frame-pointer)
  target_link_options(fabric_options INTERFACE -fsanitize=${FABRIC_SANITIZE})
  # A quarter of the time that a file takes to compile goes to checks before every use of a pointer. The dev
  # build leaves them out: a null pointer or an object's end is caught by AddressSanitizer as well. So it does the type
  # that each function would carry for calls through pointers, a third of all that is linked. The fuzzers' build has all.
  if(FABRIC_NO_SANITIZE)
    target_compile_options(fabric_options INTERFACE "$<${instrumented}:-fno-sanitize=${FABRIC_NO_SANITIZE}>")
  endif()
endif()
if(FABRIC_UNITY)
  # Thirty programs, most of whose bytes are instrumentation: lld links them in half of the time of gold, and gold in two
  # thirds of the time of the system's linker.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld FABRIC_HAS_LLD)
  check_linker_flag(CXX -fuse-ld=gold FABRIC_HAS_GOLD)
  if(FABRIC_HAS_LLD)
    target_link_options(fabric_options INTERFACE -fuse-ld=lld)
  elseif(FABRIC_HAS_GOLD AND FABRIC_SANITIZE)
    target_link_options(fabric_options INTERFACE -fuse-ld=gold)
  endif()
  # A class in a header whose member has a type of the file's own is meant; GCC asks only when the file is included.
  # And a local name that is another file's global is nobody's mistake.
  target_compile_options(fabric_options INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-shadow> $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()
if(FABRIC_FUZZ)
  target_compile_options(fabric_options INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_definitions(fabric_options INTERFACE FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()

if(FABRIC_CLANG_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy-14 clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${CLANG_TIDY};--quiet")
endif()

if(FABRIC_PRECOMPILE)
  # Targets of their own, so that every layer can use them. {fmt} is in three quarters of the files; GCC takes a
  # precompiled header only with the definitions that it was made with, so the one that {fmt} brings is everybody's.
  target_compile_definitions(fabric_options INTERFACE FMT_SHARED)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/precompiled.cpp" CONTENT "")
  set(standard_headers <algorithm> <chrono> <functional> <map> <memory> <optional> <set> <string> <string_view> <variant>
    <vector> <fmt/format.h>)
  # What stands on these layers includes all of this, and would read it once for each file otherwise.
  set(model_headers ${standard_headers} "${PROJECT_SOURCE_DIR}/engine/model/spec.hpp")
  set(provider_headers ${model_headers} "${PROJECT_SOURCE_DIR}/engine/platform/host_platform.hpp"
    "${PROJECT_SOURCE_DIR}/engine/provider/registry.hpp")
  foreach(headers standard model provider)
    foreach(hot "" _hot _hot_plain)
      set(precompiled fabric_precompiled_${headers}${hot})
      add_library(${precompiled} STATIC EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/precompiled.cpp")
      target_link_libraries(${precompiled} PUBLIC fabric_options)
      target_include_directories(${precompiled} PRIVATE "${PROJECT_SOURCE_DIR}")
      target_precompile_headers(${precompiled} PRIVATE ${${headers}_headers})
      if(hot)
        # A precompiled header fits only the optimisation that it was made with.
        target_compile_options(${precompiled} PRIVATE ${FABRIC_HOT_OPTIONS})
      endif()
      if(hot MATCHES plain)
        set_target_properties(${precompiled} PROPERTIES FABRIC_PLAIN ON)
      endif()
    endforeach()
  endforeach()
endif()
