import Addresses
import Cryptography
import ServiceRuntime

/// A password before hashing: in Unicode Normalization Form C, so that all keyboards produce the
/// same bytes; never truncated; wiped after use.
///
/// A system that accounts were imported from may have hashed another form, as the keyboard sent it.
/// Such a password is refused, and its owner resets it. This is accepted: few passwords are not
/// ASCII, few keyboards send another form, and a second comparison would double the time of every
/// failed sign-in.
struct Password: Sendable {
    /// Longer input is rejected before any work, and is never truncated (Sources/SECURITY.md,
    /// Passwords). 128 code
    /// points take at most 512 bytes.
    static let bytesMax = 1_024

    /// The bytes to hash.
    let bytes: SecretBytes

    /// The password as entered, UTF-8; nil when it is longer than any accepted password.
    init?(entered: SecretBytes) {
        guard entered.count <= Self.bytesMax else { return nil }
        let isASCII = entered.withBytes { bytes in bytes.allSatisfy { $0 < 0x80 } }
        bytes = isASCII ? entered : Self.normalised(entered)
    }

    /// Form C of a text that is not ASCII. ASCII text is always in Form C.
    private static func normalised(_ entered: SecretBytes) -> SecretBytes {
        var text = entered.withBytes { bytes in
            // A String keeps up to 15 bytes inline, which here would be on the stack and would not
            // be wiped. A larger capacity forces a heap buffer.
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

    /// A password that the policy allows for an account. A flow that sets one also has to ask
    /// whether it leaked: by `PasswordCheck.new`, or by `BreachedPasswords` where that comes first.
    /// - Parameters:
    ///   - context: the account's words, which the password must not consist of.
    ///   - field: the field of the request that has the password.
    /// - Throws: `auth/weak-password` with the violated rules (I-02).
    static func allowed(
        _ entered: SecretBytes, by policy: PasswordPolicy, _ context: PasswordContext,
        field: String = "password"
    ) throws(ServiceError) -> Password {
        guard let password = Password(entered: entered) else {
            throw .weakPassword([.length], field: field)
        }
        let broken = policy.broken(by: password, context)
        guard broken.isEmpty else {
            throw .weakPassword(broken, field: field)
        }
        return password
    }

    /// Passes the code points to `body` in a temporary buffer that is wiped afterwards. A String
    /// would leave them in memory.
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
