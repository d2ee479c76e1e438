package import Cryptography

/// A mail server that takes mail from us, as the operator's settings name it.
package struct SMTPServer: Sendable {
    /// Whether the conversation is encrypted.
    package enum Encryption: String, CaseIterable, Sendable {
        /// In clear: for a relay on the same machine or network only.
        case none
        /// By STARTTLS (RFC 3207) with a certificate for the host's name; a server that does not
        /// offer it, or an attacker who strips the offer, gets no mail.
        case required
        /// TLS from the first byte (RFC 8314, 3.3), commonly on port 465.
        case implicit
    }

    /// Who we are to the server (RFC 4954).
    package struct Credentials: Sendable {
        /// What proves it.
        package enum Proof: Sendable {
            /// A password's UTF-8: PLAIN, LOGIN, or what else libcurl and the server agree on.
            case password(SecretBytes)
            /// The file of an OAuth 2.0 access token, read for each mail since such tokens live an
            /// hour and something else renews them: XOAUTH2 or OAUTHBEARER (RFC 7628).
            case tokenFile(String)
        }

        /// The user's name.
        package let user: String
        /// What proves it.
        package let proof: Proof

        /// Credentials for AUTH.
        package init(user: String, proof: Proof) {
            self.user = user
            self.proof = proof
        }

        /// Credentials for AUTH by a password.
        package init(user: String, password: SecretBytes) {
            self.init(user: user, proof: .password(password))
        }
    }

    /// A host name, or an IP address without brackets.
    package let host: String
    /// The TCP port: 587 for submission, 25 between servers.
    package let port: UInt16
    /// Whether the conversation is encrypted.
    package let encryption: Encryption
    /// Sent when the server offers AUTH.
    package let credentials: Credentials?
    /// What EHLO says: this machine's name, or the sender's domain.
    package let clientName: String
    /// Where the host's name may lead.
    package let addresses: AddressPolicy
    /// A PEM file of the authorities to trust instead of the system's.
    package let trustFile: String?

    /// A server; nil when `host` or `clientName` is neither a host name nor an IP address.
    /// Credentials over an unencrypted connection are for tests; the settings refuse them.
    package init?(
        host: String, port: UInt16, encryption: Encryption, credentials: Credentials?,
        clientName: String, addresses: AddressPolicy, trustFile: String?
    ) {
        guard Self.isHost(host), Self.isHost(clientName) else { return nil }
        self.host = host
        self.port = port
        self.encryption = encryption
        self.credentials = credentials
        self.clientName = clientName
        self.addresses = addresses
        self.trustFile = trustFile
    }

    /// The address in libcurl's form. Both names are checked, so nothing in them can end a part.
    var url: String {
        let isVersionSix = host.utf8.contains(UInt8(ascii: ":"))
        let scheme = encryption == .implicit ? "smtps" : "smtp"
        return "\(scheme)://\(isVersionSix ? "[\(host)]" : host):\(port)/\(clientName)"
    }

    private static func isHost(_ name: String) -> Bool {
        if InternetAddress(text: name) != nil { return true }
        return (1...253).contains(name.utf8.count) && !name.hasPrefix("-")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
