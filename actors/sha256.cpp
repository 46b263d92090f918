#include "actors/sha256.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace notify {

namespace {

struct evp_deleter {
  void operator()(EVP_MD_CTX* ctx) const { EVP_MD_CTX_free(ctx); }
  void operator()(EVP_MD* algorithm) const { EVP_MD_free(algorithm); }
};

/// Fails only if OpenSSL lacks SHA-256 or memory: nothing that a caller could handle.
void must(bool ok) {
  if (!ok)
    throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

/// Fetched once: OpenSSL 3 searches its providers on every use of `EVP_sha256()`.
const EVP_MD* algorithm() {
  static const std::unique_ptr<EVP_MD, evp_deleter> instance{
      EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  must(instance != nullptr);
  return instance.get();
}

/// One digest in the making, on the thread's own context.
class hasher {
public:
  hasher() {
    thread_local const std::unique_ptr<EVP_MD_CTX, evp_deleter> instance{EVP_MD_CTX_new()};
    ctx_ = instance.get();
    must(ctx_ != nullptr && EVP_DigestInit_ex2(ctx_, algorithm(), nullptr) == 1);
  }

  void add(std::string_view bytes) {
    must(EVP_DigestUpdate(ctx_, bytes.data(), bytes.size()) == 1);
  }

  void add_length(size_t n) {
    const char prefix[] = {static_cast<char>(n >> 24), static_cast<char>(n >> 16),
                           static_cast<char>(n >> 8), static_cast<char>(n)};
    add({prefix, sizeof(prefix)});
  }

  sha256_digest finish() {
    sha256_digest result;
    must(EVP_DigestFinal_ex(ctx_, result.data(), nullptr) == 1);
    return result;
  }

private:
  EVP_MD_CTX* ctx_;
};

} // namespace

sha256_digest sha256(std::string_view bytes) {
  hasher h;
  h.add(bytes);
  return h.finish();
}

sha256_digest sha256_of_parts(std::initializer_list<std::string_view> parts) {
  hasher h;
  for (auto part : parts) {
    h.add_length(part.size());
    h.add(part);
  }
  return h.finish();
}

std::string to_hex(const sha256_digest& digest) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (auto byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 0xF];
  }
  return text;
}

} // namespace notify
