import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// Sends text messages through Twilio's API, which other providers offer too.
/// Source: https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource
struct TwilioSMS: SMSProvider {
    /// The account's credentials, from the operator's settings.
    struct Account: Sendable {
        /// The account id, "AC…".
        let account: String
        /// The user name: the account, or an API key "SK…".
        let user: String
        /// The user's password.
        let secret: SecretBytes
        /// The sender: a number, a name, or a messaging service "MG…".
        let sender: String
    }

    /// Error codes for a number that does not exist, cannot receive text, or has opted out. Source:
    /// https://www.twilio.com/docs/api/errors
    private static let deadNumberCodes: Set<Int64> = [21_211, 21_214, 21_217, 21_610, 21_614]
    /// Error codes for a text that cannot be sent.
    private static let refusedTextCodes: Set<Int64> = [21_602, 21_617, 21_619]
    /// How long Twilio may hold a message before sending it, in seconds: its own bounds.
    private static let validitySeconds: ClosedRange<Int64> = 1...14_400

    let providerGuard: ProviderGuard
    private let http: ProviderHTTP
    private let url: HTTPURL
    private let authorization: HTTPHeader
    private let sender: String

    /// A provider at `base`; nil when the account's name or secret cannot be part of a request.
    init?(account: Account, base: HTTPURL, http: ProviderHTTP, providerGuard: ProviderGuard) {
        let path = "/2010-04-01/Accounts/\(FormBody.escape(account.account))/Messages.json"
        guard let url = base.at(path), let header = Self.authorization(account) else { return nil }
        self.url = url
        self.http = http
        self.providerGuard = providerGuard
        authorization = header
        sender = account.sender
    }

    func send(_ text: OutgoingText) async -> ProviderAnswer {
        var fields = [
            ("To", text.recipient),
            (sender.hasPrefix("MG") ? "MessagingServiceSid" : "From", sender),
            ("Body", text.text),
        ]
        let now = http.time.now()
        if let expiresAt = text.expiresAt {
            let seconds = (expiresAt - now).milliseconds / 1_000
            let validity = min(
                max(seconds, Self.validitySeconds.lowerBound), Self.validitySeconds.upperBound)
            fields.append(("ValidityPeriod", "\(validity)"))
        }
        switch await http.post(url, [.form, authorization], FormBody.encode(fields)) {
        case .failed(let failure): return ProviderAnswer("twilio", failure)
        case .answered(let response): return Self.answer(response, at: now)
        }
    }

    /// The meaning of Twilio's answer. Its error code, if there is one, takes precedence over the
    /// status.
    static func answer(_ response: HTTPResponse, at now: Timestamp) -> ProviderAnswer {
        if response.isSuccess { return .taken }
        let code = ProviderHTTP.object(in: response)?["code"]?.integer
        let reason = "twilio-\(code ?? Int64(response.status))"
        if response.status == 400, let code {
            if deadNumberCodes.contains(code) { return .addressIsDead(reason, since: nil) }
            if refusedTextCodes.contains(code) { return .refused(reason) }
        }
        return ProviderAnswer(unlisted: reason, response, at: now)
    }

    /// Basic authentication (RFC 7617): user and password in Base64.
    private static func authorization(_ account: Account) -> HTTPHeader? {
        var pair = Array("\(account.user):".utf8)
        account.secret.withBytes { pair += $0 }
        var text = Array(Base64.encode(pair).utf8)
        defer {
            wipe(&pair)
            wipe(&text)
        }
        return HTTPHeader("authorization", lead: "Basic ", secret: SecretBytes(copying: text))
    }
}
