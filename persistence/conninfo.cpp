#include "persistence/conninfo.hpp"

#include "messages/error.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <map>
#include <memory>

namespace notify {

namespace {

using settings = std::map<std::string, std::string>;

template <class Unit>
std::string count(caf::timespan x) {
  return std::to_string(std::chrono::duration_cast<Unit>(x).count());
}

std::string percent_encoded(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (unsigned char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
        || c == '_' || c == '.') {
      result += static_cast<char>(c);
    } else {
      result += '%';
      result += digits[c >> 4];
      result += digits[c & 0xF];
    }
  }
  return result;
}

caf::expected<settings> parse(const std::string& url) {
  char* message = nullptr;
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
      PQconninfoParse(url.c_str(), &message), &PQconninfoFree};
  PQfreemem(message); // It quotes the URL, password included.
  if (!options || url.find('\0') != std::string::npos)
    return caf::make_error(ec::invalid_config, std::string{"postgres.url is malformed"});
  settings result;
  for (auto* option = options.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr)
      result.emplace(option->keyword, option->val);
  return result;
}

} // namespace

caf::expected<std::string> make_conninfo(const postgres_config& config, std::string_view role) {
  auto values = parse(config.url);
  if (!values)
    return values.error();
  if (!config.password.empty())
    (*values)["password"] = config.password;
  (*values)["client_encoding"] = "UTF8"; // What pg_array and every reader of rows expects.
  auto name = config.application_name + "/" + std::string{role};
  values->emplace("application_name", name);
  auto timeout = std::max(config.connect_timeout, caf::timespan{std::chrono::seconds{2}});
  values->emplace("connect_timeout", count<std::chrono::seconds>(timeout));
  values->emplace("keepalives_idle", "10");
  values->emplace("keepalives_interval", "5");
  values->emplace("keepalives_count", "3");
  if (config.statement_timeout.count() > 0)
    values->emplace("tcp_user_timeout", count<std::chrono::milliseconds>(config.statement_timeout));
  // After a failover the old primary must not take us back.
  values->emplace("target_session_attrs", "read-write");
  std::string url = "postgresql://";
  auto separator = '?';
  for (auto& [key, value] : *values) {
    url += separator + key + "=" + percent_encoded(value);
    separator = '&';
  }
  return url;
}

} // namespace notify
