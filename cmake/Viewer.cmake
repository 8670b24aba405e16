# Sets THENCE_PAGE: the files of the viewer's page, packed as base/packed_text.h reads them. They are built from viewer/
# with node, once for all build folders. Without node, or before tools/setup installed the packages of the page, the list
# is empty, and `thence view` reports that the page is missing.
option(THENCE_VIEWER "Build the page of `thence view` and `thence report`, if node and its packages are there" ON)
set(THENCE_PAGE)
find_program(NODE_PROGRAM node)
if(NOT THENCE_VIEWER OR NOT NODE_PROGRAM OR NOT EXISTS ${PROJECT_SOURCE_DIR}/viewer/node_modules)
  message(STATUS "The page of `thence view` is left out: run tools/setup build, then configure again")
  return()
endif()
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
foreach(name index.html app.js app.css report.html)
  list(APPEND THENCE_PAGE ${PROJECT_BINARY_DIR}/viewer/${name}.packed)
endforeach()
add_custom_command(
  OUTPUT ${THENCE_PAGE}
  COMMAND ${NODE_PROGRAM} ${PROJECT_SOURCE_DIR}/viewer/scripts/build.mjs ${PROJECT_BINARY_DIR}/viewer
  DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/viewer/scripts/build.mjs ${PROJECT_SOURCE_DIR}/viewer/vite.config.ts
          ${PROJECT_SOURCE_DIR}/viewer/index.html ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
  COMMENT "Building the page of the viewer"
  VERBATIM)
