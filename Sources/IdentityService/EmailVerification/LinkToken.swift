import Cryptography
import ServiceRuntime

/// The secret of a link: 32 random bytes, kept by the store only as a keyed hash (I-06). Nobody
/// guesses 256 bits, so attempts at a link need no counting.
struct LinkToken: Sendable {
    private static let byteCount = 32

    private let bytes: [UInt8]

    /// A new token.
    static func drawn(from randomness: any Randomness) -> LinkToken {
        LinkToken(bytes: randomness.bytes(byteCount))
    }

    /// Reads a token from a link; nil for what is none.
    init?(text: String) {
        guard let bytes = Base64URL.decode(text.utf8), bytes.count == Self.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The keyed hash by which the store finds the link; the purpose is part of it, so that a link
    /// made for one purpose is not found for another.
    func hash(_ purpose: LinkPurpose, _ links: KeyedHash) -> [UInt8] {
        links.hash(Array("\(purpose.path)\0".utf8) + bytes)
    }

    /// The link. Its origin comes from the settings, never from a request: otherwise whoever asks
    /// for a mail would choose where its reader goes.
    func url(_ purpose: LinkPurpose, origin: String) -> String {
        "\(origin)/\(purpose.path)?token=\(Base64URL.encode(bytes))"
    }
}

/// What a link is good for. Raw values are stored and never change.
enum LinkPurpose: Int64, Sendable {
    /// Prove that the address is yours (G-12).
    case verifyEmail = 1
    /// Set a new password (G-11).
    case resetPassword = 2
    /// Make this address the account's (G-12). Kept with the change itself, not among links.
    case changeEmail = 3

    /// The last part of the link's path.
    var path: String {
        switch self {
        case .verifyEmail: "verify-email"
        case .resetPassword: "reset-password"
        case .changeEmail: "change-email"
        }
    }
}
