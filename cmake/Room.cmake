# thence_room(NAME USES room... LIBS lib...): src/NAME as a static library, allowed to see only itself
# and the rooms it uses.
#
# Every room's headers are reached as "room/file.h" through an include folder of its own that holds just
# that room (a symbolic link), so that including a room not declared here fails to build.
if(THENCE_SANITIZE)
  add_compile_options(-fsanitize=${THENCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${THENCE_SANITIZE})
endif()
if(THENCE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

function(thence_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wno-missing-field-initializers
                                           -Wno-restrict) # false alarms of GCC 12 on std::string's operator+
endfunction()

# Lets `target` include fmt's headers; src/base/fmt_library.cpp is the code behind them.
function(thence_fmt target)
  target_include_directories(${target} SYSTEM PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
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
  thence_fmt(thence_${name})
  thence_warnings(thence_${name})
  set_property(GLOBAL APPEND PROPERTY THENCE_ROOMS thence_${name})
endfunction()
