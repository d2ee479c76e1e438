import ArgumentParser
import Cryptography
import NotificationService

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
        }

        func run() throws {
            for line in try lines() { Screen.line(line) }
        }

        /// The printed lines: the keys, and a DMARC policy, which receivers expect of a sender as
        /// well.
        func lines() throws -> [String] {
            let keys = try [
                rsaKey.map { DKIMKey(selector: rsaSelector, .rsa(try RSASigningKey(file: $0))) },
                ed25519Key.map {
                    DKIMKey(
                        selector: ed25519Selector, .ed25519(try Ed25519SigningKey(file: $0)))
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
    }
}
