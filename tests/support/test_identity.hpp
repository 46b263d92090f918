#pragma once

#include <string>

namespace notify::test {

class test_identity;

/// What is special about a certificate.
struct certificate_traits {
  bool is_expired = false;
  const test_identity* issuer = nullptr; ///< Null: self-signed.
};

/// A fresh key and a certificate for one host, as PEM files in a folder of their own that goes
/// away with this object. Each may also vouch for others.
class test_identity {
public:
  /// `name` is a DNS name, or an address with `IP:` before it.
  explicit test_identity(const std::string& name, const certificate_traits& traits = {});
  ~test_identity();

  test_identity(const test_identity&) = delete;
  test_identity& operator=(const test_identity&) = delete;

  const std::string& certificate_file() const { return certificate_file_; }
  const std::string& key_file() const { return key_file_; }

private:
  std::string folder_;
  std::string certificate_file_;
  std::string key_file_;
};

} // namespace notify::test
