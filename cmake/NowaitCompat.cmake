# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# lib/nowait/compat: the runtime under the names of the library that it replaces. Stock clang links -lomptarget and
# existing binaries ask for libomptarget.so.<major>.1; with this folder first on the search path both get the runtime.
# All links are relative, so the tree can be moved.
# lib/nowait/include-<major>: omp.h and omp-tools.h for a clang that comes without them (Debian installs only one
# libomp-*-dev).
set(nowait_runtime_soname libnowait.so.0)
set(nowait_compat_links libomptarget.so ${nowait_runtime_soname} libnowait.so)
foreach(v IN LISTS NOWAIT_SUPPORTED_LLVM_VERSIONS)
  list(APPEND nowait_compat_links libomptarget.so.${v}.1)
endforeach()

set(nowait_private_dir "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/nowait")
file(MAKE_DIRECTORY "${nowait_private_dir}/compat")
foreach(name IN LISTS nowait_compat_links)
  file(CREATE_LINK "../../${nowait_runtime_soname}" "${nowait_private_dir}/compat/${name}" SYMBOLIC)
endforeach()
# A link name for the one libomp, alone in a folder: a -L of LLVM's own would offer the user LLVM's other libraries.
file(CREATE_LINK "${NOWAIT_LIBOMP}" "${nowait_private_dir}/compat/libomp.so" SYMBOLIC)
foreach(v IN LISTS NOWAIT_SUPPORTED_LLVM_VERSIONS)
  if(NOT v EQUAL NOWAIT_LIBOMP_MAJOR)
    foreach(NOWAIT_OMP_HEADER IN ITEMS omp.h omp-tools.h)
      configure_file(cmake/omp.h.in "${nowait_private_dir}/include-${v}/${NOWAIT_OMP_HEADER}" @ONLY)
    endforeach()
  endif()
endforeach()

install(DIRECTORY "${nowait_private_dir}/compat" DESTINATION "${CMAKE_INSTALL_LIBDIR}/nowait" COMPONENT runtime)
foreach(v IN LISTS NOWAIT_LLVM_VERSIONS)
  if(NOT v EQUAL NOWAIT_LIBOMP_MAJOR)
    install(DIRECTORY "${nowait_private_dir}/include-${v}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/nowait"
            COMPONENT clang-${v})
  endif()
endforeach()
