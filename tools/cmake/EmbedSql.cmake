# Writes a C++ source that holds SQL files as string literals. Run as a script at build time:
#
#   cmake -DOUTPUT=x.cpp "-DFILES=0001_a.sql;0002_b.sql" -P EmbedSql.cmake
#
# Files are named NNNN_name.sql. A first line `-- no-transaction` makes the migrator run the
# statements one by one, outside of a transaction.
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(stem "${file}" NAME_WE)
  if(NOT stem MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)$")
    message(FATAL_ERROR "${file} is not named NNNN_name.sql")
  endif()
  set(version "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "^0+" "" version "${version}")
  file(READ "${file}" sql)
  file(SHA256 "${file}" checksum)
  string(APPEND entries
    "    {${version}, \"${name}\", \"${checksum}\", R\"sql(${sql})sql\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"persistence/migrations.hpp\"

namespace notify {

std::span<const migration> embedded_migrations() {
  static const migration all[] = {
${entries}  };
  return all;
}

} // namespace notify
")
