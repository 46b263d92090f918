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

certificate_ptr make_certificate(EVP_PKEY* key, const std::string& name) {
  certificate_ptr result{X509_new(), &X509_free};
  X509_set_version(result.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(result.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(result.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(result.get()), 86400);
  X509_set_pubkey(result.get(), key);
  auto* subject = X509_get_subject_name(result.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("notify test"), -1, -1, 0);
  X509_set_issuer_name(result.get(), subject);
  add_extension(result.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(result.get(), NID_subject_alt_name, name.starts_with("IP:") ? name : "DNS:" + name);
  require(X509_sign(result.get(), key, EVP_sha256()) > 0, "not signed");
  return result;
}

file_ptr open_file(const std::string& path) {
  file_ptr result{std::fopen(path.c_str(), "w"), &std::fclose};
  require(result != nullptr, "no file");
  return result;
}

std::string make_folder() {
  auto path = (std::filesystem::temp_directory_path() / "notify-identity-XXXXXX").string();
  require(mkdtemp(path.data()) != nullptr, "no folder");
  return path;
}

} // namespace

test_identity::test_identity(const std::string& name)
    : folder_(make_folder()), certificate_file_(folder_ + "/certificate.pem"),
      key_file_(folder_ + "/key.pem") {
  key_ptr key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
  require(key != nullptr, "no key");
  auto certificate = make_certificate(key.get(), name);
  require(PEM_write_X509(open_file(certificate_file_).get(), certificate.get()) == 1, "not kept");
  require(PEM_write_PrivateKey(open_file(key_file_).get(), key.get(), nullptr, nullptr, 0, nullptr,
                               nullptr)
              == 1,
          "not kept");
}

test_identity::~test_identity() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

} // namespace notify::test
