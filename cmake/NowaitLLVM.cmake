# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Finds each LLVM of NOWAIT_LLVM_VERSIONS, libomp, and lit. Several majors live side by side, which find_package(LLVM)
# cannot do in one folder, so llvm-config is asked. For each major V it sets
#   NOWAIT_LLVM_V_PREFIX, _BINDIR, _LIBDIR, _INCLUDEDIR   folders
#   NOWAIT_LLVM_V_CLANG, _CLANGXX, _OPT, _FILECHECK, _NOT  programs
#   NOWAIT_LLVM_V_RTTI                                     ON if LLVM was built with RTTI
# and once
#   NOWAIT_LIBOMP            libomp.so.5 (outside Debian libomp.so) of LLVM 19, which programs of any clang run on
#   NOWAIT_LIBOMP_DIR        its folder
#   NOWAIT_OMP_INCLUDE_DIR   folder with the omp.h that belongs to it
#   NOWAIT_HOST_TRIPLE       the offload triple of the CPU device
#   NOWAIT_LIT               command (a list) that runs lit
# -DNOWAIT_LLVM_V_CONFIG=/path/to/llvm-config overrides the search for major V.

# The major whose libomp is used: Debian lets only one libomp-*-dev be installed, and 19's serves programs of both.
set(NOWAIT_LIBOMP_MAJOR 19)
set(nowait_missing "")

macro(nowait_require_path path package)
  if(NOT EXISTS "${path}")
    list(APPEND nowait_missing "${package}")
    message(STATUS "missing: ${path}")
  endif()
endmacro()

