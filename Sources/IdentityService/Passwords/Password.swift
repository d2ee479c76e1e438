import Cryptography
import EmailAddresses
import ServiceRuntime

/// A password on its way to being hashed: in Form C, so that it is the same from every keyboard,
/// whole, and wiped when it is no longer needed.
struct Password: Sendable {
    /// Above this it is refused before any work is done on it; it is never cut
    /// (Sources/SECURITY.md, Passwords). 128 code points take 512 bytes at most.
    static let bytesMax = 1_024

    /// What is hashed.
    let bytes: SecretBytes

    /// The password as entered, UTF-8; nil where it is longer than any that we would have taken.
    init?(entered: SecretBytes) {
        guard entered.count <= Self.bytesMax else { return nil }
        let isASCII = entered.withBytes { bytes in bytes.allSatisfy { $0 < 0x80 } }
        bytes = isASCII ? entered : Self.normalised(entered)
    }

    /// Form C of a text beyond ASCII, which has no other.
    private static func normalised(_ entered: SecretBytes) -> SecretBytes {
        var text = entered.withBytes { bytes in
            // More than the 15 bytes that a String keeps in itself: those would be on the stack.
            String(unsafeUninitializedCapacity: max(bytes.count, 32)) { room in
                UnsafeMutableRawBufferPointer(room).copyMemory(from: bytes)
                return bytes.count
            }
        }
        defer { text.withUTF8 { wipe(UnsafeRawBufferPointer($0)) } }
        var count = 0
        NormalFormC.forEachScalar(of: text) { count += UTF8.width($0) }
        return SecretBytes(count: count) { room in
            var place = 0
            NormalFormC.forEachScalar(of: text) { scalar in
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    room[place] = byte
                    place += 1
                }
            }
        }
    }

    /// A password that is to be an account's from now on: the one door for all that set one.
    /// - Parameter context: whose it is to be.
    /// - Throws: `auth/weak-password`, whose fields are the rules it breaks (I-02).
    static func new(
        _ entered: SecretBytes, _ policy: PasswordPolicy, _ context: PasswordContext
    ) throws(ServiceError) -> Password {
        guard let password = Password(entered: entered) else {
            throw ServiceError(.weakPassword, fields: [PasswordRule.length.rawValue])
        }
        let broken = policy.broken(by: password, context)
        guard broken.isEmpty else {
            throw ServiceError(.weakPassword, fields: broken.map(\.rawValue))
        }
        return password
    }

    /// Lends the code points, in memory that is wiped after: as a String they would stay in it.
    func withScalars<R>(_ body: (UnsafeBufferPointer<Unicode.Scalar>) -> R) -> R {
        bytes.withBytes { bytes in
            withUnsafeTemporaryAllocation(
                of: Unicode.Scalar.self, capacity: max(1, bytes.count)
            ) { room in
                defer { wipe(UnsafeRawBufferPointer(room)) }
                var (decoder, source, count) = (UTF8(), bytes.makeIterator(), 0)
                while case .scalarValue(let scalar) = decoder.decode(&source) {
                    room.initializeElement(at: count, to: scalar)
                    count += 1
                }
                return body(UnsafeBufferPointer(rebasing: room[..<count]))
            }
        }
    }
}
