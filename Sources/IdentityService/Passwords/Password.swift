import Cryptography
import EmailAddresses
import ServiceRuntime

/// A password on its way to being hashed: in Form C, so that it is the same from every keyboard,
/// whole, and wiped when it is no longer needed. What it was read from is the message's.
struct Password: Sendable {
    /// Above this it is refused before any work is done on it; it is never cut (security.md).
    /// 128 code points take 512 bytes at most.
    static let bytesMax = 1_024

    /// What is hashed.
    let bytes: SecretBytes

    /// The password as entered; nil where it is longer than any that we would have taken.
    init?(entered: String) {
        guard entered.utf8.count <= Self.bytesMax else { return nil }
        var normal = NormalFormC.utf8(of: entered)
        bytes = SecretBytes(taking: &normal)
    }

    /// A password that is to be an account's from now on: the one door for all that set one.
    /// - Parameter context: whose it is to be.
    /// - Throws: `auth/weak-password`, whose fields are the rules it breaks (I-02).
    static func new(
        _ entered: String, _ policy: PasswordPolicy, _ context: PasswordContext
    ) throws(ServiceError) -> Password {
        guard let password = Password(entered: entered) else {
            throw ServiceError(.weakPassword, fields: [PasswordRule.length.rawValue])
        }
        let broken = policy.broken(by: entered, context)
        guard broken.isEmpty else {
            throw ServiceError(.weakPassword, fields: broken.map(\.rawValue))
        }
        return password
    }
}
