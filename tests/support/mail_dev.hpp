#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace notify::test {

/// A mail as MailDev parsed it.
struct seen_mail {
  std::string message_id; ///< Without angle brackets.
  std::string from;
  std::string from_name;
  std::string to;
  std::string subject;
  std::string text;
  std::string html;
};

/// The MailDev server that the environment names: NOTIFY_TEST_SMTP (host:port) takes mail,
/// NOTIFY_TEST_MAILDEV (http://host:port) shows it. Throws if one is missing.
class mail_dev {
public:
  mail_dev();

  const std::string& smtp_host() const { return smtp_host_; }
  uint16_t smtp_port() const { return smtp_port_; }

  /// Every mail whose Message-ID begins with `prefix`, so that tests can share a server.
  std::vector<seen_mail> mails(const std::string& prefix) const;

private:
  std::string smtp_host_;
  uint16_t smtp_port_ = 0;
  std::string web_host_;
  uint16_t web_port_ = 0;
};

} // namespace notify::test
