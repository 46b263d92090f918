#include "actors/providers/webhook_signature.hpp"

#include "actors/providers/base64.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace notify {

namespace {

constexpr std::string_view secret_prefix = "whsec_";
constexpr size_t min_secret_bytes = 24;
constexpr size_t max_secret_bytes = 64;

/// The bytes of padded base64; nothing if it is not that.
std::optional<std::string> from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0)
    return std::nullopt;
  auto padding = text.size() - (text.find_last_not_of('=') + 1);
  std::string result(text.size() / 4 * 3, '\0');
  auto written = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(result.data()),
                                 reinterpret_cast<const unsigned char*>(text.data()),
                                 static_cast<int>(text.size()));
  if (written < 0 || padding > 2)
    return std::nullopt;
  result.resize(static_cast<size_t>(written) - padding);
  // OpenSSL is lenient about blanks and leftover bits; a typing error should not be a secret.
  return base64(result) == text ? std::optional{std::move(result)} : std::nullopt;
}

std::string hmac_sha256(const std::string& secret, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const auto* done = HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                          digest.data(), &length);
  return done == nullptr ? std::string{}
                         : std::string{reinterpret_cast<const char*>(digest.data()), length};
}

} // namespace

std::optional<std::string> parse_webhook_secret(std::string_view text) {
  if (!text.starts_with(secret_prefix) || text.size() > 200)
    return std::nullopt;
  auto bytes = from_base64(text.substr(secret_prefix.size()));
  if (!bytes || bytes->size() < min_secret_bytes || bytes->size() > max_secret_bytes)
    return std::nullopt;
  return bytes;
}

std::string sign_webhook(const std::vector<std::string>& secrets, std::string_view id,
                         int64_t timestamp, std::string_view body) {
  std::string text{id};
  text += '.';
  text += std::to_string(timestamp);
  text += '.';
  text += body;
  std::string result;
  for (const auto& secret : secrets) {
    auto digest = hmac_sha256(secret, text);
    if (digest.empty())
      return {};
    result += (result.empty() ? "v1," : " v1,") + base64(digest);
  }
  return result;
}

} // namespace notify
