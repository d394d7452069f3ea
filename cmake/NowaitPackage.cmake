# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How the builds of others find nowait: a CMake package, pkg-config, clang configuration files, an environment module;
# and Nowait::nowait for a project that has nowait as a subdirectory. Sources are in cmake/package/.
include(CMakePackageConfigHelpers)
include("${CMAKE_CURRENT_LIST_DIR}/package/NowaitTarget.cmake")

set(nowait_package_dir "${CMAKE_CURRENT_LIST_DIR}/package")
set(nowait_staged_dir "${PROJECT_BINARY_DIR}/package")
list(GET NOWAIT_LLVM_VERSIONS 0 NOWAIT_DEFAULT_LLVM)
list(JOIN NOWAIT_LLVM_VERSIONS " " NOWAIT_MAJORS_TEXT)
set(NOWAIT_CONFIG_MAJORS "${NOWAIT_MAJORS_TEXT}")

# Sets variable to the way from one installed folder to another.
function(nowait_relative_path variable from to)
  file(RELATIVE_PATH path "${CMAKE_INSTALL_PREFIX}/${from}" "${CMAKE_INSTALL_PREFIX}/${to}")
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()

# --- CMake ------------------------------------------------------------------------------------------------------------

set(nowait_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Nowait")
configure_package_config_file("${nowait_package_dir}/NowaitConfig.cmake.in" "${nowait_staged_dir}/NowaitConfig.cmake"
  INSTALL_DESTINATION "${nowait_cmake_dir}"
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${nowait_staged_dir}/NowaitConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${nowait_staged_dir}/NowaitConfig.cmake" "${nowait_staged_dir}/NowaitConfigVersion.cmake"
              "${nowait_package_dir}/NowaitTarget.cmake"
        DESTINATION "${nowait_cmake_dir}" COMPONENT dev)

# For add_subdirectory and FetchContent. The compiler is the surrounding project's, which may have no plugin: then the
# runtime is built all the same, and whoever links Nowait::nowait is told.
nowait_define_target(nowait_user
  LIBDIR "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}" INCLUDEDIR "${PROJECT_SOURCE_DIR}/include"
  LIBOMP_DIR "${NOWAIT_LIBOMP_DIR}" TRIPLE "${NOWAIT_HOST_TRIPLE}" MAJORS ${NOWAIT_LLVM_VERSIONS})
add_library(Nowait::nowait ALIAS nowait_user)
# What users use, without tests, examples and benchmarks.
add_custom_target(product DEPENDS nowait nowait-run nowait-info)
if(TARGET manual-pages)
  add_dependencies(product manual-pages)
endif()
foreach(major IN LISTS NOWAIT_LLVM_VERSIONS)
  add_dependencies(product nowait-plugin-clang-${major} nowait-plugin-pass-${major})
endforeach()
add_dependencies(nowait_user product)
if(NOT PROJECT_IS_TOP_LEVEL AND NOT Nowait_LANGUAGES)
  message(WARNING "Nowait::nowait: ${Nowait_REASON}")
endif()

# --- pkg-config -------------------------------------------------------------------------------------------------------

set(nowait_pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
nowait_relative_path(NOWAIT_PC_TO_PREFIX "${nowait_pc_dir}" ".")
configure_file("${nowait_package_dir}/nowait.pc.in" "${nowait_staged_dir}/nowait.pc" @ONLY)
install(FILES "${nowait_staged_dir}/nowait.pc" DESTINATION "${nowait_pc_dir}" COMPONENT dev)

# --- clang's configuration files --------------------------------------------------------------------------------------

foreach(major IN LISTS NOWAIT_LLVM_VERSIONS)
  set(nowait_cfg_dir "${CMAKE_INSTALL_LIBDIR}/nowait/clang-${major}")
  nowait_relative_path(NOWAIT_CFG_TO_LIB "${nowait_cfg_dir}" "${CMAKE_INSTALL_LIBDIR}")
  nowait_relative_path(NOWAIT_CFG_TO_INCLUDE "${nowait_cfg_dir}" "${CMAKE_INSTALL_INCLUDEDIR}")
  configure_file("${nowait_package_dir}/nowait.cfg.in" "${nowait_staged_dir}/clang-${major}/nowait.cfg" @ONLY)
  install(FILES "${nowait_staged_dir}/clang-${major}/nowait.cfg" DESTINATION "${nowait_cfg_dir}"
          COMPONENT clang-${major})
endforeach()

# --- environment module -----------------------------------------------------------------------------------------------

set(nowait_module_dir "${CMAKE_INSTALL_DATADIR}/nowait/modulefiles")
nowait_relative_path(NOWAIT_MODULE_TO_PREFIX "${nowait_module_dir}" ".")
configure_file("${nowait_package_dir}/modulefile.in" "${nowait_staged_dir}/nowait" @ONLY)
install(FILES "${nowait_staged_dir}/nowait" DESTINATION "${nowait_module_dir}" COMPONENT tools)
