import Contracts
import HTTPSink
import ProviderIssuer
import SMTPSink
import Synchronization
import TestSupport

/// What is around the programs in which every call of the table can be prepared: Google and Apple,
/// a mail server, an SMS provider, rules, terms, and an age gate.
///
///     let stage = try await CallStage()
///     … start the programs with stage.environment, and run the tool with each of
///       CallStage.applications …
///     let callers = try LiveCallers(stage, gateway: …, keys: …, audience: …)
package final class CallStage: Sendable {
    /// Arguments of the tool that add the writer and the support desk.
    package static let applications = [
        [
            "applications", "add", "shop", "--server", "gateway", "--server", "identity",
            "--method", "postern.gateway.v1.BackendDocuments/*",
            "--method", "postern.gateway.v1.BackendPush/*",
            "--method", "postern.gateway.v1.BackendAccounts/*",
        ],
        [
            "applications", "add", "support", "--server", "gateway",
            "--method", "postern.gateway.v1.Admin/*",
        ],
    ]

    /// A limits file that counts and refuses nothing.
    package static let noLimits = LimitName.allCases.filter(\.isOperators).map(\.rawValue)
        .sorted().map { "\($0)-shadow: true\n" }.joined()

    let google: ProviderIssuer
    let apple: ProviderIssuer
    let mails: SMTPSink
    let texts: HTTPSink
    private let changed: ChangedNumbers
    private let folder: TemporaryFolder
    /// The settings of the programs, as environment variables.
    package let environment: [String: String]

    /// Starts all of it.
    package init() async throws {
        google = try await ProviderIssuer()
        apple = try await ProviderIssuer()
        mails = try SMTPSink()
        let changed = ChangedNumbers()
        self.changed = changed
        texts = try await HTTPSink { request in
            let isChanged = changed.all.withLock { $0.contains(where: request.text.contains) }
            return .answer(200, body: isChanged ? #"{"number_changed":true}"# : "{}")
        }
        folder = try TemporaryFolder()
        let own = [
            "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(mails.port)",
            "POSTERN_SMTP_ENCRYPTION": "none", "POSTERN_SMS_PROVIDERS": "webhook",
            "POSTERN_SMS_WEBHOOK_URL": texts.url("/sms"),
            "POSTERN_SMS_WEBHOOK_SECRET": String(repeating: "ab", count: 32),
            "POSTERN_PROVIDER_PLAINTEXT": "true", "POSTERN_PHONE_COUNTRIES": "DE",
            "POSTERN_CONSENT": "required", "POSTERN_TERMS_VERSION": Bound.terms,
            "POSTERN_PRIVACY_VERSION": Bound.privacy, "POSTERN_AGE_GATE": "required",
            "POSTERN_PARENTAL_CONSENT": "allowed", "POSTERN_GUEST_DATA": "ask",
            "POSTERN_ACCOUNT_ADMINS": "gateway", "POSTERN_DOCUMENT_WRITERS": "shop",
            "POSTERN_PUSH_SENDERS": "shop", "POSTERN_ACCOUNT_MANAGERS": "shop",
            "POSTERN_PASSKEY_RP_ID": Self.passkeyDomain,
            "POSTERN_PASSKEY_ORIGINS": Self.passkeyOrigin,
            "POSTERN_RULES_FILE": try folder.write(Self.rules, to: "rules.yaml"),
            // Callers are new, and many at one address.
            "POSTERN_NEWCOMER_BYTES_A_DAY": "\(1 << 40)",
            "POSTERN_GUEST_BYTES_A_DAY": "\(1 << 40)",
            "POSTERN_GUEST_PHOTO_BYTES_MAX": "\(5 << 20)",
        ]
        environment = [google.environment(for: "google"), apple.environment(for: "apple"), own]
            .reduce(into: [:]) { $0.merge($1) { _, new in new } }
    }

    /// Stops it, after the programs.
    package func close() async {
        await google.close()
        await apple.close()
        await texts.close()
        mails.close()
    }

    /// The collection and the section of the table, with names of the greatest length.
    package static let rules = """
        collections:
          \(Bound.collection): {}
        onboarding:
          sections:
            - name: \(Bound.section)
              screens:
                - name: \(Bound.screen)
                  fields:
                    text: {type: text, length: [0, 65536], to: \(Bound.collection).text}
        """

    /// The latest token of a link to a page that was mailed to a mailbox; waits for the mail.
    func linkToken(to mailbox: String, _ page: LinkPage) async throws -> String {
        let start = "/\(page.rawValue)?token="
        var token: Substring?
        let isThere = try await eventually {
            let letters = mails.mails.filter { $0.to.contains("<\(mailbox)>") }.map(Self.text)
            token = letters.last { $0.contains(start) }?.split(separator: start).dropFirst().first
            return token != nil
        }
        guard isThere, let token else {
            throw CallFailure("no mail to \(mailbox) with a link to \(page.rawValue)")
        }
        return String(token.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    /// A mail as a mail client shows it. Quoted-printable (RFC 2045, 6.7) is decoded only as far as
    /// links need it.
    private static func text(of mail: SMTPSink.Mail) -> String {
        String(decoding: mail.bytes, as: UTF8.self)
            .split(separator: "=\r\n", omittingEmptySubsequences: false).joined()
            .split(separator: "=3D", omittingEmptySubsequences: false).joined(separator: "=")
    }

    /// From now on the SMS provider says of a number in E.164 that it has changed hands.
    func changeNumber(_ number: String) {
        _ = changed.all.withLock { $0.insert(number) }
    }

    private final class ChangedNumbers: Sendable {
        let all = Mutex<Set<String>>([])
    }

    /// The code in the latest mail to a mailbox that has one, alone in its line; waits for it.
    func mailedCode(to mailbox: String) async throws -> String {
        var code: Substring?
        let isThere = try await eventually {
            let letters = mails.mails.filter { $0.to.contains("<\(mailbox)>") }.map(Self.text)
            code = letters.flatMap { $0.split(whereSeparator: \.isNewline) }
                .last { $0.count == 6 && $0.allSatisfy(\.isNumber) }
            return code != nil
        }
        guard isThere, let code else { throw CallFailure("no code in a mail to \(mailbox)") }
        return String(code)
    }

    /// The `iss` of Google's tokens.
    var googleIssuer: String { google.issuer }

    /// How many text messages were sent.
    var textCount: Int { texts.requests.count }

    /// The code in the first text message to a number after the first `count`; waits for it.
    func code(to number: String, after count: Int) async throws -> String {
        var text: String?
        let isThere = try await eventually {
            // Notices go to the number, too.
            text =
                texts.requests.dropFirst(count).first {
                    $0.text.contains(number) && $0.text.contains(/"text":"[0-9]/)
                }?.text
            return text != nil
        }
        // The message begins with the code: {…,"text":"123456 is your …
        guard isThere, let words = text?.split(separator: "\"text\":\"").dropFirst().first else {
            throw CallFailure("no code to \(number)")
        }
        return String(words.prefix { $0.isNumber })
    }
}

/// What a call needs could not be prepared.
package struct CallFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
