# Compiler and linker flags that make memory errors harder to exploit. They apply to all targets alike, because
# precompiled headers need identical flags.
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported() # links programs with -pie

add_compile_options(-fstack-protector-strong)
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|i.86)$")
  add_compile_options(-fcf-protection)
  # The linker drops the marks if one object has none, as the C library's start files on Debian. A shadow stack needs no
  # code of theirs, so it is marked nevertheless. Jump targets (IBT) are not: those files have no landing instructions.
  check_linker_flag(CXX "LINKER:-z,shstk" THENCE_HAS_SHADOW_STACK)
  if(THENCE_HAS_SHADOW_STACK)
    add_link_options(LINKER:-z,shstk)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  add_compile_options(-mbranch-protection=standard)
endif()

# Checked variants of memcpy, read and the like. They need optimisation, and sanitizers replace the same functions.
# Level 3 also checks sizes that are known only at run time.
check_cxx_source_compiles("
  #include <features.h>
  #if !__GLIBC_PREREQ(2, 34) || (defined __clang__ && __clang_major__ < 9) || (!defined __clang__ && __GNUC__ < 12)
  #error level 2
  #endif
  int main() {}" THENCE_HAS_FORTIFY_3)
set(level $<IF:$<BOOL:${THENCE_HAS_FORTIFY_3}>,3,2>)
if(NOT THENCE_SANITIZE)
  add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
endif()
