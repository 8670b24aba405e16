# thence_room(NAME USES room... LIBS lib...): src/NAME as a static library, allowed to see only itself
# and the rooms it uses.
#
# Every room's headers are reached as "room/file.h" through an include folder of its own that holds just
# that room (a symbolic link), so that including a room not declared here fails to build.
if(THENCE_SANITIZE)
  # Checks for null pointers are left out: reading through one ends the program anyway, and they take a third of the
  # time to compile. So are those of object sizes, which see little at this level of optimisation, and of virtual
  # tables, of which there are none.
  add_compile_options(-fsanitize=${THENCE_SANITIZE} -fno-sanitize=null,object-size,vptr -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${THENCE_SANITIZE})
endif()
if(THENCE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(THENCE_TUNABLE)
  add_compile_definitions(THENCE_TUNABLE)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  add_compile_options(-fpch-preprocess) # ccache looks into what is preprocessed
endif()

# The standard headers that most files include, compiled once: they are half of what a small file costs.
add_library(thence_standard_headers OBJECT ${PROJECT_SOURCE_DIR}/cmake/standard_headers.cpp)
target_precompile_headers(thence_standard_headers PRIVATE
  <algorithm> <array> <charconv> <cmath> <cstdint> <cstring> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# Lets `target` use them. A program is compiled with the flags of a library, as they must be the same.
function(thence_standard_headers target)
  target_precompile_headers(${target} REUSE_FROM thence_standard_headers)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()

# Compiles several of its files as one, if that is wanted: what they share is compiled once.
function(thence_unity target)
  if(THENCE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage) # takes the files for headers
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC inlines less in large units: without this, hot functions are up to a sixth slower.
      target_compile_options(${target} PRIVATE --param=large-unit-insns=1000000)
    endif()
  endif()
endfunction()

function(thence_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wno-missing-field-initializers
                                           # False alarms of GCC 12 on std::string.
                                           -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                           -Wno-stringop-overread)
endfunction()

# Lets `target` include the headers of src/NAME as "NAME/file.h", and no other room's.
function(thence_fence target name)
  set(fence ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${fence})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${fence}/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${fence}>)
endfunction()

function(thence_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(thence_${name} STATIC ${sources})
  thence_fence(thence_${name} ${name})
  list(TRANSFORM ROOM_USES PREPEND thence_)
  target_link_libraries(thence_${name} PUBLIC ${ROOM_USES} PRIVATE ${ROOM_LIBS})
  thence_warnings(thence_${name})
  thence_standard_headers(thence_${name})
  thence_unity(thence_${name})
  set_property(GLOBAL APPEND PROPERTY THENCE_ROOMS thence_${name})
endfunction()
