#pragma once

#include "actors/sha256.hpp"
#include "http/message.hpp"

#include <caf/expected.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notify::http {

/// The roles' names, as in files and on command lines: `viewer` and `operator`.
std::string role_name(access role);
std::optional<access> role_of(std::string_view name);

/// Who has a token. Only digests are known, so that the file gives nobody a token.
class token_list {
public:
  /// Reads lines `NAME ROLE SHA-256-IN-HEX`; empty lines and those that begin with # are passed
  /// over. The error (`ec::invalid_config`) names the line, never what stands in it.
  static caf::expected<token_list> parse(std::string_view text);

  /// Reads a file. One that others may write is refused; one that others may read is only worth a
  /// warning, since digests of random tokens tell nothing.
  static caf::expected<token_list> load(const std::string& path);

  /// Whose token this is. Takes the same time whichever it is, and if it is none.
  std::optional<principal> find(std::string_view token) const;

  size_t size() const { return entries_.size(); }

  bool operator==(const token_list&) const = default;

private:
  struct entry {
    principal who;
    sha256_digest digest;

    bool operator==(const entry&) const = default;
  };

  std::vector<entry> entries_;
};

/// A fresh token, 256 bits from the system's generator.
std::string make_token();

/// The line of the file for a token.
std::string token_line(const std::string& name, access role, std::string_view token);

/// Letters, digits and `._@-`, at most 64: fit for logs, the audit log and the file.
bool is_principal_name(std::string_view name);

} // namespace notify::http
