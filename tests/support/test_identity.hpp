#pragma once

#include <string>

namespace notify::test {

/// A fresh key and a self-signed certificate for one host, as PEM files in a folder of their own
/// that goes away with this object.
class test_identity {
public:
  /// `name` is a DNS name, or an address with `IP:` before it.
  explicit test_identity(const std::string& name);
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