foreach(v IN LISTS NOWAIT_LLVM_VERSIONS)
  find_program(NOWAIT_LLVM_${v}_CONFIG NAMES llvm-config PATHS "/usr/lib/llvm-${v}/bin" NO_DEFAULT_PATH)
  find_program(NOWAIT_LLVM_${v}_CONFIG NAMES llvm-config-${v})
  if(NOT NOWAIT_LLVM_${v}_CONFIG)
    list(APPEND nowait_missing llvm-${v}-dev clang-${v} clang-tools-${v} libclang-${v}-dev llvm-${v}-tools)
    message(STATUS "missing: llvm-config-${v}")
    continue()
  endif()
  execute_process(
    COMMAND "${NOWAIT_LLVM_${v}_CONFIG}" --version --prefix --bindir --libdir --includedir --has-rtti --shared-mode
    OUTPUT_VARIABLE nowait_llvm_answers OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" nowait_llvm_answers "${nowait_llvm_answers}")
  list(GET nowait_llvm_answers 0 NOWAIT_LLVM_${v}_VERSION)
  list(GET nowait_llvm_answers 1 NOWAIT_LLVM_${v}_PREFIX)
  list(GET nowait_llvm_answers 2 NOWAIT_LLVM_${v}_BINDIR)
  list(GET nowait_llvm_answers 3 NOWAIT_LLVM_${v}_LIBDIR)
  list(GET nowait_llvm_answers 4 NOWAIT_LLVM_${v}_INCLUDEDIR)
  list(GET nowait_llvm_answers 5 nowait_llvm_rtti)
  list(GET nowait_llvm_answers 6 nowait_llvm_mode)
  string(COMPARE EQUAL "${nowait_llvm_rtti}" YES NOWAIT_LLVM_${v}_RTTI)
  if(NOT NOWAIT_LLVM_${v}_VERSION MATCHES "^${v}\\.")
    message(FATAL_ERROR "${NOWAIT_LLVM_${v}_CONFIG} is LLVM ${NOWAIT_LLVM_${v}_VERSION}, not ${v}: "
                        "set NOWAIT_LLVM_${v}_CONFIG to the llvm-config of LLVM ${v}")
  endif()
  if(NOT nowait_llvm_mode STREQUAL "shared")
    message(WARNING "LLVM ${v} is not linked as a shared library: the plugin takes LLVM-C functions from clang itself, "
                    "and a static clang may lack some of them")
  endif()

  set(NOWAIT_LLVM_${v}_CLANG "${NOWAIT_LLVM_${v}_BINDIR}/clang")
  set(NOWAIT_LLVM_${v}_CLANGXX "${NOWAIT_LLVM_${v}_BINDIR}/clang++")
  set(NOWAIT_LLVM_${v}_OPT "${NOWAIT_LLVM_${v}_BINDIR}/opt")
  set(NOWAIT_LLVM_${v}_FILECHECK "${NOWAIT_LLVM_${v}_BINDIR}/FileCheck")
  set(NOWAIT_LLVM_${v}_NOT "${NOWAIT_LLVM_${v}_BINDIR}/not")
  nowait_require_path("${NOWAIT_LLVM_${v}_CLANG}" clang-${v})
  nowait_require_path("${NOWAIT_LLVM_${v}_OPT}" llvm-${v})
  nowait_require_path("${NOWAIT_LLVM_${v}_INCLUDEDIR}/llvm-c/Core.h" llvm-${v}-dev)
  nowait_require_path("${NOWAIT_LLVM_${v}_INCLUDEDIR}/clang/Frontend/FrontendPluginRegistry.h" libclang-${v}-dev)
  nowait_require_path("${NOWAIT_LLVM_${v}_BINDIR}/clang-linker-wrapper" clang-tools-${v})
  if(NOWAIT_BUILD_TESTS)
    nowait_require_path("${NOWAIT_LLVM_${v}_FILECHECK}" llvm-${v}-tools)
    nowait_require_path("${NOWAIT_LLVM_${v}_NOT}" llvm-${v}-tools)
  endif()
endforeach()

find_library(NOWAIT_LIBOMP NAMES libomp.so.5 libomp.so
             PATHS "/usr/lib/llvm-${NOWAIT_LIBOMP_MAJOR}/lib" "${NOWAIT_LLVM_${NOWAIT_LIBOMP_MAJOR}_LIBDIR}"
             NO_DEFAULT_PATH)
find_path(NOWAIT_OMP_INCLUDE_DIR NAMES omp.h
          PATHS "/usr/lib/llvm-${NOWAIT_LIBOMP_MAJOR}/lib/clang/${NOWAIT_LIBOMP_MAJOR}/include"
                "${NOWAIT_LLVM_${NOWAIT_LIBOMP_MAJOR}_LIBDIR}/clang/${NOWAIT_LIBOMP_MAJOR}/include"
          NO_DEFAULT_PATH)
if(NOT NOWAIT_LIBOMP OR NOT NOWAIT_OMP_INCLUDE_DIR)
  list(APPEND nowait_missing libomp-${NOWAIT_LIBOMP_MAJOR}-dev)
  message(STATUS "missing: libomp.so.5 and omp.h of LLVM ${NOWAIT_LIBOMP_MAJOR}")
endif()
cmake_path(GET NOWAIT_LIBOMP PARENT_PATH NOWAIT_LIBOMP_DIR)

if(NOWAIT_BUILD_TESTS)
  find_package(Python3 COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    list(APPEND nowait_missing python3)
  endif()
  # One lit serves every LLVM: Debian ships it at a different place with each.
  find_file(NOWAIT_LIT_SCRIPT NAMES lit lit.py llvm-lit
            PATHS /usr/lib/llvm-22/bin /usr/lib/llvm-19/build/utils/lit NO_DEFAULT_PATH)
  find_program(NOWAIT_LIT_SCRIPT NAMES lit llvm-lit)
  if(NOWAIT_LIT_SCRIPT)
    set(NOWAIT_LIT "${Python3_EXECUTABLE}" "${NOWAIT_LIT_SCRIPT}")
  else()
    list(APPEND nowait_missing llvm-22-tools)
    message(STATUS "missing: lit")
  endif()
endif()

if(nowait_missing)
  list(REMOVE_DUPLICATES nowait_missing)
  list(JOIN nowait_missing " " nowait_missing)
  message(FATAL_ERROR "nowait needs packages that are not installed. As root:\n"
                      "  apt-get install ${nowait_missing}\n"
                      "or scripts/install-packages.sh, which installs everything that build and tests need.")
endif()

list(GET NOWAIT_LLVM_VERSIONS 0 nowait_first_llvm)
execute_process(COMMAND "${NOWAIT_LLVM_${nowait_first_llvm}_CLANG}" -print-target-triple
                OUTPUT_VARIABLE NOWAIT_HOST_TRIPLE OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
