import Cryptography
import JSON

/// What a browser or an app says of a ceremony: which, for which challenge, on which page (Web
/// Authentication Level 3, section 5.8.1, `CollectedClientData`). The authenticator signs a hash of
/// it, and the client writes it, so no page can change it.
///
///     JSON                      as `JSONReader` accepts it: a name twice, invalid UTF-8, half of a
///                               surrogate pair and NUL are refused
///     a byte order mark         skipped, as "UTF-8 decode" does (section 7.1)
///     type, challenge, origin   texts, required
///     any other member          allowed: clients add some, and say so
struct ClientData: Hashable, Sendable {
    /// The longest text, in bytes. Browsers write less than 500, with names of up to 253
    /// characters.
    static let bytesMax = 4_096

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The ceremony: `webauthn.create` or `webauthn.get`.
    let type: String
    /// The challenge, in Base64url.
    let challenge: String
    /// The page's or the app's origin.
    let origin: String
    /// Whether the page was in a frame of another origin. True for any value but `false` and none.
    let isCrossOrigin: Bool
    /// Whether an origin is named in whose frame the page was, whatever it is.
    let hasTopOrigin: Bool
    /// SHA-256 of the text, which is signed.
    let hash: [UInt8]

    /// Parses the bytes of `clientDataJSON`.
    /// - Throws: `.clientData`.
    init(_ bytes: [UInt8]) throws(PasskeyRefusal) {
        guard bytes.count <= Self.bytesMax,
            let object = JSONReader.object(
                in: bytes.starts(with: Self.mark) ? Array(bytes.dropFirst(Self.mark.count)) : bytes),
            let type = object["type"]?.string, let challenge = object["challenge"]?.string,
            let origin = object["origin"]?.string
        else { throw .clientData }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        isCrossOrigin = object["crossOrigin"] ?? .boolean(false) != .boolean(false)
        hasTopOrigin = object["topOrigin"] != nil
        hash = SHA256.hash(bytes)
    }
}
