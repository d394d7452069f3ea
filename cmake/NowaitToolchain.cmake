# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiler settings. Targets take them by linking, privately:
#   nowait_warnings    the warnings that the whole tree is free of
#   nowait_hardening   what makes faults harder to exploit; for everything that is installed
#   nowait_sanitizers  the flags of NOWAIT_SANITIZE (empty without it); for the runtime and everything linked with it
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)

add_library(nowait_warnings INTERFACE)
target_compile_options(nowait_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wcast-function-type
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${NOWAIT_WERROR}>:-Werror>)

# The loader binds all symbols at once and then makes their table read-only; no stack is executable; functions with
# arrays check that what lies behind them on the stack is whole. test/tree/elf_files.py reads the files.
add_library(nowait_hardening INTERFACE)
target_compile_options(nowait_hardening INTERFACE -fstack-protector-strong)
target_link_options(nowait_hardening INTERFACE "LINKER:-z,relro" "LINKER:-z,noexecstack"
  $<IF:$<BOOL:$<TARGET_PROPERTY:NOWAIT_BINDS_LATE>>,-Wl$<COMMA>-z$<COMMA>lazy,-Wl$<COMMA>-z$<COMMA>now>)
if(NOT NOWAIT_SANITIZE AND NOT NOWAIT_FUZZ)
  # Checked forms of libc's functions, which need an optimising compiler. Sanitizers know the plain forms only.
  target_compile_options(nowait_hardening INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
endif()

add_library(nowait_sanitizers INTERFACE)
if(NOWAIT_SANITIZE)
  # A report ends the test: without no-sanitize-recover UBSan prints and goes on.
  set(nowait_sanitize_flags -fsanitize=${NOWAIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(nowait_sanitizers INTERFACE ${nowait_sanitize_flags})
  target_link_options(nowait_sanitizers INTERFACE ${nowait_sanitize_flags})
endif()
if(NOWAIT_FUZZ)
  # The engine itself is linked by the fuzz targets alone.
  target_compile_options(nowait_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(nowait_sanitizers INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_package(Threads REQUIRED)
