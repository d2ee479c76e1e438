import Cryptography
import ServiceRuntime
import Synchronization
import TestSupport

/// An authenticator app on a person's phone. The programs have the machine's clock, and a code
/// works once.
final class OwnersApp: Sendable {
    private let secret: SecretBytes
    /// The step of the latest code that was used.
    private let used = Mutex<Int64>(0)

    /// - Parameter secret: as the set-up shows it.
    init(secret: String) throws {
        guard let bytes = Base32.decodeLeniently(secret) else {
            throw ClusterError(message: "no secret of an app: \(secret)")
        }
        self.secret = SecretBytes(copying: bytes)
    }

    /// An app whose owner an import brings.
    init(importedSecret secret: SecretBytes) {
        self.secret = secret
    }

    /// The secret in base32.
    var secretText: String { secret.withBytes { Base32.encode($0) } }

    /// A code that was not used; waits until the next one is valid. One step ahead of the clock
    /// will do, so two in a row are there at once.
    func code() async throws -> SecretBytes {
        let step = used.withLock { used in
            used = max(used + 1, Self.now)
            return used
        }
        _ = try await eventually { step <= Self.now + 1 }
        return code(step)
    }

    /// The code that was used last.
    var usedCode: SecretBytes { code(used.withLock { $0 }) }

    /// A code of last week.
    var oldCode: SecretBytes { code(Self.now - 20_160) }

    private static var now: Int64 { TOTP.step(at: SystemTime().now()) }

    private func code(_ step: Int64) -> SecretBytes {
        var code = TOTP.code(of: secret, at: step)
        return SecretBytes(taking: &code)
    }
}
