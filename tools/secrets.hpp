#pragma once

#include <caf/expected.hpp>

#include <optional>
#include <string>
#include <vector>

// Passwords in settings: where they may stand, and how they are kept out of sight.

namespace notify {

/// What is shown instead of a secret.
inline constexpr const char* secret_mask = "***";

/// A connection URL apart from its password.
struct database_url {
  std::string url; ///< Without the password.
  std::optional<std::string> password;
};

/// Takes the password out of a libpq URL: out of `user:password@` and of `?password=`. Other secret
/// parameters (`sslpassword`) stay.
database_url split_password(const std::string& url);

/// The URL with every password replaced by `***`.
std::string mask_url(const std::string& url);

/// What is wrong with a database URL; nothing if it is one. Never repeats the URL.
std::optional<std::string> check_database_url(const std::string& url);

/// True for librdkafka properties whose value is a secret, e.g. `sasl.password`.
bool is_secret_property(const std::string& name);

/// `name=value` with the value replaced by `***` if the name is a secret one.
std::string mask_property(const std::string& name_and_value);

/// The first line of a file. The error says why there is none: missing, empty, not readable.
caf::expected<std::string> read_secret_file(const std::string& path);

/// The lines of a file that are not empty; an error if there are none.
caf::expected<std::vector<std::string>> read_secret_lines(const std::string& path);

/// The words of a text between blanks, e.g. of an environment variable with several secrets.
std::vector<std::string> split_words(const std::string& text);

} // namespace notify
