# Runs PROGRAM with ARGUMENTS. Fails unless it exits with CODE and its output contains EXPECTED.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors)
string(FIND "${output}" "${EXPECTED}" position)
if(NOT code EQUAL CODE OR position EQUAL -1)
  message(FATAL_ERROR "exit code ${code}, expected ${CODE}; expected '${EXPECTED}' in:\n${output}${errors}")
endif()
