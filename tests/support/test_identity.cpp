#include "tests/support/test_identity.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace notify::test {

namespace {

using key_ptr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using certificate_ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using file_ptr = std::unique_ptr<FILE, decltype(&std::fclose)>;

void require(bool holds, const char* what) {
  if (!holds)
    throw std::runtime_error(std::string{"test identity: "} + what);
}

void add_extension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  auto* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  require(extension != nullptr, "bad extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

certificate_ptr make_certificate(EVP_PKEY* key, const std::string& name, bool is_expired) {
  certificate_ptr result{X509_new(), &X509_free};
  X509_set_version(result.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(result.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(result.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(result.get()), is_expired ? -3600 : 86400);
  X509_set_pubkey(result.get(), key);
  auto* subject = X509_get_subject_name(result.get());
  auto common_name = "notify test " + name;
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
  add_extension(result.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(result.get(), NID_subject_alt_name, name.starts_with("IP:") ? name : "DNS:" + name);
  return result;
}

file_ptr open_file(const std::string& path, const char* mode) {
  file_ptr result{std::fopen(path.c_str(), mode), &std::fclose};
  require(result != nullptr, "no file");
  return result;
}

/// Signs with the issuer's key and in its name, as its files have them.
void sign(X509* certificate, const test_identity& issuer) {
  auto key_file = open_file(issuer.key_file(), "r");
  key_ptr key{PEM_read_PrivateKey(key_file.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
  auto issuer_file = open_file(issuer.certificate_file(), "r");
  certificate_ptr vouching{PEM_read_X509(issuer_file.get(), nullptr, nullptr, nullptr), &X509_free};
  require(key != nullptr && vouching != nullptr, "no issuer");
  X509_set_issuer_name(certificate, X509_get_subject_name(vouching.get()));
  require(X509_sign(certificate, key.get(), EVP_sha256()) > 0, "not signed");
}

std::string make_folder() {
  auto path = (std::filesystem::temp_directory_path() / "notify-identity-XXXXXX").string();
  require(mkdtemp(path.data()) != nullptr, "no folder");
  return path;
}

} // namespace

test_identity::test_identity(const std::string& name, const certificate_traits& traits)
    : folder_(make_folder()), certificate_file_(folder_ + "/certificate.pem"),
      key_file_(folder_ + "/key.pem") {
  key_ptr key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
  require(key != nullptr, "no key");
  require(PEM_write_PrivateKey(open_file(key_file_, "w").get(), key.get(), nullptr, nullptr, 0,
                               nullptr, nullptr)
              == 1,
          "not kept");
  auto certificate = make_certificate(key.get(), name, traits.is_expired);
  if (traits.issuer != nullptr) {
    sign(certificate.get(), *traits.issuer);
  } else {
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
    require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "not signed");
  }
  require(PEM_write_X509(open_file(certificate_file_, "w").get(), certificate.get()) == 1,
          "not kept");
}

test_identity::~test_identity() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

} // namespace notify::test
