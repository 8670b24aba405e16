# What `cmake --install` puts where, so that others can find_package(thence) and link thence::thence.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY THENCE_ROOMS)
add_library(thence_thence INTERFACE)
set_target_properties(thence_thence PROPERTIES EXPORT_NAME thence)
target_link_libraries(thence_thence INTERFACE thence_api)
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/thence)

install(TARGETS thence RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${rooms} thence_thence EXPORT thence ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/thence DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT thence NAMESPACE thence:: FILE thenceTargets.cmake DESTINATION ${config})
configure_package_config_file(cmake/thenceConfig.cmake.in ${PROJECT_BINARY_DIR}/thenceConfig.cmake
                              INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/thenceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thenceConfig.cmake ${PROJECT_BINARY_DIR}/thenceConfigVersion.cmake
        DESTINATION ${config})
