# thence_embed(TARGET file...): the data files of schema/, and files given by absolute paths, compiled into TARGET,
# reached through base/embedded.h. The program needs no file beside it.
function(thence_embed target)
  set(out ${PROJECT_BINARY_DIR}/generated/embedded_data.cpp)
  set(inputs)
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/schema OUTPUT_VARIABLE path)
    list(APPEND inputs ${path})
  endforeach()
  string(REPLACE ";" "," joined "${inputs}")
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DINPUTS=${joined} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
