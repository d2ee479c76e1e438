import Addresses
package import Cryptography

/// A mail server from the operator's settings.
package struct SMTPServer: Sendable {
    /// Whether the connection is encrypted.
    package enum Encryption: String, CaseIterable, Sendable {
        /// No encryption: only for a relay on the same machine or network.
        case none
        /// STARTTLS (RFC 3207) with a certificate for the host's name. A server that does not offer
        /// it gets no mail, and neither does an attacker who strips the offer.
        case required
        /// TLS from the first byte (RFC 8314, 3.3), commonly on port 465.
        case implicit
    }

    /// The client's credentials for AUTH (RFC 4954).
    package struct Credentials: Sendable {
        /// The kinds of proof.
        package enum Proof: Sendable {
            /// A password in UTF-8, for PLAIN, LOGIN, or another mechanism that libcurl and the
            /// server share.
            case password(SecretBytes)
            /// The file of an OAuth 2.0 access token, for XOAUTH2 or OAUTHBEARER (RFC 7628). It is
            /// read for each mail, since such tokens expire after an hour and another program
            /// renews them.
            case tokenFile(String)
        }

        /// The user's name.
        package let user: String
        /// The password or token.
        package let proof: Proof

        /// Credentials for AUTH.
        package init(user: String, proof: Proof) {
            self.user = user
            self.proof = proof
        }

        /// Credentials for AUTH with a password.
        package init(user: String, password: SecretBytes) {
            self.init(user: user, proof: .password(password))
        }
    }

    /// A host name, or an IP address without brackets.
    package let host: String
    /// The TCP port: 587 for submission, 25 between servers.
    package let port: UInt16
    /// Whether the connection is encrypted.
    package let encryption: Encryption
    /// The credentials, used when the server offers AUTH.
    package let credentials: Credentials?
    /// The argument of EHLO: this machine's name, or the sender's domain.
    package let clientName: String
    /// The addresses to which the host's name may resolve.
    package let addresses: AddressPolicy
    /// A PEM file of trusted authorities that replace the system's.
    package let trustFile: String?

    /// A server. Nil when `host` or `clientName` is neither a host name nor an IP address.
    /// Credentials over an unencrypted connection are for tests; the settings reject them.
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

    /// The server's URL for libcurl. Both names are checked, so they contain no delimiters.
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
