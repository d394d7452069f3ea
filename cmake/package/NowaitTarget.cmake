# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# nowait_define_target(<name> LIBDIR <folder> INCLUDEDIR <folder> LIBOMP_DIR <folder> TRIPLE <device> MAJORS <major>...)
#
# Defines the interface library <name>, which gives what links it the plugin of its compiler, the device to compile for
# and the runtime. Installed beside NowaitConfig.cmake, and used by the build itself for add_subdirectory, so that both
# ways in give the same flags. A language whose compiler has no plugin gets nothing. Sets in the caller's scope
#   Nowait_LANGUAGES   the languages (C, CXX) that get flags
#   Nowait_REASON      if there are none, why, in words
# NOWAIT_OFFLOAD_ARCH (sm_90, native, ...) makes it compile for such GPUs instead of the CPU device.
function(nowait_define_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIBDIR;INCLUDEDIR;LIBOMP_DIR;TRIPLE" "MAJORS")
  get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(languages "")
  set(refused "")
  add_library(${name} INTERFACE)

  if(NOWAIT_OFFLOAD_ARCH)
    set(openmp -fopenmp "--offload-arch=${NOWAIT_OFFLOAD_ARCH}")
  else()
    set(openmp -fopenmp "-fopenmp-targets=${arg_TRIPLE}")
  endif()

  foreach(language IN ITEMS C CXX)
    if(NOT language IN_LIST enabled)
      continue()
    endif()
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_${language}_COMPILER_VERSION}")
    if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang" OR NOT major IN_LIST arg_MAJORS)
      list(APPEND refused "the ${language} compiler is ${CMAKE_${language}_COMPILER_ID} \
${CMAKE_${language}_COMPILER_VERSION} (${CMAKE_${language}_COMPILER})")
      continue()
    endif()
    list(APPEND languages ${language})
    set(options ${openmp} "-fplugin=${arg_LIBDIR}/nowait-clang-${major}.so")
    if(EXISTS "${arg_LIBDIR}/nowait/include-${major}")
      # An omp.h for a clang that comes without one; looked at last.
      list(APPEND options "-idirafter${arg_LIBDIR}/nowait/include-${major}")
    endif()
    if(NOWAIT_OFFLOAD_ARCH MATCHES "sm_|native" AND major EQUAL 19 AND EXISTS "/usr/lib/llvm-19/lib")
      # Debian's clang 19 does not look where Debian puts the device runtime. A native GPU may be another maker's.
      list(APPEND options "SHELL:--start-no-unused-arguments --libomptarget-nvptx-bc-path=/usr/lib/llvm-19/lib \
--end-no-unused-arguments")
    endif()
    foreach(option IN LISTS options)
      target_compile_options(${name} INTERFACE "$<$<COMPILE_LANGUAGE:${language}>:${option}>")
    endforeach()
    foreach(option IN LISTS openmp)
      target_link_options(${name} INTERFACE "$<$<LINK_LANGUAGE:${language}>:${option}>")
    endforeach()
  endforeach()

  # As options, not as libraries, since they must come before libomp, which -fopenmp adds, in every program; and both
  # must stay even if a linker thinks that nothing needs them.
  target_link_options(${name} INTERFACE
    "-L${arg_LIBDIR}/nowait/compat" "LINKER:--push-state,--no-as-needed" -lnowait -lomp "LINKER:--pop-state"
    "SHELL:-Xlinker -rpath -Xlinker \"${arg_LIBDIR}\"" "SHELL:-Xlinker -rpath -Xlinker \"${arg_LIBOMP_DIR}\"")
  target_include_directories(${name} INTERFACE "${arg_INCLUDEDIR}")

  list(GET arg_MAJORS 0 first)
  list(JOIN arg_MAJORS " and " majors)
  list(JOIN refused "; " refused)
  set(Nowait_LANGUAGES "${languages}" PARENT_SCOPE)
  set(Nowait_REASON "nowait has plugins for clang ${majors}, but ${refused}. Configure a fresh build folder with \
-DCMAKE_C_COMPILER and -DCMAKE_CXX_COMPILER, for example clang-${first} and clang++-${first}" PARENT_SCOPE)
endfunction()
