#include "persistence/sql_error.hpp"

#include "messages/error.hpp"

#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace notify {

namespace {

struct rule {
  std::string_view prefix;
  ec code;
};

// The first match counts, so exceptions stand before their class. What nobody foresaw is
// `storage_unavailable`: the work is kept and tried again, the alarm rings.
constexpr std::array rules{
    rule{"0A000", ec::storage_conflict},    // A cached plan after a migration; prepared anew.
    rule{"25006", ec::storage_unavailable}, // Read-only: a standby, or an administrator's lock.
    rule{"25P02", ec::storage_conflict},    // The guard found a transaction that had failed.
    rule{"25P03", ec::storage_unavailable}, // Idle in transaction for too long: disconnected.
    rule{"26000", ec::storage_unavailable}, // A pooler gave us another server session.
    rule{"57014", ec::storage_conflict},    // statement_timeout, or an administrator's cancel.
    rule{"08", ec::storage_unavailable},    rule{"22", ec::storage_data},
    rule{"23", ec::storage_data},           rule{"25", ec::storage_schema},
    rule{"28", ec::storage_schema},         rule{"3D", ec::storage_schema},
    rule{"3F", ec::storage_schema},         rule{"40", ec::storage_conflict},
    rule{"42", ec::storage_schema},         rule{"53", ec::storage_unavailable},
    rule{"54", ec::storage_data},           rule{"55P03", ec::storage_conflict}, // lock_timeout.
    rule{"57", ec::storage_unavailable},    rule{"58", ec::storage_unavailable},
};

ec code_of(std::string_view sqlstate) {
  auto matches = [&](const rule& x) { return sqlstate.starts_with(x.prefix); };
  auto found = std::find_if(rules.begin(), rules.end(), matches);
  return found != rules.end() ? found->code : ec::storage_unavailable;
}

// The first line holds the primary message; it is cut, since the rest may be anything.
std::string first_line(std::string_view text) {
  constexpr size_t limit = 200;
  text = text.substr(0, text.find('\n'));
  std::string result{text.substr(0, limit)};
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 0x20 || c > 0x7E; }, '?');
  return result;
}

// SOCI puts its own words before the server's.
std::string primary_message(std::string_view text) {
  for (std::string_view marker : {"ERROR:  ", "FATAL:  ", "PANIC:  "})
    if (auto at = text.find(marker); at != std::string_view::npos)
      return first_line(text.substr(at + marker.size()));
  return first_line(text);
}

caf::error from_sqlstate(const soci::postgresql_soci_error& x) {
  auto sqlstate = x.sqlstate();
  if (sqlstate == "     ")
    return caf::make_error(ec::storage_unavailable, std::string{"no answer"});
  auto text = "SQLSTATE " + sqlstate;
  // Data exceptions quote the value they refuse.
  if (!sqlstate.starts_with("22"))
    text += ": " + primary_message(x.get_error_message());
  return caf::make_error(code_of(sqlstate), std::move(text));
}

} // namespace

caf::error classify(const std::exception& x) {
  if (auto* refused = dynamic_cast<const refused_value*>(&x))
    return caf::make_error(ec::storage_data, std::string{refused->what()});
  if (auto* failure = dynamic_cast<const connect_failure*>(&x))
    return caf::make_error(ec::storage_unavailable, first_line(failure->what()));
  if (auto* from_server = dynamic_cast<const soci::postgresql_soci_error*>(&x))
    return from_sqlstate(*from_server);
  // SOCI's own complaints, e.g. about a NULL where none was expected: code and schema disagree.
  if (auto* from_soci = dynamic_cast<const soci::soci_error*>(&x))
    return caf::make_error(ec::storage_schema, first_line(from_soci->get_error_message()));
  return caf::make_error(ec::crashed, first_line(x.what()));
}

} // namespace notify
