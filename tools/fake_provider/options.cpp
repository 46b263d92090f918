#include "tools/fake_provider/options.hpp"

#include "tools/fake_provider/digest.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace notify::fake {

namespace {

constexpr auto help = R"(notify-fake-provider: an outside provider that does as it is told

Speaks Resend (POST /emails), Telegram (POST /bot<token>/sendMessage) and, on any other path, a
webhook's receiver on one port, SMTP on another, and takes its script on a control port. Prints one
line of JSON with its ports when it is ready, and runs until SIGTERM or SIGINT.

Usage: notify-fake-provider [OPTION...]

  --address=IP            listen there (default: 127.0.0.1)
  --control-port=N        0: any free one, for all three (default: 0)
  --http-port=N           (default: 0)
  --smtp-port=N           (default: 0)
  --resend-key=KEY        the only API key that is taken; without it any is
  --telegram-token=TOKEN  the only bot token that is taken; without it any is
  --webhook-secret=whsec_BASE64
                          webhooks must be signed with it; may be given several times
  --help                  show this

Exit codes: 0 stopped, 1 failed, 2 wrong usage.

docs/fake-provider.md has the control port's requests and the rules, with examples.
)";

uint16_t read_port(const std::string& name, const std::string& text) {
  unsigned value = 0;
  const auto* end = text.data() + text.size();
  auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc{} || stop != end || value > 65535)
    throw usage_error(name + " must be a port from 0 to 65535, not '" + text + "'");
  return static_cast<uint16_t>(value);
}

std::string read_address(const std::string& text) {
  boost::system::error_code failed;
  boost::asio::ip::make_address(text, failed);
  if (failed)
    throw usage_error("--address must be an IP address, not '" + text + "'");
  return text;
}

std::string read_secret(const std::string& text) {
  constexpr std::string_view prefix = "whsec_";
  // The secret itself is not repeated: this goes to a terminal or a log.
  if (!text.starts_with(prefix)
      || from_base64(std::string_view{text}.substr(prefix.size())).empty())
    throw usage_error("--webhook-secret must be whsec_ and base64");
  return text;
}

void set(provider_config& config, const std::string& name, const std::string& value) {
  if (name == "--address")
    config.address = read_address(value);
  else if (name == "--control-port")
    config.control_port = read_port(name, value);
  else if (name == "--http-port")
    config.http_port = read_port(name, value);
  else if (name == "--smtp-port")
    config.smtp_port = read_port(name, value);
  else if (name == "--resend-key")
    config.known.resend_key = value;
  else if (name == "--telegram-token")
    config.known.telegram_token = value;
  else if (name == "--webhook-secret")
    config.known.webhook_secrets.push_back(read_secret(value));
  else
    throw usage_error("unknown option '" + name + "'");
}

} // namespace

program_options read_options(const std::vector<std::string>& words) {
  program_options result;
  for (const auto& word : words) {
    if (word == "--help" || word == "-h") {
      result.help = true;
      return result;
    }
    auto equals = word.find('=');
    if (equals == std::string::npos && word.starts_with("--"))
      throw usage_error(word + " is unknown or lacks its value: --name=value");
    set(result.config, word.substr(0, equals),
        equals == std::string::npos ? std::string{} : word.substr(equals + 1));
  }
  return result;
}

std::string help_text() {
  return help;
}

} // namespace notify::fake
