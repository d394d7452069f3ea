# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What this build folder is, in a few lines at the end of the configuration.
message(STATUS "")
message(STATUS "nowait ${PROJECT_VERSION}")
message(STATUS "  compiler      ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
foreach(v IN LISTS NOWAIT_LLVM_VERSIONS)
  message(STATUS "  LLVM ${v}       ${NOWAIT_LLVM_${v}_VERSION} in ${NOWAIT_LLVM_${v}_PREFIX}")
endforeach()
message(STATUS "  libomp        ${NOWAIT_LIBOMP}")
message(STATUS "  CPU device    ${NOWAIT_HOST_TRIPLE}")
message(STATUS "  sanitizers    ${NOWAIT_SANITIZE}")
message(STATUS "  werror        ${NOWAIT_WERROR}")
message(STATUS "  tests ${NOWAIT_BUILD_TESTS}, examples ${NOWAIT_BUILD_EXAMPLES}, benchmarks ${NOWAIT_BUILD_BENCH}")
message(STATUS "  install       ${CMAKE_INSTALL_PREFIX}")
