import Addresses
import ArgumentParser
import Contracts
import Cryptography
import JSON
import Messages
import NotificationService
import RPC
import ServiceRuntime

/// `postern mail`: DNS records and suppressed addresses, for the delivery of mail (N-01).
struct MailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Prints DNS records for mail, and manages the suppression list.",
        subcommands: [DNS.self, Address.self, Release.self])
}

extension MailCommand {
    /// `postern mail dns`.
    struct DNS: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the DNS records with which receivers authenticate your mails.",
            discussion: """
                Reads the keys that postern-notification signs with, as its settings name them \
                (dkim-rsa-key, dkim-ed25519-key), and prints their public keys as lines of a \
                zone file. Create keys with `openssl genrsa 2048` and \
                `openssl genpkey -algorithm ed25519`. Use both: some receivers know only RSA.
                """)

        @Option(help: "The signing domain: dkim-domain, or the sender's.")
        var domain: String

        @Option(help: "The file of an RSA key.")
        var rsaKey: String?

        @Option(help: "The RSA key's name in the DNS.")
        var rsaSelector = "postern"

        @Option(name: .customLong("ed25519-key"), help: "The file of an Ed25519 key.")
        var ed25519Key: String?

        @Option(name: .customLong("ed25519-selector"), help: "The Ed25519 key's name in the DNS.")
        var ed25519Selector = "postern-ed25519"

        func validate() throws {
            guard rsaKey != nil || ed25519Key != nil else {
                throw ValidationError("Name a key: --rsa-key FILE, --ed25519-key FILE, or both.")
            }
            guard EmailAddress("postmaster@\(domain)") != nil else {
                throw ValidationError("--domain is the name of a domain, for example example.org")
            }
        }

        func run() throws {
            for line in try lines() { Screen.line(line) }
        }

        /// The printed lines: the keys, and a DMARC policy, which receivers expect of a sender as
        /// well.
        func lines() throws -> [String] {
            let keys = try [
                rsaKey.map { file in
                    DKIMKey(
                        selector: rsaSelector,
                        .rsa(try Self.key(file) { try RSASigningKey(file: file) }))
                },
                ed25519Key.map { file in
                    DKIMKey(
                        selector: ed25519Selector,
                        .ed25519(try Self.key(file) { try Ed25519SigningKey(file: file) }))
                },
            ].compactMap(\.self)
            let records = try keys.map { key in
                guard let key else { throw ValidationError("A selector is a name in the DNS.") }
                return DKIMRecord(key, domain: domain).zoneLine
            }
            return records + [
                "; once these are published, let receivers reject unsigned mail:",
                "; _dmarc.\(domain). IN TXT ( \"v=DMARC1; p=reject\" )",
            ]
        }

        private static func key<Key>(_ file: String, _ read: () throws -> Key) throws -> Key {
            do {
                return try read()
            } catch let error as CryptographyError {
                throw ToolError("\(file): \(error)")
            }
        }
    }
}

extension MailCommand {
    /// `postern mail address EMAIL`.
    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows whether an address is on the suppression list, and why.")

        @Argument(help: "The address.")
        var email: String

        @OptionGroup var services: EndpointsOption
        @OptionGroup var output: OutputOption

        func run() async throws {
            let request = NotificationV1.ShowAddressRequest(email: email)
            let answer = try await services.call("notification") { caller in
                try await AddressesClient(caller.client).showAddress(request, caller.context)
            }
            let since = Timestamp(milliseconds: answer.stoppedAtMs).text
            let until = Timestamp(milliseconds: answer.untilMs).text
            let json: JSONObject = [
                "email": .string(email), "suppressed": .boolean(answer.isStopped),
                "since": .moment(answer.stoppedAtMs), "until": .moment(answer.untilMs),
                "reason": .string(answer.reason),
            ]
            try output.show(
                .object(json),
                text: [
                    answer.isStopped
                        ? "suppressed since \(since), until \(until): \(answer.reason)"
                        : "not suppressed"
                ])
        }
    }

    /// `postern mail release EMAIL`.
    struct Release: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes an address from the suppression list.",
            discussion: """
                Messages that were not sent meanwhile stay unsent; `postern outbox retry` sends \
                one.
                """)

        @Argument(help: "The address.")
        var email: String

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            let request = NotificationV1.ReleaseAddressRequest(email: email)
            let answer = try await services.call("notification") { caller in
                try await AddressesClient(caller.client).releaseAddress(request, caller.context)
            }
            Screen.line(answer.wasStopped ? "released" : "was not suppressed")
        }
    }
}
