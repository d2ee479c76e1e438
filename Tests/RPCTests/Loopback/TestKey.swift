import Cryptography
import RPC

/// The one application of these tests and its key.
enum TestKey {
    static let application = "gateway"
    static let keyID = "k1"

    /// The key that the server knows.
    static let right = key(of: 100)
    /// Its text in a key file.
    static let text = Hex.encode(Array(UInt8(100)..<132))
    /// Accepts shared keys of every application.
    static let sharedKeys = SharedKeyRule(ours: [], acceptsOthers: true)
    /// A key that the server does not know.
    static let wrong = key(of: 101)

    private static func key(of first: UInt8) -> KeyedHash {
        KeyedHash(key: SecretBytes(count: 32) { $0.copyBytes(from: first..<first + 32) })
    }
}
