# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian packages by CPack, one for each component of the installation. scripts/debian-packages.sh makes them.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(NOWAIT_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>" CACHE STRING "Maintainer of the Debian packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nowait)
set(CPACK_PACKAGE_VENDOR nowait)
set(CPACK_PACKAGE_CONTACT "${NOWAIT_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where dpkg-shlibdeps looks for what nowait-info links, and what it makes of it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib;${NOWAIT_LIBOMP_DIR}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL runtime dev tools)

# nowait_debian_package(COMPONENT NAME SECTION DEPENDS SUMMARY TEXT)
macro(nowait_debian_package component name section depends summary text)
  string(TOUPPER "${component}" upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}")
  # What policy wants of every package: its licence and its changes.
  set(doc "${CMAKE_INSTALL_DATADIR}/doc/${name}")
  install(FILES "${nowait_staged_dir}/debian/copyright" "${nowait_staged_dir}/debian/changelog.gz"
          DESTINATION "${doc}" COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

file(MAKE_DIRECTORY "${nowait_staged_dir}/debian")
configure_file("${nowait_package_dir}/debian/copyright" "${nowait_staged_dir}/debian/copyright" @ONLY)
configure_file("${nowait_package_dir}/debian/changelog" "${nowait_staged_dir}/debian/changelog" @ONLY)
execute_process(COMMAND gzip -9nf "${nowait_staged_dir}/debian/changelog" COMMAND_ERROR_IS_FATAL ANY)

set(same "(= ${PROJECT_VERSION})")
nowait_debian_package(runtime libnowait0 libs "libomp5-19"
  "OpenMP target regions that do not block: runtime"
  "libnowait stands in for LLVM's libomptarget and runs deferred target
regions on CPU devices and NVIDIA GPUs without a waiting thread.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    "${nowait_package_dir}/debian/shlibs" "${nowait_package_dir}/debian/triggers")
nowait_debian_package(dev libnowait-dev libdevel "libnowait0 ${same}"
  "OpenMP target regions that do not block: development files"
  "Headers, the CMake package and the pkg-config file of nowait.")
nowait_debian_package(tools nowait-tools devel "libnowait0 ${same}"
  "OpenMP target regions that do not block: compiler wrapper and tools"
  "nowait-clang compiles, nowait-run runs existing programs on the runtime,
nowait-info shows devices and settings.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "nowait-clang-19 ${same}")
# Programs that clang runs when it offloads: clang-linker-wrapper, and from LLVM 20 on llvm-offload-binary.
foreach(major IN LISTS NOWAIT_LLVM_VERSIONS)
  list(APPEND CPACK_COMPONENTS_ALL clang-${major})
  install(FILES "${nowait_package_dir}/debian/clang-overrides" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides"
          RENAME nowait-clang-${major} COMPONENT clang-${major} EXCLUDE_FROM_ALL)
  nowait_debian_package(clang-${major} nowait-clang-${major} devel
    "libnowait0 ${same}, clang-${major}, clang-tools-${major}, llvm-${major}, libomp-${NOWAIT_LIBOMP_MAJOR}-dev"
    "OpenMP target regions that do not block: plugin for clang ${major}"
    "The plugin that makes clang ${major} compile deferred target regions for
libnowait; clang loads it with -fplugin.")
endforeach()
include(CPack)
