# SPDX-License-Identifier: Apache-2.0
# What is installed, and the package that CPack makes of it. Manual pages and completion are written by the program
# itself, so they need it built: `cmake --build DIR --target fabric fabric_reference`, then `cmake --install DIR` or `cpack`.
include(GNUInstallDirs)

set(reference "${PROJECT_BINARY_DIR}/reference")
add_custom_command(OUTPUT "${reference}/written"
  COMMAND ${CMAKE_COMMAND} -DFABRIC=$<TARGET_FILE:fabric> -DOUTPUT=${reference} -P "${PROJECT_SOURCE_DIR}/cmake/write_reference.cmake"
  DEPENDS fabric "${PROJECT_SOURCE_DIR}/cmake/write_reference.cmake" VERBATIM)
add_custom_target(fabric_reference DEPENDS "${reference}/written")

install(TARGETS fabric)
install(DIRECTORY "${reference}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(FILES "${reference}/completion/bash" RENAME fabric DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${reference}/completion/zsh" RENAME _fabric DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${reference}/completion/fish" RENAME fabric.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES schemas/fabric.schema.json schemas/lab.schema.json schemas/plan.schema.json schemas/drift.schema.json schemas/facts.schema.json
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fabric/schemas")
# The name of the package, as Debian has it: `fabric` is another program there.
set(CPACK_PACKAGE_NAME fabric-rdma)
set(CMAKE_INSTALL_DOCDIR "${CMAKE_INSTALL_DATADIR}/doc/${CPACK_PACKAGE_NAME}")
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DOCDIR}" USE_SOURCE_PERMISSIONS PATTERN try.sh EXCLUDE PATTERN .fabric EXCLUDE)
install(FILES README.md CHANGELOG.md LICENSE packaging/copyright DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The authors of fabric")
set(CPACK_PACKAGE_CONTACT "The authors of fabric <fabric@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "infrastructure as code for RDMA fabrics")
set(CPACK_PACKAGE_DESCRIPTION
  "One YAML document describes hosts, cards, cables and networks for InfiniBand, RoCE and host chaining.
fabric plans what differs, applies it over SSH wave by wave with rollback, and verifies cables and paths.
A lab of simulated hosts behind real SSH is part of it.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, infiniband-diags, bash-completion")
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_RPM_PACKAGE_GROUP "System Environment/Base")
include(CPack)
