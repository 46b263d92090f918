#include "tools/fake_provider/digest.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

namespace notify::fake {

namespace {

using block = std::array<unsigned char, 32>;

const unsigned char* raw(std::string_view x) {
  return reinterpret_cast<const unsigned char*>(x.data());
}

} // namespace

std::string sha256_hex(std::string_view bytes) {
  block hash{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (auto x : hash) {
    result += digits[x >> 4u];
    result += digits[x & 15u];
  }
  return result;
}

std::string hmac_base64(std::string_view key, std::string_view bytes) {
  block code{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(bytes), bytes.size(),
       code.data(), &size);
  std::array<unsigned char, 48> text{};
  auto length = EVP_EncodeBlock(text.data(), code.data(), static_cast<int>(size));
  return {reinterpret_cast<const char*>(text.data()), static_cast<size_t>(length)};
}

std::string from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0)
    return {};
  std::string result(text.size() / 4 * 3, '\0');
  auto length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(result.data()), raw(text),
                                static_cast<int>(text.size()));
  if (length < 0)
    return {};
  // OpenSSL decodes the padding to zero bytes and counts them.
  auto padding = std::min<size_t>(text.size() - text.find_last_not_of('=') - 1, 2);
  result.resize(static_cast<size_t>(length) - padding);
  return result;
}

} // namespace notify::fake
