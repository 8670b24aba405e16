# One program for each function of the C++ API.
set(THENCE_EXAMPLES "")
foreach(name where explain modules initializers query tag transfer diff extract)
  add_executable(thence_example_${name} examples/${name}.cpp)
  target_link_libraries(thence_example_${name} PRIVATE thence_api)
  target_compile_options(thence_example_${name} PRIVATE $<$<CONFIG:Release>:-O1>) # the work is in the rooms
  thence_warnings(thence_example_${name})
  list(APPEND THENCE_EXAMPLES thence_example_${name})
endforeach()
