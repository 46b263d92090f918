# Locates SOCI's core and PostgreSQL backend and defines SOCI::postgresql.
#
# Debian's libsoci-dev ships CMake files that name every backend; we link two libraries only.
include(FindPackageHandleStandardArgs)

find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_path(PostgreSQL_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
find_library(SOCI_CORE_LIBRARY soci_core)
find_library(SOCI_POSTGRESQL_LIBRARY soci_postgresql)
find_library(PostgreSQL_LIBRARY pq)

find_package_handle_standard_args(SOCI REQUIRED_VARS
  SOCI_CORE_LIBRARY SOCI_POSTGRESQL_LIBRARY SOCI_INCLUDE_DIR
  PostgreSQL_LIBRARY PostgreSQL_INCLUDE_DIR)

if(SOCI_FOUND AND NOT TARGET SOCI::postgresql)
  add_library(SOCI::postgresql INTERFACE IMPORTED)
  set_target_properties(SOCI::postgresql PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${PostgreSQL_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES
      "${SOCI_POSTGRESQL_LIBRARY};${SOCI_CORE_LIBRARY};${PostgreSQL_LIBRARY}")
endif()
