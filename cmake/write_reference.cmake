# SPDX-License-Identifier: Apache-2.0
# Writes manual pages and completion by asking the program: cmake -DFABRIC=... -DOUTPUT=... -P write_reference.cmake
function(ask result)
  execute_process(COMMAND "${FABRIC}" -q completion ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# A page that is not in this version any more must not be installed.
file(REMOVE_RECURSE "${OUTPUT}")
file(MAKE_DIRECTORY "${OUTPUT}/man1" "${OUTPUT}/completion")
function(ask_into file)
  execute_process(COMMAND "${FABRIC}" -q completion ${ARGN} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(shell bash zsh fish)
  ask_into("${OUTPUT}/completion/${shell}" ${shell})
endforeach()
ask_into("${OUTPUT}/man1/fabric.1" man)
ask(page man)
string(REGEX MATCHALL "fabric\\\\-[a-z]+" verbs "${page}")
list(REMOVE_DUPLICATES verbs)
foreach(verb IN LISTS verbs)
  string(REPLACE "fabric\\-" "" verb "${verb}")
  ask_into("${OUTPUT}/man1/fabric-${verb}.1" man ${verb})
endforeach()
# Debian wants them compressed, without a time in them.
find_program(GZIP gzip)
if(GZIP)
  file(GLOB pages "${OUTPUT}/man1/*.1")
  execute_process(COMMAND "${GZIP}" -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
file(TOUCH "${OUTPUT}/written")
