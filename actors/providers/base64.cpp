#include "actors/providers/base64.hpp"

#include <openssl/evp.h>

namespace notify {

std::string base64(std::string_view bytes) {
  // OpenSSL ends the text with NUL, for which a string has room of its own.
  std::string result(4 * ((bytes.size() + 2) / 3), '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(result.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return result;
}

} // namespace notify
