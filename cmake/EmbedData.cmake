# thence_embed(TARGET file...): the data files of schema/ compiled into TARGET, reached through
# base/embedded.h. The program needs no file beside it.
function(thence_embed target)
  set(out ${PROJECT_BINARY_DIR}/generated/embedded_data.cpp)
  set(inputs)
  foreach(file ${ARGN})
    list(APPEND inputs ${PROJECT_SOURCE_DIR}/schema/${file})
  endforeach()
  string(REPLACE ";" "," joined "${inputs}")
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DINPUTS=${joined} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
