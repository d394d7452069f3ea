# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Options of the build, where its products go, and the defaults of a top-level build.
include(GNUInstallDirs)

option(NOWAIT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(NOWAIT_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(NOWAIT_BUILD_BENCH "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(NOWAIT_TEST_EVERYTHING "Run the end-to-end programs in every mode on each LLVM, all on the emulated GPU too" OFF)
option(NOWAIT_WERROR "Treat warnings as errors" OFF)
set(NOWAIT_SANITIZE "" CACHE STRING "Sanitizers for the runtime and its tests: empty, address,undefined or thread")
set_property(CACHE NOWAIT_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")
option(NOWAIT_FUZZ "Build the fuzz targets with libFuzzer; needs Clang" OFF)

set(NOWAIT_SUPPORTED_LLVM_VERSIONS 19 22)
# Those that are installed; all of them if none is, so that the message about what is missing names them.
set(nowait_installed_llvm "")
foreach(major IN LISTS NOWAIT_SUPPORTED_LLVM_VERSIONS)
  find_program(nowait_any_config NAMES llvm-config PATHS "/usr/lib/llvm-${major}/bin" NO_DEFAULT_PATH NO_CACHE)
  find_program(nowait_any_config NAMES llvm-config-${major} NO_CACHE)
  if(nowait_any_config OR DEFINED NOWAIT_LLVM_${major}_CONFIG)
    list(APPEND nowait_installed_llvm ${major})
  endif()
  unset(nowait_any_config)
endforeach()
if(NOT nowait_installed_llvm)
  set(nowait_installed_llvm ${NOWAIT_SUPPORTED_LLVM_VERSIONS})
endif()
set(NOWAIT_LLVM_VERSIONS "${nowait_installed_llvm}" CACHE STRING "LLVM majors to build the plugin for")
foreach(major IN LISTS NOWAIT_LLVM_VERSIONS)
  if(NOT major IN_LIST NOWAIT_SUPPORTED_LLVM_VERSIONS)
    message(FATAL_ERROR
            "NOWAIT_LLVM_VERSIONS: ${major} is not supported; choose from ${NOWAIT_SUPPORTED_LLVM_VERSIONS}")
  endif()
endforeach()
if(NOT NOWAIT_SANITIZE MATCHES "^(|address,undefined|thread)$")
  message(FATAL_ERROR "NOWAIT_SANITIZE: '${NOWAIT_SANITIZE}' is not known; choose address,undefined or thread")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# The build tree and the installed tree can both be moved: nothing in them names its own place.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
