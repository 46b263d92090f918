#include "tools/secrets.hpp"

#include "messages/error.hpp"
#include "messages/hex.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace notify {

namespace {

/// A secret's place in a URL.
struct span {
  size_t begin = 0;
  size_t size = 0;
  bool is_password = true; ///< The database's own, not that of a key file.
};

std::string percent_decoded(std::string_view x) {
  std::string result;
  for (size_t i = 0; i < x.size(); ++i) {
    auto high = i + 2 < x.size() ? hex_value(x[i + 1]) : -1;
    auto low = i + 2 < x.size() ? hex_value(x[i + 2]) : -1;
    if (x[i] == '%' && high >= 0 && low >= 0) {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      result += x[i];
    }
  }
  return result;
}

/// libpq reads `user:password@` up to the first '@' that has no '/' before it.
void find_in_authority(const std::string& url, size_t begin, std::vector<span>& out) {
  auto at = url.find_first_of("@/", begin);
  if (at == std::string::npos || url[at] != '@')
    return;
  auto colon = url.find(':', begin);
  if (colon < at)
    out.push_back({colon + 1, at - colon - 1});
}

void find_in_query(const std::string& url, size_t begin, std::vector<span>& out) {
  auto mark = url.find('?', begin);
  while (mark != std::string::npos) {
    auto first = mark + 1;
    auto equals = url.find_first_of("=&", first);
    mark = url.find('&', first);
    if (equals == std::string::npos || url[equals] != '=')
      continue;
    auto name = percent_decoded(std::string_view{url}.substr(first, equals - first));
    auto end = mark == std::string::npos ? url.size() : mark;
    if (name == "password" || name == "sslpassword")
      out.push_back({equals + 1, end - equals - 1, name == "password"});
  }
}

/// In ascending order.
std::vector<span> secrets_in(const std::string& url) {
  std::vector<span> result;
  auto scheme = url.find("://");
  auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  find_in_authority(url, begin, result);
  // A password may contain '?': the query starts behind it.
  auto after = result.empty() ? begin : result.back().begin + result.back().size;
  find_in_query(url, after, result);
  return result;
}

/// Removes the secret together with the ':' or the parameter's name that leads to it.
void erase_password(std::string& url, const span& x) {
  if (url[x.begin - 1] == ':') {
    url.erase(x.begin - 1, x.size + 1);
    return;
  }
  auto first = url.find_last_of("?&", x.begin);
  auto end = x.begin + x.size;
  if (end < url.size()) // Another parameter follows and takes over this one's '?' or '&'.
    url.erase(first + 1, end - first);
  else
    url.erase(first);
}

/// All lines of a file, without their ends.
caf::expected<std::vector<std::string>> read_lines(const std::string& path) {
  std::ifstream file{path};
  if (!file)
    return caf::make_error(ec::invalid_config, "cannot read " + path + ": " + std::strerror(errno));
  std::vector<std::string> result;
  for (std::string line; std::getline(file, line); result.push_back(line))
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
  if (file.bad())
    return caf::make_error(ec::invalid_config, "cannot read " + path);
  return result;
}

} // namespace

database_url split_password(const std::string& url) {
  database_url result{url, std::nullopt};
  auto spans = secrets_in(url);
  for (auto i = spans.rbegin(); i != spans.rend(); ++i) {
    if (!i->is_password)
      continue;
    // The last one counts, as with libpq.
    if (!result.password)
      result.password = percent_decoded(std::string_view{url}.substr(i->begin, i->size));
    erase_password(result.url, *i);
  }
  if (result.password && result.password->empty())
    result.password.reset();
  return result;
}

std::string mask_url(const std::string& url) {
  auto result = url;
  auto spans = secrets_in(url);
  for (auto i = spans.rbegin(); i != spans.rend(); ++i)
    if (i->size > 0)
      result.replace(i->begin, i->size, secret_mask);
  return result;
}

std::optional<std::string> check_database_url(const std::string& url) {
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://"))
    return "must begin with postgresql://, e.g. postgresql://notify@db.example:5432/notify";
  if (url.find_first_of(" \t\r\n") != std::string::npos)
    return "must not contain blanks; write %20 instead";
  return std::nullopt;
}

bool is_secret_property(const std::string& name) {
  constexpr std::array<std::string_view, 6> parts{"password",  "secret", "key.pem",
                                                  "sasl.jaas", "token",  "oauthbearer.config"};
  for (auto part : parts)
    if (name.find(part) != std::string::npos)
      return name != "sasl.oauthbearer.token.endpoint.url";
  return false;
}

std::string mask_property(const std::string& name_and_value) {
  auto name = name_and_value.substr(0, name_and_value.find('='));
  if (name.size() == name_and_value.size() || !is_secret_property(name))
    return name_and_value;
  return name + "=" + secret_mask;
}

caf::expected<std::string> read_secret_file(const std::string& path) {
  auto lines = read_lines(path);
  if (!lines)
    return std::move(lines.error());
  if (lines->empty() || lines->front().empty())
    return caf::make_error(ec::invalid_config, path + " is empty; its first line is the password");
  return std::move(lines->front());
}

caf::expected<std::vector<std::string>> read_secret_lines(const std::string& path) {
  auto lines = read_lines(path);
  if (!lines)
    return std::move(lines.error());
  std::erase(*lines, std::string{});
  if (lines->empty())
    return caf::make_error(ec::invalid_config, path + " is empty; each line is a secret");
  return std::move(*lines);
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in{text};
  return {std::istream_iterator<std::string>{in}, {}};
}

} // namespace notify
