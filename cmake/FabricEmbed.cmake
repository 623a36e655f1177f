# SPDX-License-Identifier: Apache-2.0
# fabric_embed(<output.cpp> HEADER <header> NAMESPACE <namespace> FUNCTION <name> FILES <files...>): the
# texts of files as one table of {file name, text}, so that the program needs no data files at run time.
# The header declares `const std::vector<schema::EmbeddedFile>& <name>();` in the namespace.
function(fabric_embed output)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  set(text "// Made by cmake/FabricEmbed.cmake.\n#include \"${ARG_HEADER}\"\n\nnamespace ${ARG_NAMESPACE} {\n\n")
  string(APPEND text "// NOLINTNEXTLINE(readability-function-size): as many lines as there are files\n")
  string(APPEND text "const std::vector<schema::EmbeddedFile>& ${ARG_FUNCTION}() {\n")
  string(APPEND text "  static const std::vector<schema::EmbeddedFile> files{\n")
  foreach(file IN LISTS ARG_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" content)
    # Compilers limit one literal; adjacent ones are joined.
    string(LENGTH "${content}" length)
    string(APPEND text "      {\"${name}\",\n")
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${content}" ${at} 15000 part)
      string(APPEND text "R\"fabric(${part})fabric\"\n")
      math(EXPR at "${at} + 15000")
    endwhile()
    string(APPEND text "      },\n")
  endforeach()
  string(APPEND text "  };\n  return files;\n}\n\n}  // namespace ${ARG_NAMESPACE}\n")
  file(CONFIGURE OUTPUT "${output}" CONTENT "@text@" @ONLY)
endfunction()
