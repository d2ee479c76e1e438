package import Cryptography
package import ServiceRuntime

/// The secret of a link: 32 random bytes, of which the store has only a keyed hash (I-06). An
/// attacker cannot guess 256 bits, so attempts are not counted.
package struct LinkToken: Sendable {
    private static let byteCount = 32

    private let bytes: [UInt8]

    /// Generates a token.
    package static func drawn(from randomness: any Randomness) -> LinkToken {
        LinkToken(bytes: randomness.bytes(byteCount))
    }

    /// Parses a token from a link; nil if it is malformed.
    package init?(text: String) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == Self.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    /// Parses the token of a request, where it is a secret; nil if it is malformed.
    package init?(_ secret: SecretBytes) {
        self.init(text: secret.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    /// A token of 32 bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The keyed hash by which the store finds the link. It includes the page, so that a link for one
    /// page is not found for another; of one page, the row's purpose tells.
    package func hash(_ purpose: LinkPurpose, _ links: KeyedHash) -> [UInt8] {
        hash(ofPage: purpose.path, links)
    }

    /// The same for a link that is stored with what it is about, not in `links`.
    /// - Parameter path: The last component of the link's path.
    func hash(ofPage path: String, _ links: KeyedHash) -> [UInt8] {
        links.hash(Array("\(path)\0".utf8) + bytes)
    }

    /// The URL of the link. Its origin comes from the settings, never from a request: otherwise an
    /// attacker who requests a mail could choose where its link leads.
    func url(_ purpose: LinkPurpose, origin: String) -> String {
        url(ofPage: purpose.path, origin: origin)
    }

    /// The same for a link that is stored with what it is about, not in `links`.
    func url(ofPage path: String, origin: String) -> String {
        "\(origin)/\(path)?token=\(Base64URL.encode(bytes))"
    }
}

/// The purpose of a link. Raw values are stored and must never change.
package enum LinkPurpose: Int64, Sendable {
    /// Verify the ownership of an address (G-12).
    case verifyEmail = 1
    /// Set a new password (G-11).
    case resetPassword = 2
    /// Change the account's address to this one (G-12). Stored with the change, not in `links`.
    case changeEmail = 3
    /// Delete the account, also without the app (G-19).
    case deleteAccount = 4
    /// Cancel the deletion that waits (G-19). Stored with the deletion, not in `links`.
    case keepAccount = 5
    /// Fetch an export of the account's data (G-21).
    case export = 7
    /// Sign everybody out after a sign-in or a method that was not the owner's (N-01).
    case disownSignIn = 8
    /// Keep the second factors that support is about to remove (F-03).
    case keepSecondFactors = 9
    /// Delete the account, by a link that an app makes in a session (G-32).
    case sessionDeletion = 10
    /// Fetch an export, by a link that an app makes in a session (G-32).
    case sessionExport = 11

    /// The last component of the link's path.
    var path: String {
        switch self {
        case .verifyEmail: "verify-email"
        case .resetPassword: "reset-password"
        case .changeEmail: "change-email"
        case .deleteAccount, .sessionDeletion: "delete-account"
        case .keepAccount: "keep-account"
        case .export, .sessionExport: "your-data"
        case .disownSignIn: "not-me"
        case .keepSecondFactors: "keep-second-factors"
        }
    }
}
