// SPDX-License-Identifier: Apache-2.0
#include "engine/https/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include <curl/curl.h>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "engine/base/limits.hpp"
#include "engine/base/text.hpp"
#include "engine/https/certificate.hpp"

namespace fabric::https {

namespace {

using remote::Outcome;

// All that stands before the body of an answer.
constexpr std::size_t kHeaderBytes = std::size_t{64} * 1024;
// How often a stop or a deadline is looked for where nothing wakes the library.
constexpr Duration kLook{1'000};

struct FreeEasy {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeMulti {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

}  // namespace

struct Connection::Impl {
  Impl(const Target& target_given, const remote::DoorTerms& terms_given, const Clock& clock_given)
      : target{target_given}, terms{terms_given}, clock{clock_given} {
    many.reset(curl_multi_init());
    one.reset(curl_easy_init());
    // Begins to keep cookies, in memory alone. A name of a file is the usual way, but libcurl leaks
    // it at the reset before each request. The cookie itself goes again.
    curl_easy_setopt(one.get(), CURLOPT_COOKIELIST, "Set-Cookie: none=0; domain=none.invalid");
    curl_easy_setopt(one.get(), CURLOPT_COOKIELIST, "ALL");
  }
  ~Impl() {
    one.reset();
    many.reset();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool prepare(const remote::step::Request& request);
  bool set_url(const std::string& path);
  void set_trust();
  void set_body(const remote::step::Request& request);
  // nullopt: it has not ended.
  std::optional<CURLcode> drive(TimePoint deadline);
  Exchange conclude(std::optional<CURLcode> ended, Duration patience);
  std::string problem(CURLcode code) const;

  static std::size_t take_body(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t take_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t give_body(char* data, std::size_t size, std::size_t count, void* self);
  static CURLcode set_context(CURL* handle, void* context, void* self);
  static int judge_certificate(X509_STORE_CTX* store, void* self);

  const Target& target;
  const remote::DoorTerms& terms;
  const Clock& clock;
  std::unique_ptr<CURLM, FreeMulti> many;
  std::unique_ptr<CURL, FreeEasy> one;
  std::string accepted;  // fingerprint

  // Of the request in hand.
  std::unique_ptr<curl_slist, FreeList> headers;
  std::unique_ptr<CURLU, FreeUrl> url;
  std::array<char, CURL_ERROR_SIZE> words{};
  std::string_view to_send;
  std::string body, status_line;
  std::size_t header_bytes = 0;
  bool too_much = false;
  TimePoint deadline_of_last{};
  Judgement judgement;
};

std::size_t Connection::Impl::take_body(
    char* data, std::size_t size, std::size_t count, void* self) {
  auto& here = *static_cast<Impl*>(self);
  const std::size_t bytes = size * count;
  if (here.body.size() + bytes > limits::kCommandOutputBytes) {
    here.too_much = true;
    return 0;
  }
  here.body.append(data, bytes);
  return bytes;
}

std::size_t Connection::Impl::take_header(
    char* data, std::size_t size, std::size_t count, void* self) {
  auto& here = *static_cast<Impl*>(self);
  const std::size_t bytes = size * count;
  here.header_bytes += bytes;
  if (here.header_bytes > kHeaderBytes) {
    here.too_much = true;
    return 0;
  }
  const std::string_view line = trim(std::string_view{data, bytes});
  if (line.starts_with("HTTP/")) here.status_line = line;
  return bytes;
}

std::size_t Connection::Impl::give_body(
    char* data, std::size_t size, std::size_t count, void* self) {
  auto& here = *static_cast<Impl*>(self);
  const std::size_t bytes = std::min(size * count, here.to_send.size());
  std::copy_n(here.to_send.begin(), bytes, data);
  here.to_send.remove_prefix(bytes);
  return bytes;
}

int Connection::Impl::judge_certificate(X509_STORE_CTX* store, void* self) {
  auto& here = *static_cast<Impl*>(self);
  here.judgement = judge(*store, here.target);
  if (!here.judgement.refusal.empty()) {
    if (X509_STORE_CTX_get_error(store) == X509_V_OK)
      X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
    return 0;
  }
  here.accepted = here.judgement.fingerprint;
  X509_STORE_CTX_set_error(store, X509_V_OK);
  return 1;
}

CURLcode Connection::Impl::set_context(CURL* /*handle*/, void* context, void* self) {
  auto* tls = static_cast<SSL_CTX*>(context);
  SSL_CTX_set_cert_verify_callback(tls, judge_certificate, self);
  return CURLE_OK;
}

bool Connection::Impl::set_url(const std::string& path) {
  url.reset(curl_url());
  const bool is_ipv6 = target.host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? '[' + target.host + ']' : target.host;
  const std::size_t query = path.find('?');
  const auto set = [this](CURLUPart part, const std::string& value) {
    return curl_url_set(url.get(), part, value.c_str(), 0) == CURLUE_OK;
  };
  return url != nullptr && set(CURLUPART_SCHEME, "https") && set(CURLUPART_HOST, host) &&
         set(CURLUPART_PORT, std::to_string(target.port)) &&
         set(CURLUPART_PATH, path.substr(0, query)) &&
         (query == std::string::npos || set(CURLUPART_QUERY, path.substr(query + 1))) &&
         curl_easy_setopt(one.get(), CURLOPT_CURLU, url.get()) == CURLE_OK;
}

void Connection::Impl::set_trust() {
  CURL* handle = one.get();
  curl_easy_setopt(handle, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  // A pinned certificate is known by itself: a switch makes one for a name of its own.
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, target.authorities.empty() ? 0L : 2L);
  curl_easy_setopt(handle, CURLOPT_CAINFO, nullptr);
  curl_easy_setopt(handle, CURLOPT_CAPATH, nullptr);
  if (!target.authorities.empty()) {
    curl_blob authorities{};
    authorities.data = const_cast<char*>(target.authorities.data());  // NOLINT(*-const-cast)
    authorities.len = target.authorities.size();
    authorities.flags = CURL_BLOB_COPY;
    curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &authorities);
  }
  curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, set_context);
  curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, this);
}

// Given by a function that can't begin anew, so that the library never sends by itself a second
// time what the machine may have taken already.
void Connection::Impl::set_body(const remote::step::Request& request) {
  CURL* handle = one.get();
  to_send = request.body;
  if (request.method == "GET") return;
  curl_easy_setopt(handle, CURLOPT_POST, 1L);
  if (request.method != "POST")
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(
      handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(handle, CURLOPT_READFUNCTION, give_body);
  curl_easy_setopt(handle, CURLOPT_READDATA, this);
}

bool Connection::Impl::prepare(const remote::step::Request& request) {
  CURL* handle = one.get();
  curl_easy_reset(handle);  // keeps connections and cookies
  body.clear();
  status_line.clear();
  header_bytes = 0;
  too_much = false;
  judgement = {};
  words.fill('\0');
  if (!set_url(request.path)) return false;
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");  // none of the environment either
  curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_MAXCONNECTS, 1L);
  curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, request.fresh_session ? 1L : 0L);
  curl_easy_setopt(
      handle,
      CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>((terms.connect_timeout + terms.handshake_timeout).count()));
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words.data());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
  curl_slist* list = curl_slist_append(nullptr, "Expect:");  // it waits a second for nothing
  for (const auto& [name, value] : request.headers)
    list = curl_slist_append(list, fmt::format("{}: {}", name, value).c_str());
  headers.reset(list);
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  set_trust();
  set_body(request);
  return true;
}

std::optional<CURLcode> Connection::Impl::drive(TimePoint deadline) {
  while (true) {
    int running = 0;
    if (curl_multi_perform(many.get(), &running) != CURLM_OK) return CURLE_FAILED_INIT;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(many.get(), &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    const Duration patience = deadline - clock.now();
    if (patience <= Duration::zero()) return std::nullopt;
    curl_waitfd stop{};
    stop.fd = terms.stop_descriptor;
    stop.events = CURL_WAIT_POLLIN;
    const bool stoppable = stop.fd >= 0;
    curl_multi_poll(
        many.get(),
        stoppable ? &stop : nullptr,
        stoppable ? 1 : 0,
        static_cast<int>(std::min(patience, kLook).count()),
        nullptr);
    if (stop.revents != 0) return std::nullopt;
  }
}

std::string Connection::Impl::problem(CURLcode code) const {
  if (!judgement.refusal.empty()) return "certificate: " + judgement.refusal;
  if (too_much) return fmt::format("the answer exceeds {} bytes", limits::kCommandOutputBytes);
  std::string said{words.data()};
  if (said.empty()) said = curl_easy_strerror(code);
  if (!said.empty() && said.size() > 1 && said[1] >= 'a' && said[1] <= 'z')
    said[0] = to_lower(said.substr(0, 1)).front();
  return said;
}

Exchange Connection::Impl::conclude(std::optional<CURLcode> ended, Duration patience) {
  Exchange result;
  long sent = 0;
  long connects = 0;
  long status = 0;
  curl_easy_getinfo(one.get(), CURLINFO_REQUEST_SIZE, &sent);
  curl_easy_getinfo(one.get(), CURLINFO_NUM_CONNECTS, &connects);
  curl_easy_getinfo(one.get(), CURLINFO_RESPONSE_CODE, &status);
  result.was_reused = connects == 0;
  result.status_line = status_line;
  result.reply = {std::move(body), static_cast<int>(status), false};
  if (ended == CURLE_OK) return result;
  result.outcome = sent == 0 ? Outcome::failed : Outcome::unknown;
  const std::string& node = terms.node.str();
  if (ended) {
    result.error = {
        sent == 0  ? ErrorCode::unreachable
        : too_much ? ErrorCode::invalid
                   : ErrorCode::maybe_applied,
        fmt::format("{}: https: {}", node, problem(*ended))};
  } else if (clock.now() < deadline_of_last) {
    result.error = {ErrorCode::cancelled, fmt::format("{}: https: abandoned", node)};
  } else {
    result.error = {
        sent == 0 ? ErrorCode::unreachable : ErrorCode::timed_out,
        fmt::format("{}: https: no answer within {}", node, format_duration(patience))};
  }
  return result;
}

// The library writes the keys of all sessions to a file that a variable of the environment names,
// and opens it here.
void prepare_library() {
  static const CURLcode is_prepared = [] {
    constexpr const char* kKeysFile = "SSLKEYLOGFILE";
    // NOLINTBEGIN(concurrency-mt-unsafe): before any thread starts.
    const char* named = std::getenv(kKeysFile);
    const std::optional<std::string> file =
        named == nullptr ? std::nullopt : std::optional<std::string>{named};
    unsetenv(kKeysFile);
    const CURLcode prepared = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (file) setenv(kKeysFile, file->c_str(), 1);
    // NOLINTEND(concurrency-mt-unsafe)
    return prepared;
  }();
  static_cast<void>(is_prepared);
}

Connection::Connection(const Target& target, const remote::DoorTerms& terms, const Clock& clock)
    : impl_{std::make_unique<Impl>(target, terms, clock)} {}

Connection::~Connection() = default;

Exchange Connection::exchange(const remote::step::Request& request, TimePoint deadline) {
  Impl& here = *impl_;
  const Duration patience = deadline - here.clock.now();
  if (here.many == nullptr || here.one == nullptr || !here.prepare(request)) {
    Exchange result;
    result.outcome = Outcome::failed;
    result.error = {
        ErrorCode::unreachable,
        fmt::format(
            "{}: https: '{}' port {} is no address that can be asked",
            here.terms.node.str(),
            here.target.host,
            here.target.port)};
    return result;
  }
  here.deadline_of_last = deadline;
  curl_multi_add_handle(here.many.get(), here.one.get());
  const std::optional<CURLcode> ended = here.drive(deadline);
  Exchange result = here.conclude(ended, patience);
  // Of one that has not ended this closes the connection.
  curl_multi_remove_handle(here.many.get(), here.one.get());
  here.to_send = {};
  return result;
}

const std::string& Connection::fingerprint() const {
  return impl_->accepted;
}

bool Connection::has_cookies() const {
  curl_slist* list = nullptr;
  curl_easy_getinfo(impl_->one.get(), CURLINFO_COOKIELIST, &list);
  const std::unique_ptr<curl_slist, FreeList> cookies{list};
  return cookies != nullptr;
}

}  // namespace fabric::https
