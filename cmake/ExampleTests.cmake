# Runs each example on the tiny model, and checks its exit code and what it prints.
function(thence_example_test name code expected)
  add_test(NAME example_${name} COMMAND ${CMAKE_COMMAND} -D "ARGUMENTS=${ARGN}" -D CODE=${code} -D "EXPECTED=${expected}"
           -D PROGRAM=$<TARGET_FILE:thence_example_${name}> -P ${PROJECT_SOURCE_DIR}/cmake/run_example.cmake
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/examples)
endfunction()

set(out ${PROJECT_BINARY_DIR}/examples)
file(MAKE_DIRECTORY ${out})
thence_example_test(where 0 "Gather /embed/Gather <- embed\n" tiny.onnx)
thence_example_test(explain 0 "layers.0.fc" tiny.onnx /layers.0/fc/MatMul)
thence_example_test(modules 0 "layers.0.fc torch.nn.modules.linear.Linear 2\n" tiny.onnx tiny.capture.json)
thence_example_test(initializers 0 "onnx::MatMul_31 <- layers.0.fc.weight" tiny.onnx)
thence_example_test(query 0 "/layers.1/fc/MatMul\n" tiny.onnx layers.1 MatMul)
thence_example_test(tag 0 "11 of 11 nodes tagged" tiny.onnx ${out}/tagged.onnx)
thence_example_test(transfer 0 "/head/Gemm <- head by transferred\n" tiny.onnx tiny.onnx)
thence_example_test(diff 0 "0 differences" tiny.onnx tiny.onnx)
thence_example_test(extract 0 "output layers.0.output\n" tiny.onnx layers.0 ${out}/layer.onnx)
