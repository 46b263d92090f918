#include "http/token_list.hpp"

#include "messages/error.hpp"
#include "messages/log.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace notify::http {

namespace {

caf::error invalid(const std::string& why) {
  return caf::make_error(ec::invalid_config, why);
}

std::optional<uint8_t> hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return static_cast<uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f')
    return static_cast<uint8_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F')
    return static_cast<uint8_t>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<sha256_digest> digest_of_hex(std::string_view text) {
  sha256_digest result{};
  if (text.size() != 2 * result.size())
    return std::nullopt;
  for (size_t i = 0; i < result.size(); ++i) {
    auto high = hex_digit(text[2 * i]);
    auto low = hex_digit(text[2 * i + 1]);
    if (!high || !low)
      return std::nullopt;
    result[i] = static_cast<uint8_t>(*high * 16 + *low);
  }
  return result;
}

caf::error check_permissions(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    return invalid("cannot read " + path + ": " + std::strerror(errno));
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return invalid(path + " can be written by others, who could let themselves in: chmod 600");
  if ((info.st_mode & S_IROTH) != 0)
    log::warning("http", "everybody can read the file of tokens; chmod 600 is better",
                 {{"file", path}});
  return caf::none;
}

} // namespace

std::string role_name(access role) {
  switch (role) {
  case access::open:
    return "public";
  case access::viewer:
    return "viewer";
  case access::act:
    return "operator";
  }
  return "public";
}

std::optional<access> role_of(std::string_view name) {
  if (name == "viewer")
    return access::viewer;
  if (name == "operator")
    return access::act;
  return std::nullopt;
}

bool is_principal_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && (std::isalnum(byte) != 0 || c == '.' || c == '_' || c == '@' || c == '-');
  });
}

caf::expected<token_list> token_list::parse(std::string_view text) {
  token_list result;
  std::istringstream lines{std::string{text}};
  std::string line;
  for (auto number = 1; std::getline(lines, line); ++number) {
    std::istringstream words{line};
    std::vector<std::string> parts{std::istream_iterator<std::string>{words}, {}};
    if (parts.empty() || parts.front().starts_with('#'))
      continue;
    auto place = "line " + std::to_string(number);
    if (parts.size() != 3)
      return invalid(place + " must be NAME ROLE SHA-256, as 'notifyd token NAME ROLE' prints it");
    auto role = role_of(parts[1]);
    auto digest = digest_of_hex(parts[2]);
    if (!is_principal_name(parts[0]))
      return invalid(place + ": a name has letters, digits and ._@- only, at most 64");
    if (!role)
      return invalid(place + ": the role must be viewer or operator");
    if (!digest)
      return invalid(place + ": the digest must be 64 hex digits");
    auto is_same = [&](const entry& x) { return x.digest == *digest; };
    if (std::any_of(result.entries_.begin(), result.entries_.end(), is_same))
      return invalid(place + ": this token is in another line, too");
    result.entries_.push_back({{parts[0], *role}, *digest});
  }
  return result;
}

caf::expected<token_list> token_list::load(const std::string& path) {
  if (auto err = check_permissions(path))
    return err;
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return invalid("cannot read " + path + ": " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (file.bad())
    return invalid("cannot read " + path);
  auto result = parse(text);
  if (!result)
    return invalid(path + ", " + result.error().context().get_as<std::string>(0));
  return result;
}

std::optional<principal> token_list::find(std::string_view token) const {
  auto digest = sha256(token);
  const entry* found = nullptr;
  // No early end: how long it takes must not tell which entry it was.
  for (const auto& x : entries_)
    if (CRYPTO_memcmp(x.digest.data(), digest.data(), digest.size()) == 0)
      found = &x;
  if (found == nullptr)
    return std::nullopt;
  return found->who;
}

std::string make_token() {
  sha256_digest random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    throw std::runtime_error("the system has no random numbers");
  // The prefix lets scanners for leaked secrets find it.
  return "notifyd_" + to_hex(random);
}

std::string token_line(const std::string& name, access role, std::string_view token) {
  return name + " " + role_name(role) + " " + to_hex(sha256(token));
}

} // namespace notify::http
